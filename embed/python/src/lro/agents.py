"""Offloading for agents: the object that the adapters of frameworks share, and that a program without one uses itself.

    large = AgentOffloader()
    large.tools                                    # our tools for the model: name, description, inputSchema
    large.offload_result("search", {"q": 1}, rows) # the text that the model gets instead, or None: the result stays
    large.call("lro_extract", arguments).text      # the answer to a call of ours
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self, cast

from .checked import shown
from .errors import InvalidArgument, IoFailure, LroError, Unusable
from .failures import failure_event
from .messages import Offloader, json_of
from .payload import text_of
from .sessions import Conversation
from .threads import off_the_loop

MODEL = "model"
"""The setting `context_tokens` for the window of the model that calls, as far as its framework knows it."""

_NOT_TEXT = {"type": "image", "data": "", "mimeType": "image/png"}
"""Stands for everything that is not text: the component never looks into it, and no text beside it is offloaded."""


@dataclass(frozen=True, slots=True)
class Call:
    """What a framework knows of a call of a tool."""

    conversation: str | None = None
    """The framework's name of the conversation. Its files are in a folder of their own, also in another process."""
    context: Any = None
    """What the option `session` gets if it is a function: the framework's own context."""
    input_tokens: int | None = None
    """Tokens that the model has read so far, as its last answer counted them."""
    context_tokens: int | None = None
    """The model's context window, which is used with `context_tokens="model"`."""
    is_error: bool = False
    """True if the tool failed: its result is not offloaded."""


@dataclass(frozen=True, slots=True)
class Parts:
    """A result in parts, as a model sees them."""

    texts: Sequence[str]
    others: Sequence[Any] = field(default=())
    """Images and everything else that is not text: it stays."""

    @classmethod
    def of(cls, blocks: Iterable[Any]) -> Self:
        """Parts from content blocks: texts, and dicts or objects with `type` and `text`."""
        texts: list[str] = []
        others: list[Any] = []
        for block in blocks:
            text = block if isinstance(block, str) else member(block, "text") if member(block, "type") == "text" else None
            texts.append(text) if isinstance(text, str) else others.append(block)
        return cls(texts, others)


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a call of one of our tools."""

    text: str
    is_error: bool


_UNKNOWN = Call()


class AgentOffloader:
    """Offloads the results of an agent's tools and answers the calls of ours. Threads and agents may share one."""

    def __init__(
        self,
        output_dir: str | None = None,
        *,
        context_tokens: int | str | None = None,
        knows_window: bool = False,
        **options: Any,
    ) -> None:
        """The options are those of `lro.messages.Offloader`, settings among them. `context_tokens`: the context window, or
        "model" where calls tell it (`knows_window`). `session`: the folder of all conversations, or a function that names
        that of a call from the framework's context; by default each conversation has one of its own, by the name that the
        framework has for it, and those without a name have one together."""
        self._asks_window = context_tokens == MODEL
        if self._asks_window and not knows_window:
            message = 'context_tokens is "model", but this framework does not know the window of its model'
            raise InvalidArgument(message, "give its number of tokens")
        if context_tokens is not None and not self._asks_window:
            options["context_tokens"] = context_tokens
        self.offloader = Offloader(output_dir, **options)
        self._tools: list[dict[str, Any]] | None = None
        self._is_off = False
        if self._asks_window:
            self.offloader.sessions.count()

    @property
    def tools(self) -> list[dict[str, Any]]:
        """Our tools, as MCP has them: `name`, `description`, `inputSchema`. None where this machine refuses the component or
        its directory: an agent does not end for that, and goes on without offloading."""
        self.offloader.start()
        if self._tools is None:
            try:
                self._tools = json.loads(self.offloader.lro.mcp_tools())
            except (IoFailure, Unusable) as error:
                self.offloader.tell_unavailable(error)
                # For good: a model that was given no tools could not read what is offloaded later.
                self._tools, self._is_off = [], True
        return self._tools or []

    def is_ours(self, tool: str) -> bool:
        """True for the name of one of our tools."""
        return any(tool == ours["name"] for ours in self.tools)

    def call(self, name: str, arguments: Mapping[str, Any] | str | None, call: Call = _UNKNOWN) -> Answer:
        """Answers a call of one of our tools. The arguments are an object or its JSON text, and a mistake in them is an answer
        too."""
        of = self._conversation(call)
        try:
            lro = self.offloader.lro.for_call(**self.offloader.sessions.call(of))
            message = lro.mcp_call(name, _asked(arguments))
        except LroError as error:
            return Answer("\n".join(filter(None, (error.message, error.hint))), True)
        self.offloader.sessions.passed(of, message)
        return Answer(_text(message), json.loads(message).get("isError") is True)

    async def acall(self, name: str, arguments: Mapping[str, Any] | str | None, call: Call = _UNKNOWN) -> Answer:
        """As `call`, off the event loop."""
        return await off_the_loop("reading", self.call, name, arguments, call)

    def offload_result(
        self, tool: str, arguments: Mapping[str, Any] | None, result: Any, call: Call = _UNKNOWN
    ) -> str | None:
        """Returns the text that a model gets instead of a tool's result (of its texts, if it is `Parts`), or `None` if it
        stays as it is. Objects are offloaded as their JSON; what has none stays."""
        if self.is_ours(tool) or self._is_off:
            return None
        try:
            texts = result.texts if isinstance(result, Parts) else (text_of(result),)
        except LroError as error:
            self.offloader.on_event(failure_event(error))
            return None
        content = [{"type": "text", "text": text} for text in texts]
        others = [_NOT_TEXT] if isinstance(result, Parts) and result.others else []
        message = {"content": [*content, *others], **({"isError": True} if call.is_error else {})}
        replaced = self.offload_message(tool, arguments, text_of(message), call) if content else None
        return None if replaced is None else _text(replaced)

    async def aoffload_result(
        self, tool: str, arguments: Mapping[str, Any] | None, result: Any, call: Call = _UNKNOWN
    ) -> str | None:
        """As `offload_result`, off the event loop."""
        return await off_the_loop("writing", self.offload_result, tool, arguments, result, call)

    def offload_message(
        self, tool: str, arguments: Mapping[str, Any] | None, message: str, call: Call = _UNKNOWN
    ) -> str | None:
        """As `offload_result`, for the text of a CallToolResult."""
        if self.is_ours(tool) or self._is_off:
            return None
        of = self._conversation(call)
        try:
            done = self.offloader.for_call(tool, of).mcp_offload_result(tool, _known(arguments), message)
        except LroError as error:
            self.offloader.on_event(failure_event(error))
            return None
        return self.offloader.passed_on(done, message, of)

    async def aoffload_message(
        self, tool: str, arguments: Mapping[str, Any] | None, message: str, call: Call = _UNKNOWN
    ) -> str | None:
        """As `offload_message`, off the event loop."""
        return await off_the_loop("writing", self.offload_message, tool, arguments, message, call)

    def _conversation(self, call: Call) -> Conversation:
        window = call.context_tokens if self._asks_window else None
        return self.offloader.sessions.named(call.conversation, call.context, call.input_tokens, window)


def _asked(arguments: Any) -> str:
    """The arguments of a call of ours as a JSON text."""
    try:
        given: Any = json.loads(arguments) if isinstance(arguments, (str, bytes)) else arguments
        if given is None or isinstance(given, Mapping):
            return arguments if isinstance(arguments, str) and given is not None else json_of(cast("Mapping[str, Any] | None", given))
    except (ValueError, TypeError, RecursionError) as error:
        raise InvalidArgument(f"cannot read the arguments of the call: {error}", "pass an object of JSON") from error
    raise InvalidArgument(f"the arguments of a call are an object of JSON, not {shown(given)}", "pass an object of JSON")


def _known(arguments: Any) -> str:
    """The arguments of a call of another tool as a JSON text. What a response says of them is not worth a result."""
    try:
        return json_of(arguments)
    except (ValueError, TypeError, RecursionError):
        return "{}"


def as_list(value: Any) -> list[Any] | None:
    """A value that a framework gives without its type, if it is a list."""
    return cast("list[Any]", value) if isinstance(value, list) else None


def as_object(value: Any) -> dict[str, Any] | None:
    """A value that a framework gives without its type, if it is an object of JSON."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else None


def member(block: Any, key: str) -> Any:
    """A member of a block of content, which is an object of JSON or of the framework."""
    mapping = as_object(block)
    return getattr(block, key, None) if mapping is None else mapping.get(key)


def _text(message: str) -> str:
    """The texts of a CallToolResult, as a model reads them."""
    return "\n".join(block["text"] for block in json.loads(message)["content"] if block["type"] == "text")
