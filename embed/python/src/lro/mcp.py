"""Offloading for servers of the official MCP SDK: `MCPServer` or, in version 1, `FastMCP`, and the low-level `Server`:

    server = MCPServer("memories")
    lro.mcp.offload(server, output_dir="results")
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from . import needs

IS_SDK1 = needs.is_below("mcp", "2")
"""Version 1 has no middleware; `sdk1` gives it that of version 2."""

with needs.package("lro.mcp", "mcp", "1.20" if IS_SDK1 else "2.3"):
    if TYPE_CHECKING or not IS_SDK1:
        from mcp.server.context import CallNext, HandlerResult, ServerRequestContext

from .messages import CLIENT_CAPABILITIES, CLIENT_INFO, Offloader, proxy_of_request, says_proxy

_PROXY = "lro.proxy"
"""The key of a connection's state that says that its client offloads by itself."""

_CLIENT = "lro.client"
"""The key of a connection's state that has what its client says of itself."""


def offload(server: Any, output_dir: str | None = None, **options: Any) -> LargeResultOffloading:
    """Offloads the large results of all tools of a server and offers `lro_extract`. The options are those of
    `lro.messages.Offloader`, settings among them."""
    middleware = LargeResultOffloading(output_dir, **options)
    if IS_SDK1:
        from . import sdk1

        sdk1.intercept(server, middleware, remember_proxy)
    else:
        server.middleware.append(middleware)
    return middleware


class LargeResultOffloading:
    """The middleware behind `offload`. It works on messages as they are on the wire, in both eras of the protocol."""

    def __init__(self, output_dir: str | None = None, **options: Any) -> None:
        """As `offload`."""
        self.offloader = Offloader(output_dir, **options)

    async def __call__(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        """Passes a message on, and handles the result of a call or a list of tools."""
        if ctx.method == "initialize":
            remember_proxy(ctx)
        if ctx.method not in ("tools/call", "tools/list") or ctx.request_id is None:
            return await call_next(ctx)
        if await self.offloader.leaves_alone(is_proxy=is_proxy(ctx), over_http=ctx.request is not None):
            return await call_next(ctx)
        if ctx.method == "tools/list":
            return await self._list(ctx, await call_next(ctx))
        return await self._call(ctx, call_next)

    async def _list(self, ctx: ServerRequestContext[Any, Any], result: HandlerResult) -> HandlerResult:
        conversation = self.offloader.sessions.conversation(ctx)
        listed = await self.offloader.offload_tools(_text(result), conversation, client_of(ctx))
        return result if listed is None else json.loads(listed)

    async def _call(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        params = ctx.params or {}
        tool, arguments = str(params.get("name")), cast("Mapping[str, Any] | None", params.get("arguments"))
        conversation = self.offloader.sessions.conversation(ctx)
        if tool in await self.offloader.names():
            return json.loads(await self.offloader.answer(tool, arguments, conversation))
        client = client_of(ctx)
        given, refused = await self.offloader.resolve_arguments(tool, arguments, conversation, client)
        if refused is not None:
            return json.loads(refused)
        if given is not arguments:
            ctx = dataclasses.replace(ctx, params={**params, "arguments": given})
        result = await call_next(ctx)
        replaced = await self.offloader.offload_result(tool, arguments, _text(result), conversation, client)
        return result if replaced is None else json.loads(replaced)


def remember_proxy(ctx: ServerRequestContext[Any, Any]) -> None:
    """Notes on the connection whether its client offloads by itself: the SDK's types drop `proxy`."""
    params = ctx.params or {}
    _state(ctx)[_PROXY] = says_proxy(params.get("clientInfo"), params.get("capabilities"))
    _state(ctx)[_CLIENT] = {key: params[key] for key in ("clientInfo", "capabilities") if key in params}


def is_proxy(ctx: ServerRequestContext[Any, Any]) -> bool:
    """True if the client offloads by itself, as it said at the start of the connection or in this request."""
    meta = (ctx.params or {}).get("_meta")
    return bool(_state(ctx).get(_PROXY)) or proxy_of_request(meta)


def client_of(ctx: ServerRequestContext[Any, Any]) -> Mapping[str, Any] | None:
    """What the client says of itself, in this request or at the start of the connection."""
    meta: Mapping[str, Any] = (ctx.params or {}).get("_meta") or {}
    places = {"clientInfo": CLIENT_INFO, "capabilities": CLIENT_CAPABILITIES}
    return {key: meta[place] for key, place in places.items() if place in meta} or _state(ctx).get(_CLIENT)


def _state(ctx: ServerRequestContext[Any, Any]) -> dict[str, Any]:
    # The session is made anew for each request; what lives as long as the connection is only reached through it.
    connection: Any = getattr(ctx.session, "_connection", None)
    return {} if connection is None else connection.state


def _text(result: HandlerResult) -> str:
    """A result as JSON text: what the SDK hands on is a mapping already, another middleware may answer a model."""
    if result is None or isinstance(result, Mapping):
        return json.dumps(result, ensure_ascii=False, separators=(",", ":"))
    return result.model_dump_json(by_alias=True, exclude_none=True)
