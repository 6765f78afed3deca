"""Offloading for agents of LangChain and deepagents:

    agent = create_agent(model, tools, middleware=[LargeResultOffloading()])
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, cast

from . import needs

with needs.package("lro.langchain", "langchain", "1.4"):
    from langchain.agents.middleware import AgentMiddleware, ModelRequest
    from langchain.tools.tool_node import ToolCallRequest
    from langchain_core.messages import AIMessage, ToolMessage
    from langchain_core.tools import BaseTool, StructuredTool
    from langgraph.types import Command

from .agents import AgentOffloader, Answer, Call, Parts, as_list, as_object
from .threads import off_the_loop

Result = ToolMessage | Command[Any]
"""What a tool gives: a message, or an update of the graph's state with messages in it; some give a list of both."""


class LargeResultOffloading(AgentMiddleware[Any, Any, Any]):
    """A middleware that offloads the large results of all tools and offers the tools that read them. `thread_id` names the
    conversation."""

    def __init__(self, output_dir: str | None = None, **options: Any) -> None:
        """The options are those of `lro.agents.AgentOffloader`, settings among them."""
        super().__init__()
        self.large = AgentOffloader(output_dir, knows_window=True, **options)
        self._window: int | None = None
        self.tools = [self._tool(definition) for definition in self.large.tools]

    def wrap_model_call(self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Any]) -> Any:
        """Notes the context window of the model, which a call of a tool does not tell."""
        self._window = (request.model.profile or {}).get("max_input_tokens")
        return handler(request)

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[Any]]
    ) -> Any:
        """As `wrap_model_call`."""
        return await self.wrap_model_call(request, handler)

    def wrap_tool_call(self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Result]) -> Result:
        """Answers a call of our tools, and offloads the results of others."""
        name, arguments = request.tool_call["name"], request.tool_call["args"]
        if self.large.is_ours(name):
            return _answered(request, self.large.call(name, arguments, self._call(request)))
        returned: list[Any] = []
        result = handler(request.override(tool=_telling(request.tool, returned)))
        return self._offloaded(request, result, returned)

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[Result]]
    ) -> Result:
        """As `wrap_tool_call`."""
        name, arguments = request.tool_call["name"], request.tool_call["args"]
        if self.large.is_ours(name):
            return _answered(request, await self.large.acall(name, arguments, self._call(request)))
        returned: list[Any] = []
        result = await handler(request.override(tool=_telling(request.tool, returned)))
        return await off_the_loop("writing", self._offloaded, request, result, returned)

    def _offloaded(self, request: ToolCallRequest, result: Result, returned: list[Any]) -> Result:
        name, arguments = request.tool_call["name"], request.tool_call["args"]
        texts: dict[int, str | None] = {}
        for message in _messages(result):
            call = self._call(request, is_error=message.status == "error")
            texts[id(message)] = self.large.offload_result(name, arguments, _shown(message, returned), call)
        return _replaced(result, texts) if any(texts.values()) else result

    def _call(self, request: ToolCallRequest, is_error: bool = False) -> Call:
        config: Mapping[str, Any] = cast(Any, request).runtime.config.get("configurable") or {}
        thread = config.get("thread_id")
        conversation = None if thread is None else str(thread)
        return Call(conversation, request, _tokens(request.state), self._window, is_error)

    def _tool(self, definition: Mapping[str, Any]) -> BaseTool:
        name, schema = definition["name"], definition["inputSchema"]

        # The middleware answers first: only it knows the conversation.
        def call(**arguments: Any) -> str:
            return self.large.call(name, arguments).text

        return StructuredTool(name=name, description=definition["description"], args_schema=schema, func=call)


def _tokens(state: Any) -> int | None:
    """The tokens of the conversation up to the model's last answer, as that counts them."""
    messages = as_list((as_object(state) or {}).get("messages")) or []
    said = (message.usage_metadata for message in reversed(messages) if isinstance(message, AIMessage))
    return next((usage["total_tokens"] for usage in said if usage), None)


def _messages(result: Any) -> list[ToolMessage]:
    """The messages of a tool, also where it updates the state of the graph itself."""
    if isinstance(result, ToolMessage):
        return [result]
    update = _update(result)
    return [message for one in as_list(update.get("messages") if update else result) or [] for message in _messages(one)]


def _replaced(result: Any, texts: Mapping[int, str | None]) -> Any:
    """The same with the texts in place of the contents of its messages."""
    results, update = as_list(result), _update(result)
    if results is not None:
        return [_replaced(one, texts) for one in results]
    if update and _messages(result):
        return dataclasses.replace(result, update={**update, "messages": _replaced(update["messages"], texts)})
    text = texts.get(id(result))
    return result if text is None else result.model_copy(update={"content": _content(result.content, text)})


def _content(content: Any, text: str) -> Any:
    others = Parts.of(as_list(content) or ()).others
    return [{"type": "text", "text": text}, *others] if others else text


def _update(result: Any) -> dict[str, Any] | None:
    """What a command changes in the state, if it says so by the names of its keys."""
    return as_object(cast(Any, result).update) if isinstance(result, Command) else None


def _shown(message: ToolMessage, returned: list[Any]) -> Any:
    """What a message shows. Of objects without a JSON form that is their `repr`, so the objects take its place."""
    content: Any = cast(Any, message).content
    blocks = as_list(content)
    if blocks is not None:
        return Parts.of(blocks)
    return next((value for value in returned if not isinstance(value, str) and content == str(value)), content)


def _telling(tool: BaseTool | None, returned: list[Any]) -> Any:
    """The same tool, which also tells what its function has returned, and what of that is for the model."""
    if not isinstance(tool, StructuredTool):
        return tool
    function, coroutine = tool.func, tool.coroutine

    def note(result: Any) -> Any:
        returned.extend(_for_model(result))
        return result

    async def awaited(*arguments: Any, **named: Any) -> Any:
        return note(await coroutine(*arguments, **named)) if coroutine else None

    def told(*arguments: Any, **named: Any) -> Any:
        return note(function(*arguments, **named)) if function else None

    func = functools.wraps(function)(told) if function else None
    return tool.model_copy(update={"func": func, "coroutine": functools.wraps(coroutine)(awaited) if coroutine else None})


def _for_model(result: Any) -> list[Any]:
    """What of a function's result may be for the model: all of it, or what comes before an artifact."""
    return [result, *cast("tuple[Any, ...]", result)[:1]] if isinstance(result, tuple) else [result]


def _answered(request: ToolCallRequest, answer: Answer) -> ToolMessage:
    return ToolMessage(
        answer.text,
        tool_call_id=request.tool_call["id"],
        name=request.tool_call["name"],
        status="error" if answer.is_error else "success",
    )
