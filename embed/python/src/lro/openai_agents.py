"""Offloading for agents of the OpenAI Agents SDK:

    agent = lro.openai_agents.offload(Agent(name="helper", tools=tools, mcp_servers=servers))
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from typing import Any

from . import needs

with needs.package("lro.openai_agents", "openai-agents", "0.24"):
    from agents import (
        Agent,
        FunctionTool,
        RunContextWrapper,
        ToolGuardrailFunctionOutput,
        ToolOutputGuardrail,
        ToolOutputGuardrailData,
    )
    from agents.tool_context import ToolContext

from .agents import AgentOffloader, Call, Parts, as_list, as_object, member


def offload(agent: Agent[Any], output_dir: str | None = None, **options: Any) -> Agent[Any]:
    """Returns the agent with the tools that read large results, and with all of its tools offloading theirs. Agents that
    hand a conversation over to each other share one `LargeResultOffloading`."""
    return LargeResultOffloading(output_dir, **options).offload(agent)


class LargeResultOffloading:
    """The offloading of one or more agents. `RunConfig.group_id` names the conversation."""

    def __init__(self, output_dir: str | None = None, **options: Any) -> None:
        """The options are those of `lro.agents.AgentOffloader`, settings among them."""
        self.large = AgentOffloader(output_dir, **options)
        self._tools = [self._tool(definition) for definition in self.large.tools]
        self._guardrail = ToolOutputGuardrail[Any](self._guard, name="lro")

    def offload(self, agent: Agent[Any]) -> Agent[Any]:
        """As the function `offload`, with the same files for all agents."""
        for server in agent.mcp_servers:
            guardrails = server.tool_output_guardrails or []
            if self._guardrail not in guardrails:
                server.tool_output_guardrails = [*guardrails, self._guardrail]
        return agent.clone(tools=[*(self._guarded(tool) for tool in agent.tools), *self._tools])

    def _guarded(self, tool: Any) -> Any:
        if not isinstance(tool, FunctionTool):
            return tool
        return dataclasses.replace(tool, tool_output_guardrails=[*(tool.tool_output_guardrails or []), self._guardrail])

    async def _guard(self, data: ToolOutputGuardrailData) -> ToolGuardrailFunctionOutput:
        # A server of MCP may have several agents, of which only some have our tools, or have others.
        if not any(tool is ours for tool in data.agent.tools for ours in self._tools):
            return ToolGuardrailFunctionOutput.allow()
        shown = _shown(data.output)
        name, arguments = data.context.tool_name, _arguments(data.context.tool_arguments)
        text = await self.large.aoffload_result(name, arguments, shown, _call(data.context))
        return ToolGuardrailFunctionOutput.allow() if text is None else ToolGuardrailFunctionOutput.reject_content(text)

    def _tool(self, definition: Mapping[str, Any]) -> FunctionTool:
        name: str = definition["name"]

        async def call(context: ToolContext[Any], arguments: str) -> str:
            return (await self.large.acall(name, _arguments(arguments), _call(context))).text

        schema: dict[str, Any] = definition["inputSchema"]
        return FunctionTool(name, definition["description"], schema, call, strict_json_schema=False)


def _call(context: RunContextWrapper[Any]) -> Call:
    config = context.run_config if isinstance(context, ToolContext) else None
    requests = context.usage.request_usage_entries
    tokens = requests[-1].input_tokens + requests[-1].output_tokens if requests else None
    return Call(None if config is None else config.group_id, context, tokens)


def _shown(output: Any) -> Any:
    """A result in parts if it is one block of content or a list of them, else the object itself."""
    blocks = [output] if (listed := as_list(output)) is None else listed
    is_content = blocks and all(member(block, "type") in ("text", "image", "file") for block in blocks)
    return Parts.of(blocks) if is_content else output


def _arguments(text: str) -> Mapping[str, Any]:
    return as_object(json.loads(text or "{}")) or {}
