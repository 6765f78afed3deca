"""Offloading for agents of pydantic-ai:

    agent = Agent(model, tools=tools, capabilities=[LargeResultOffloading()])
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, cast

from . import needs

with needs.package("lro.pydantic_ai", "pydantic-ai-slim", "2.68"):
    from pydantic_ai import FunctionToolset, RunContext, Tool, ToolDefinition, ToolReturn
    from pydantic_ai.capabilities import AbstractCapability
    from pydantic_ai.messages import ModelResponse, ToolCallPart, ToolReturnPart

from .agents import AgentOffloader, Call, Parts


class LargeResultOffloading(AbstractCapability[Any]):
    """A capability that offloads the large results of all tools and offers the tools that read them. `conversation_id` names
    the conversation."""

    def __init__(self, output_dir: str | None = None, **options: Any) -> None:
        """The options are those of `lro.agents.AgentOffloader`, settings among them."""
        self.large = AgentOffloader(output_dir, knows_window=True, **options)

    @classmethod
    def get_serialization_name(cls) -> str | None:
        """It is not made from a file."""
        return None

    def get_toolset(self) -> FunctionToolset[Any]:
        """Our tools."""
        return FunctionToolset([self._tool(definition) for definition in self.large.tools])

    async def after_tool_execute(
        self, ctx: RunContext[Any], *, call: ToolCallPart, tool_def: ToolDefinition, args: dict[str, Any], result: Any
    ) -> Any:
        """Offloads a result, in the form in which the model would see it."""
        value = cast(Any, result).return_value if isinstance(result, ToolReturn) else result
        shown = ToolReturnPart(call.tool_name, value, call.tool_call_id)
        parts = Parts([shown.model_response_str()], shown.files)
        text = await self.large.aoffload_result(call.tool_name, args, parts, _call(ctx))
        if text is None:
            return cast(Any, result)
        replaced: Any = [text, *shown.files] if shown.files else text
        return dataclasses.replace(cast(Any, result), return_value=replaced) if isinstance(result, ToolReturn) else replaced

    def _tool(self, definition: Mapping[str, Any]) -> Tool[Any]:
        name: str = definition["name"]

        async def call(ctx: RunContext[Any], **arguments: Any) -> str:
            # A mistake is not a retry of the framework: two of those end the run.
            return (await self.large.acall(name, arguments, _call(ctx))).text

        return Tool[Any].from_schema(call, name, definition["description"], definition["inputSchema"], takes_ctx=True)


def _call(ctx: RunContext[Any]) -> Call:
    responses = (message for message in reversed(ctx.messages) if isinstance(message, ModelResponse))
    usage = next((response.usage for response in responses if response.usage.input_tokens), None)
    tokens = None if usage is None else usage.input_tokens + usage.output_tokens
    return Call(ctx.conversation_id, ctx, tokens, ctx.model.context_window)
