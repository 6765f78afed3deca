"""Offloading for FastMCP servers:

    mcp = FastMCP("memories")
    mcp.add_middleware(LargeResultOffloading(output_dir="results"))
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, cast

from . import needs

_IS_OLD = needs.is_below("fastmcp", "4")
"""FastMCP 2 and 3 are on version 1 of the SDK, which never asks a client for more."""

with needs.package("lro.fastmcp", "fastmcp", "2.14" if _IS_OLD else "4.1"):
    from fastmcp.exceptions import ToolError
    from fastmcp.server.middleware import CallNext, Middleware, MiddlewareContext
    from fastmcp.tools import Tool

    if TYPE_CHECKING or not _IS_OLD:
        import mcp_types
        from fastmcp.tools.base import InputRequiredToolResult, ToolResult
        from mcp.server.context import ServerRequestContext
    else:
        import mcp.types as mcp_types
        from fastmcp.tools.tool import ToolResult

        InputRequiredToolResult = ()

from .mcp import client_of, is_proxy, remember_proxy
from .messages import Offloader
from .sessions import Conversation


_in_call: ContextVar[bool] = ContextVar("lro_in_call", default=False)
"""True while a tool runs. What it calls is for its code, as in code mode, and not for a model: code expects the rows."""


class LargeResultOffloading(Middleware):
    """A middleware that offloads the large results of all tools and offers the tools that read them."""

    def __init__(self, output_dir: str | None = None, **options: Any) -> None:
        """The options are those of `lro.messages.Offloader`, settings among them."""
        self.offloader = Offloader(output_dir, **options)

    async def on_initialize(
        self,
        context: MiddlewareContext[mcp_types.InitializeRequest],
        call_next: CallNext[mcp_types.InitializeRequest, mcp_types.InitializeResult | None],
    ) -> mcp_types.InitializeResult | None:
        """Notes whether the client offloads by itself."""
        request = _request(context)
        if request is not None:
            remember_proxy(request)
        return await call_next(context)

    async def on_list_tools(
        self,
        context: MiddlewareContext[mcp_types.ListToolsRequest],
        call_next: CallNext[mcp_types.ListToolsRequest, Sequence[Tool]],
    ) -> Sequence[Tool]:
        """Adds our tools, and removes output schemas that a response would not follow."""
        tools = await call_next(context)
        if await self._leaves_alone(context):
            return tools
        if _in_call.get():
            return [*tools, *(_adapted(None, ours) for ours in await self.offloader.tools())]
        listed = mcp_types.ListToolsResult(tools=[tool.to_mcp_tool(name=tool.name) for tool in tools])
        text = listed.model_dump_json(by_alias=True, exclude_none=True)
        request = _request(context)
        conversation = Conversation() if request is None else self.offloader.sessions.conversation(request)
        rewritten = await self.offloader.offload_tools(text, conversation, None if request is None else client_of(request))
        if rewritten is None:
            return tools
        known = {tool.name: tool for tool in tools}
        return [_adapted(known.get(entry["name"]), entry) for entry in json.loads(rewritten)["tools"]]

    async def on_call_tool(
        self,
        context: MiddlewareContext[mcp_types.CallToolRequestParams],
        call_next: CallNext[mcp_types.CallToolRequestParams, ToolResult],
    ) -> ToolResult:
        """Executes the calls of our tools, and offloads the results of others."""
        if await self._leaves_alone(context):
            return await call_next(context)
        tool, arguments = context.message.name, context.message.arguments
        request = _request(context)
        conversation = Conversation() if request is None else self.offloader.sessions.conversation(request)
        if tool in await self.offloader.names():
            return _result(await self.offloader.answer(tool, arguments, conversation))
        if _in_call.get():
            return await call_next(context)
        client = None if request is None else client_of(request)
        given, refused = await self.offloader.resolve_arguments(tool, arguments, conversation, client)
        if refused is not None:
            return _result(refused)
        if given is not arguments:
            context = context.copy(message=context.message.model_copy(update={"arguments": given}))
        outer = _in_call.set(True)
        try:
            result = await call_next(context)
        finally:
            _in_call.reset(outer)
        if isinstance(result, InputRequiredToolResult):
            return result
        replaced = await self.offloader.offload_result(tool, arguments, _text(result), conversation, client)
        return result if replaced is None else _result(replaced)

    async def _leaves_alone(self, context: MiddlewareContext[Any]) -> bool:
        request = _request(context)
        if request is None:
            return False
        return await self.offloader.leaves_alone(is_proxy=is_proxy(request), over_http=request.request is not None)


def _request(context: MiddlewareContext[Any]) -> ServerRequestContext[Any, Any] | None:
    """The SDK's context of this message, with its parameters as they came; `None` for a call from inside of the server."""
    request: Any = context.fastmcp_context and context.fastmcp_context.request_context
    if _IS_OLD and request is not None:
        from . import sdk1

        return cast("Any", sdk1.request_of(context.method or "", None, request, remember_proxy))
    # FastMCP's own context lacks the parameters, and with them what a client says about itself.
    return getattr(request, "_srctx", None)


def _text(result: ToolResult) -> str:
    """A result as the text of the CallToolResult that it would be."""
    converted = result.to_mcp_result()
    if isinstance(converted, tuple):
        content, structured = converted
        converted = mcp_types.CallToolResult.model_validate({"content": content, "structuredContent": structured})
    elif isinstance(converted, list):
        converted = mcp_types.CallToolResult(content=converted)
    return converted.model_dump_json(by_alias=True, exclude_none=True)


def _result(text: str) -> ToolResult:
    result: Any = mcp_types.CallToolResult.model_validate_json(text)
    if not _IS_OLD:
        return ToolResult.from_mcp_result(result)
    if result.isError:
        raise ToolError(result.content[0].text)
    return ToolResult(result.content, result.structuredContent, result.meta)


def _adapted(tool: Tool | None, entry: dict[str, Any]) -> Tool:
    """A tool of the server as the component wants it listed, or one of ours."""
    if tool is None:
        return Tool(
            name=entry["name"],
            title=entry.get("title"),
            description=entry.get("description"),
            parameters=entry["inputSchema"],
            output_schema=entry.get("outputSchema"),
            annotations=entry.get("annotations"),
            meta=entry.get("_meta"),
        )
    return tool if "outputSchema" in entry else tool.model_copy(update={"output_schema": None})
