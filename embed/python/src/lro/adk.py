"""Offloading for agents of Google's ADK:

    runner = Runner(agent=agent, plugins=[LargeResultOffloading()], …)
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from . import needs

with needs.package("lro.adk", "google-adk", "2.13"):
    from google.adk.agents.callback_context import CallbackContext
    from google.adk.models.llm_request import LlmRequest
    from google.adk.plugins.base_plugin import BasePlugin
    from google.adk.tools.base_tool import BaseTool
    from google.adk.tools.tool_context import ToolContext
    from google.genai import types

from .agents import AgentOffloader, Call, as_list, as_object
from .payload import text_of


class LargeResultOffloading(BasePlugin):
    """A plugin that offloads the large results of all tools of all agents and offers the tools that read them. The session
    names the conversation."""

    def __init__(self, output_dir: str | None = None, *, name: str = "lro", **options: Any) -> None:
        """The options are those of `lro.agents.AgentOffloader`, settings among them."""
        super().__init__(name)
        self.large = AgentOffloader(output_dir, **options)
        self._tools: list[BaseTool] = [_Ours(self.large, definition) for definition in self.large.tools]

    async def before_model_callback(self, *, callback_context: CallbackContext, llm_request: LlmRequest) -> None:
        """Adds our tools to those that the model gets, if it gets any."""
        if llm_request.tools_dict:
            llm_request.append_tools([tool for tool in self._tools if tool.name not in llm_request.tools_dict])

    async def after_tool_callback(
        self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: ToolContext, result: Any
    ) -> dict[str, Any] | None:
        """Offloads a result; a tool of MCP returns its CallToolResult, and gets one back."""
        if isinstance(tool, _Ours):
            return None
        call = _call(tool_context, is_error="error" in (as_object(result) or {}))
        if _is_message(result):
            message = await self.large.aoffload_message(tool.name, tool_args, text_of(result), call)
            return None if message is None else json.loads(message)
        text = await self.large.aoffload_result(tool.name, tool_args, _shown(result), call)
        return None if text is None else _object(text)


class _Ours(BaseTool):
    """One of our tools."""

    def __init__(self, large: AgentOffloader, definition: Mapping[str, Any]) -> None:
        super().__init__(name=definition["name"], description=definition["description"])
        self._large = large
        self._schema = definition["inputSchema"]

    def _get_declaration(self) -> types.FunctionDeclaration:
        return types.FunctionDeclaration(
            name=self.name, description=self.description, parameters_json_schema=self._schema
        )

    async def run_async(self, *, args: dict[str, Any], tool_context: ToolContext) -> dict[str, Any]:
        answer = await self._large.acall(self.name, args, _call(tool_context))
        return {"error" if answer.is_error else "result": answer.text}


def _call(context: ToolContext, is_error: bool = False) -> Call:
    session = context.session
    usages = (event.usage_metadata for event in reversed(session.events))
    tokens = next((usage.total_token_count for usage in usages if usage and usage.total_token_count), None)
    conversation = json.dumps([session.app_name, session.user_id, session.id])
    return Call(conversation, context, tokens, is_error=is_error)


def _is_message(result: Any) -> bool:
    """True for the result of a tool of MCP."""
    blocks = as_list((as_object(result) or {}).get("content"))
    return blocks is not None and all("type" in (as_object(block) or {}) for block in blocks)


def _shown(result: Any) -> Any:
    """The value of a tool that the framework has put into an object."""
    value = as_object(result)
    return value["result"] if value is not None and list(value) == ["result"] else result


def _object(text: str) -> dict[str, Any]:
    """A replacement as the object that a result has to be."""
    try:
        value = as_object(json.loads(text))
    except ValueError:
        value = None
    return {"result": text} if value is None else value
