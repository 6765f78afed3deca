"""Servers on version 1 of the official SDK, whose requests are given the shape that version 2 has.

Version 1 has no middleware: the table of a server's handlers stands for it.
"""

from __future__ import annotations

import importlib
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import anyio

# Version 2 has none of this, and only one version is there to be looked at.
mcp_types: Any = importlib.import_module("mcp.types")
request_ctx: Any = importlib.import_module("mcp.server.lowlevel.server").request_ctx

SESSION_ID = "mcp-session-id"
"""The header of a request over HTTP that belongs to a session."""

_ATTRIBUTE = "_lro_connection"
"""Where a session of the SDK keeps what is known of its connection: both end together."""

_LAST_PROTOCOL = "2025-11-25"
"""Version 1 speaks no later one, so all its protocols have sessions."""

Handler = Callable[[Any], Awaitable[Any]]
Middleware = Callable[[Any, Callable[[Any], Awaitable[Any]]], Awaitable[Any]]


@dataclass
class Ending:
    """What is done when a connection ends, which a client may do by cancelling all that runs."""

    session: Any

    def push_async_callback(self, callback: Callable[..., Awaitable[None]], *arguments: Any) -> None:
        """Adds a call, which is made to its end."""

        async def shielded() -> None:
            with anyio.CancelScope(shield=True):
                await callback(*arguments)

        self.session._exit_stack.push_async_callback(shielded)


@dataclass
class Connection:
    """A connection, as version 2 has it."""

    exit_stack: Ending
    session_id: str | None
    state: dict[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True)
class _Session:
    _connection: Connection


@dataclass(frozen=True)
class Request:
    """The context of a request, as version 2 has it."""

    method: str
    params: Mapping[str, Any]
    session: Any
    request: Any
    request_id: Any
    protocol_version: str = _LAST_PROTOCOL


def request_of(method: str, params: Any, context: Any, greeted: Callable[[Any], None]) -> Request:
    """A request whose parameters are a model of the SDK. `greeted` gets the first request of a connection, as if it was
    the client's `initialize`."""
    session = context.session
    connection: Connection | None = getattr(session, _ATTRIBUTE, None)
    known = connection or Connection(Ending(session), _session_id(context.request))
    asked = {} if params is None else _dumped(params)
    if context.meta is not None:
        asked["_meta"] = _dumped(context.meta)
    if connection is None:
        setattr(session, _ATTRIBUTE, known)
        client = session.client_params
        greeting = {} if client is None else _dumped(client)
        greeted(Request("initialize", greeting, _Session(known), context.request, context.request_id))
    return Request(method, asked, _Session(known), context.request, context.request_id)


def intercept(server: Any, middleware: Middleware, greeted: Callable[[Any], None]) -> None:
    """Lets the requests that are about tools go through a middleware of version 2."""
    lowlevel = getattr(server, "_mcp_server", server)
    lowlevel.request_handlers = _Handlers(lowlevel.request_handlers, middleware, greeted)


class _Handlers(dict[type, Handler]):
    """A server's handlers. It looks them up by `get` to answer a client, and by index to ask itself."""

    _methods: Mapping[type, str] = {mcp_types.CallToolRequest: "tools/call", mcp_types.ListToolsRequest: "tools/list"}

    def __init__(self, handlers: Mapping[type, Handler], middleware: Middleware, greeted: Callable[[Any], None]) -> None:
        super().__init__(handlers)
        self._middleware = middleware
        self._greeted = greeted

    def get(self, kind: Any, default: Any = None) -> Any:
        """The handler of a request, behind the middleware if it is about tools."""
        handler, method = super().get(kind, default), self._methods.get(kind)
        if handler is None or method is None:
            return handler

        async def handled(request: Any) -> Any:
            async def call_next(changed: Request) -> Any:
                given = request if changed is context else kind.model_validate(_message(request, changed))
                return (await handler(given)).root

            context = request_of(method, request.params, request_ctx.get(), self._greeted)
            result = await self._middleware(context, call_next)
            return mcp_types.ServerResult.model_validate(result) if isinstance(result, dict) else mcp_types.ServerResult(result)

        return handled


def _message(request: Any, changed: Request) -> dict[str, Any]:
    return {"method": request.method, "params": dict(changed.params)}


def _session_id(request: Any) -> str | None:
    return None if request is None else request.headers.get(SESSION_ID)


def _dumped(model: Any) -> dict[str, Any]:
    return model.model_dump(mode="json", by_alias=True, exclude_none=True)
