"""The sessions of conversations: the folders of their files, and what their models have read so far."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import secrets
import threading
import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast

from .errors import InvalidArgument, LroError
from .offloader import Lro
from .session_names import is_session_name, not_a_name

SessionEnd = Literal["delete", "keep"]

INPUT_TOKENS = "lro/inputTokens"
"""The member of `_meta` in a request with which a client says how many tokens its model has read."""

CALLER = "lro/caller"
"""The member of `_meta` in which a request says who wants its result."""

_STATELESS = "2026-07-28"
"""The first version of the protocol without sessions."""

_LETTERS = "abcdefghijklmnopqrstuvwxyz234567"
_LENGTH = 12
"""Lower case, for file systems that do not tell cases apart, and 60 random bits: nobody guesses a name (USER-09)."""

_STATE = "lro.session"
"""The key of a connection's state that says which session it has."""

_BYTES_OF_A_TOKEN = 4
"""The source's formula (GATE-04)."""

_MOST_TOKENS = 2**32 - 1
_MOST_SESSIONS = 10_000
"""Sums of conversations that never end are forgotten, the oldest first."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """What is known of the conversation that a request belongs to."""

    session: str | None = None
    said: int | None = None
    """The tokens that the client says its model has read."""
    connection: Any = None
    """The SDK's connection, if it lasts as long as the conversation."""
    window: int | None = None
    """The context window of the model that reads the result, in tokens, if that decides."""
    is_resumed: bool = False
    """True if it has a name by which another process goes on with it, so that its files stay until they expire."""
    caller: str | None = None
    """Who wants the result, if the request says so."""


class Sessions:
    """The sessions of a server's conversations."""

    def __init__(self, lro: Lro, given: str | Callable[[Any], str | None] | None, end: SessionEnd | None) -> None:
        """`given`: the name that all conversations have, or what names that of a request."""
        if end not in (None, "delete", "keep"):
            raise InvalidArgument('session_end is "delete" or "keep"')
        self._given = given if callable(given) else _checked(given)
        # A session that has been given a name is one that a client resumes.
        self._deletes = (end or ("delete" if given is None else "keep")) == "delete"
        self._deletes_resumed = end == "delete"
        self._lro = lro
        self._own: tuple[int, str] | None = None
        self._tokens: dict[str, int] = {}
        self._heard: dict[str, int] = {}
        # Agents may call their tools in threads.
        self._lock = threading.Lock()
        self._counts: bool | None = None
        self._connections: dict[str, set[int]] = {}
        self._at_exit: set[str] = set()
        weakref.finalize(self, _end_all, lro, self._at_exit, os.getpid())

    def conversation(self, ctx: Any) -> Conversation:
        """The conversation of a request, by the SDK's context of it."""
        connection = _lasting(ctx)
        session = self._session(ctx, connection)
        params: Mapping[str, Any] = ctx.params or {}
        meta = params.get("_meta")
        said, caller = self._said(session, meta), cast("Mapping[str, object]", meta or {}).get(CALLER)
        return Conversation(session, said, connection, caller=caller if isinstance(caller, str) else None)

    def named(self, name: str | None, context: Any, said: int | None, window: int | None) -> Conversation:
        """The conversation of an agent, by the name that its framework has for it, and the framework's context."""
        is_resumed = self._given is None and name is not None
        session = folder_of(name) if self._given is None and name is not None else self._of_agent(context)
        if said is not None and session is not None:
            self._hear(session, said)
        return Conversation(session, said, window=window, is_resumed=is_resumed)

    def _of_agent(self, context: Any) -> str | None:
        if callable(self._given):
            return _checked(self._given(context))
        return self._given or self._of_process()

    def count(self) -> None:
        """Sums up what is read, also without a window in the settings: each call may have one."""
        self._counts = True

    def call(self, of: Conversation) -> dict[str, Any]:
        """What the component is told of a call."""
        members = {"session": of.session, "caller": of.caller}
        known: dict[str, Any] = {key: value for key, value in members.items() if value is not None}
        if of.window is not None:
            known["context_tokens"] = of.window
        tokens = of.said if of.session is None else self._tokens.get(of.session, of.said)
        if tokens is not None and self._is_counted():
            known["input_tokens"] = min(tokens, _MOST_TOKENS)
        return known

    def passed(self, of: Conversation, result: str) -> None:
        """Adds a result that is passed on, the text of a CallToolResult."""
        if of.session is not None and self._is_counted():
            tokens = _tokens_of(result)
            with self._lock:
                self._remember(of.session, self._tokens.get(of.session, 0) + tokens)

    def wrote(self, of: Conversation) -> None:
        """Notes that the session has files, which end with it (GATE-18)."""
        if of.session is None or not (self._deletes_resumed if of.is_resumed else self._deletes):
            return
        if of.connection is None:
            self._at_exit.add(of.session)
            return
        users = self._connections.setdefault(of.session, set())
        if id(of.connection) not in users:
            users.add(id(of.connection))
            of.connection.exit_stack.push_async_callback(self._end, of.session, id(of.connection))

    async def _end(self, session: str, connection: int) -> None:
        """The files go when the last connection ends that has used them."""
        users = self._connections.get(session, set())
        users.discard(connection)
        if users:
            return
        self._connections.pop(session, None)
        with self._lock:
            self._tokens.pop(session, None)
            self._heard.pop(session, None)
        try:
            await self._lro.acleanup(session=session, all=True)
        except LroError:
            return  # What stays expires.

    def _session(self, ctx: Any, connection: Any) -> str | None:
        if callable(self._given):
            return _checked(self._given(ctx))
        if self._given is not None:
            return self._given
        if connection is not None:
            return connection.state.setdefault(_STATE, _random_name())
        # Nothing tells which requests of the stateless protocol over HTTP belong together.
        return None if ctx.request is not None else self._of_process()

    def _of_process(self) -> str:
        """Over standard input and output a process has one conversation."""
        with self._lock:
            if self._own is None or self._own[0] != os.getpid():
                self._own = (os.getpid(), _random_name())
            return self._own[1]

    def _said(self, session: str | None, meta: object) -> int | None:
        count = cast("Mapping[str, object]", meta).get(INPUT_TOKENS) if isinstance(meta, Mapping) else None
        if not isinstance(count, int) or isinstance(count, bool) or count < 0:
            return None
        if session is not None:
            self._hear(session, count)
        return count

    def _hear(self, session: str, count: int) -> None:
        """Calls that a model makes side by side all say the same count; what some of them have returned is added to it."""
        with self._lock:
            if self._heard.get(session) != count or session not in self._tokens:
                self._heard[session] = count
                self._remember(session, count)

    def _remember(self, session: str, tokens: int) -> None:
        self._tokens.pop(session, None)
        while len(self._tokens) >= _MOST_SESSIONS:
            oldest = next(iter(self._tokens))
            del self._tokens[oldest]
            self._heard.pop(oldest, None)
        self._tokens[session] = tokens

    def _is_counted(self) -> bool:
        """True if there is a context window; else nobody asks for sums."""
        if self._counts is None:
            self._counts = self._lro.settings.get("context_tokens") is not None
        return self._counts


def folder_of(name: str) -> str:
    """The folder of a conversation with a name of any kind: the same in each process, another one for each name, and nothing
    of the name itself, which may be a person's."""
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).digest()
    return base64.b32encode(digest[:10]).decode().lower()


def _lasting(ctx: Any) -> Any:
    """The connection of a request, if it is that of a whole conversation: the SDK makes one for each request of the
    stateless protocol, and of a stateless server over HTTP."""
    connection = getattr(ctx.session, "_connection", None)
    if connection is None:
        return None
    is_one = connection.session_id is not None if ctx.request is not None else ctx.protocol_version < _STATELESS
    return connection if is_one else None


def _end_all(lro: Lro, sessions: set[str], process: int) -> None:
    """The end of conversations that end with the process."""
    if os.getpid() != process:
        return
    for session in sessions:
        try:
            lro.cleanup(session=session, all=True)
        except LroError:
            return  # What stays expires.


def _random_name() -> str:
    return "".join(secrets.choice(_LETTERS) for _ in range(_LENGTH))


def _checked(name: object) -> str | None:
    if name is None or is_session_name(name):
        return name
    raise not_a_name("the option session is not a valid folder name")


def _bytes_of(block: dict[str, Any]) -> int:
    resource: Mapping[str, Any] = block.get("resource") or {}
    return _bytes(block.get("text")) + _bytes(resource.get("text"))


def _tokens_of(result: str) -> int:
    """What a model reads of a result: its texts, or its structured content where that is longer. Images do not count."""
    try:
        answer: Any = json.loads(result)
        content: list[Any] = answer.get("content") or []
        blocks = [cast(dict[str, Any], block) for block in content if isinstance(block, dict)]
    except (ValueError, AttributeError, TypeError):
        return 0
    texts = sum(_bytes_of(block) for block in blocks)
    structured = answer.get("structuredContent")
    longer = 0 if structured is None else _bytes(json.dumps(structured, ensure_ascii=False, separators=(",", ":")))
    return -(-max(texts, longer) // _BYTES_OF_A_TOKEN)


def _bytes(text: object) -> int:
    return len(text.encode("utf-8", "surrogatepass")) if isinstance(text, str) else 0
