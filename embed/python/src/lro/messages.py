"""What both kinds of MCP servers share: whose results are offloaded, our tools, cleanup in the background.

What becomes of a message is decided in the component; this module knows which of them to show to it.
"""

from __future__ import annotations

import json
import logging
import os
import threading
import weakref
from collections.abc import Callable, Mapping
from typing import Any, cast

from .errors import IoFailure, LroError, Unusable
from .failures import failure_event
from .offloader import Lro
from .results import Event, Rewritten
from .sessions import Conversation, SessionEnd, Sessions
from .telling import logged

CLIENT_INFO = "io.modelcontextprotocol/clientInfo"
"""The member in which a request of the stateless protocol names its client."""

CLIENT_CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"

_CLEANUP_SECONDS = 3600.0
"""How often expired files are deleted; a shorter life of files makes it more often, down to a minute."""

_NONE = Conversation()
"""Of a request that belongs to no conversation."""

_log = logging.getLogger("lro")


class Offloader:
    """Offloads the results of a server's tools and executes the calls of ours."""

    def __init__(
        self,
        output_dir: str | None = None,
        *,
        lro: Lro | None = None,
        shared_file_system: bool = False,
        cleanup: bool = True,
        session: str | Callable[[Any], str | None] | None = None,
        session_end: SessionEnd | None = None,
        on_event: Callable[[Event], None] | None = None,
        **settings: Any,
    ) -> None:
        """`settings` are those of `Lro`, `tools={"read_file": {"offload": "never"}}` among them, and a wrong one is an
        `InvalidArgument`; or pass an opened `lro`. `shared_file_system`: clients over HTTP can read the output directory.
        `cleanup`: delete expired files at the start and every hour. `session`: the folder of all conversations, so that a
        client that resumes finds its files, or what names that of a request, given the SDK's context; by default each
        conversation has one of its own, and requests over HTTP that belong to none are not told apart. `session_end`:
        "delete" its files at its end, or "keep" them until they expire, which is what is done with a `session` that was
        given. `on_event`: what to do with events; without it they are logged. That it fails is logged once, and costs no
        result."""
        settings.setdefault("defaults", "agent")
        self.lro = lro or _PatientLro(output_dir, **settings)
        self.sessions = Sessions(self.lro, session, session_end)
        self._shared_file_system = shared_file_system
        self.on_event = _harmless(on_event or logged)
        self._names: frozenset[str] | None = None
        self._schemas: dict[str, object] = {}
        self._cleans_up = cleanup
        self._started_in: int | None = None
        self._told: str | None = None

    def start(self) -> None:
        """Begins to clean up, once in a process. The first message does so, not the constructor: a server may fork its workers
        in between."""
        if self._started_in != os.getpid():
            self._started_in = os.getpid()
            if self._cleans_up:
                _clean_up_in_background(self)

    async def leaves_alone(self, *, is_proxy: bool, over_http: bool) -> bool:
        """True for a client that gets full results: a proxy that offloads itself (PROXY-04), and one over HTTP that could
        neither read the file nor ask a tool for it (LRO-44, decision 30). So does every client where this machine refuses
        the component or its directory: a server does not end for that."""
        self.start()
        try:
            names = await self.names()
        except (IoFailure, Unusable) as error:
            self.tell_unavailable(error)
            return True
        reads_files = not self.lro.has_store and (self._shared_file_system or not over_http)
        unreachable = not reads_files and not names
        return is_proxy or unreachable

    def tell_unavailable(self, error: LroError) -> None:
        """Says that nothing is offloaded, once for each reason."""
        if self._told != error.message:
            self._told = error.message
            self.on_event(Event("OffloadingUnavailable", f"nothing is offloaded: {error.message}", error.as_dict()))

    async def names(self) -> frozenset[str]:
        """The names of our tools."""
        if self._names is None:
            self._names = frozenset(tool["name"] for tool in await self.tools())
        return self._names

    async def tools(self) -> list[dict[str, Any]]:
        """Our tools, as MCP has them."""
        return json.loads(await self.lro.amcp_tools())

    def for_call(self, tool: str, of: Conversation, client: Mapping[str, Any] | None = None) -> Lro:
        """The component with what is known of a call of a tool that is not ours."""
        known = {"client": client, "input_schema": self._schemas.get(tool)}
        return self.lro.for_call(**self.sessions.call(of), **{key: value for key, value in known.items() if value})

    async def resolve_arguments(
        self,
        tool: str,
        arguments: Mapping[str, Any] | None,
        of: Conversation = _NONE,
        client: Mapping[str, Any] | None = None,
    ) -> tuple[Mapping[str, Any] | None, str | None]:
        """The arguments with references to our files replaced by the data (USER-11), or the text of the CallToolResult of a
        call that the tool must not get."""
        asked = json_of(arguments)
        if "lro" not in asked or not self.lro.settings["resolve_arguments"]:
            return arguments, None
        try:
            text = await self.for_call(tool, of, client).amcp_resolve_arguments(tool, asked)
        except LroError as error:
            words = "\n".join(filter(None, (error.message, error.hint)))
            content = [{"type": "text", "text": words}]
            return None, json.dumps({"resultType": "complete", "content": content, "isError": True})
        return (arguments if text is None else json.loads(text)), None

    async def answer(self, name: str, arguments: Mapping[str, Any] | None, of: Conversation = _NONE) -> str:
        """The text of the CallToolResult of one of our tools."""
        lro = self.lro.for_call(**self.sessions.call(of))
        answer = await lro.amcp_call(name, json_of(arguments))
        self.sessions.passed(of, answer)
        return answer

    async def offload_result(
        self,
        tool: str,
        arguments: Mapping[str, Any] | None,
        result: str,
        of: Conversation = _NONE,
        client: Mapping[str, Any] | None = None,
    ) -> str | None:
        """Returns the text of the CallToolResult to send instead of another tool's, if there is one.

        A result that the component does not know stands: that is a mistake of the tool, never of what it found.
        """
        try:
            done = await self.for_call(tool, of, client).amcp_offload_result(tool, json_of(arguments), result)
        except LroError as error:
            self.on_event(failure_event(error))
            return None
        return self.passed_on(done, result, of)

    def passed_on(self, done: Rewritten, result: str, of: Conversation) -> str | None:
        """Notes what has become of a result; returns what replaces it."""
        if done.file_name is not None:
            self.sessions.wrote(of)
        for event in done.events:
            self.on_event(event)
        self.sessions.passed(of, result if done.message is None else done.message)
        return done.message

    async def offload_tools(
        self, listed: str, of: Conversation = _NONE, client: Mapping[str, Any] | None = None
    ) -> str | None:
        """Returns the text of the ListToolsResult to send instead, if there is one."""
        self._schemas.update((tool["name"], tool.get("inputSchema")) for tool in json.loads(listed)["tools"])
        return await self.for_call("", of, client).amcp_offload_tools(listed)

    def clean_up(self) -> None:
        """Deletes expired files, once."""
        try:
            for event in self.lro.cleanup().events:
                self.on_event(event)
        except LroError as error:
            _log.debug("cleanup: %s", error)


class _PatientLro(Lro):
    """An `Lro` whose directory is created by the first call, when an error does not end the server."""

    def _prepare(self) -> None:
        pass


def json_of(arguments: Mapping[str, Any] | None) -> str:
    """The arguments of a call as a JSON text."""
    return json.dumps(dict(arguments or {}), default=str)


def says_proxy(info: object, capabilities: object) -> bool:
    """True for a client that says `proxy: true`, in its clientInfo or as an experimental capability."""
    experimental = _member(capabilities, "experimental")
    # Capabilities are declared by an object, which may be empty.
    return _member(info, "proxy") is True or _member(experimental, "proxy") not in (None, False)


def proxy_of_request(meta: Mapping[str, Any] | None) -> bool:
    """As `says_proxy`, for the `_meta` of a request of the stateless protocol."""
    return says_proxy(_member(meta, CLIENT_INFO), _member(meta, CLIENT_CAPABILITIES))


def _member(value: object, key: str) -> object:
    return cast("Mapping[str, object]", value).get(key) if isinstance(value, Mapping) else None


def _harmless(on_event: Callable[[Event], None]) -> Callable[[Event], None]:
    """The same for a program's own log, whose errors are said once, and go no further."""
    is_said = False

    def tell(event: Event) -> None:
        nonlocal is_said
        try:
            on_event(event)
        except Exception:
            if not is_said:
                is_said = True
                _log.exception("on_event failed, and results go on without it")

    return tell


def _clean_up_in_background(offloader: Offloader) -> None:
    """Cleans up at the start and then regularly, for as long as the offloader is in use."""
    in_use = weakref.ref(offloader)
    over = threading.Event()
    weakref.finalize(offloader, over.set)

    def run() -> None:
        seconds = 0.0
        while not over.wait(seconds):
            current = in_use()
            if current is None:
                return
            try:
                ttl = float(current.lro.settings["ttl_seconds"])
            except LroError:
                return  # The calls tell what is wrong with the settings.
            current.clean_up()
            del current
            seconds = min(max(ttl, 60.0), _CLEANUP_SECONDS)

    threading.Thread(target=run, name="lro-cleanup", daemon=True).start()
