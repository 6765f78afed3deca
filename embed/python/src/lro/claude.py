"""Offloading for agents of the Claude Agent SDK:

    options = lro.claude.offload(ClaudeAgentOptions(mcp_servers=servers))
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from . import needs

with needs.package("lro.claude", "claude-agent-sdk", "0.2.187"):
    from claude_agent_sdk import ClaudeAgentOptions, HookMatcher, SdkMcpTool, create_sdk_mcp_server

from .agents import AgentOffloader, Call, Parts, as_list, as_object
from .errors import InvalidArgument

_SERVER = "lro"
_PREFIX = f"mcp__{_SERVER}__"
"""How the client names the tools of our server."""

_WHOLE = {"MAX_MCP_OUTPUT_TOKENS": "100000000"}
"""Else the client keeps a result above 25,000 tokens, and a hook sees an error text in its place."""

_MOST_ASKED = 1000
"""Calls of our tools that hooks have seen and that have not come: somebody has refused them."""

_MOST_BYTES = 2**30
"""Of one message of the client, with a result in it that a hook sees. The SDK's own limit of 1 MiB ends the conversation."""


def offload(options: ClaudeAgentOptions | None = None, output_dir: str | None = None, **settings: Any) -> ClaudeAgentOptions:
    """Returns the options with the tools that read large results, and with hooks that offload those of MCP tools and of the
    shell. The other options are those of `lro.agents.AgentOffloader`, settings among them."""
    return LargeResultOffloading(output_dir, **settings).offload(ClaudeAgentOptions() if options is None else options)


class LargeResultOffloading:
    """The server and the hooks behind the function `offload`. `session_id` names the conversation."""

    def __init__(self, output_dir: str | None = None, **settings: Any) -> None:
        """As `offload`."""
        self.large = AgentOffloader(output_dir, **settings)
        tools = [self._tool(definition) for definition in self.large.tools]
        # Else the client hides them behind a search.
        self.server: Any = {**create_sdk_mcp_server(_SERVER, tools=tools), "alwaysLoad": True}
        self.hooks: dict[Any, HookMatcher] = {
            "PreToolUse": HookMatcher(f"{_PREFIX}.*", [self._before]),
            "PostToolUse": HookMatcher("Bash|mcp__.*", [self._after], timeout=120),
        }
        self._asked: dict[str, Any] = {}

    def offload(self, options: ClaudeAgentOptions) -> ClaudeAgentOptions:
        """As the function `offload`, with the same server and hooks for several options."""
        if not isinstance(options.mcp_servers, dict):
            raise InvalidArgument("`mcp_servers` names a file, so no server can be added", "give the servers as a dict")
        hooks: dict[Any, list[HookMatcher]] = dict(options.hooks or {})
        for event, matcher in self.hooks.items():
            hooks[event] = [*hooks.get(event, []), matcher]
        return dataclasses.replace(
            options,
            mcp_servers={**options.mcp_servers, _SERVER: self.server},
            hooks=hooks,
            allowed_tools=[*options.allowed_tools, *(f"{_PREFIX}{tool['name']}" for tool in self.large.tools)],
            env={**_WHOLE, **options.env},
            max_buffer_size=max(options.max_buffer_size or 0, _MOST_BYTES),
        )

    async def _before(self, given: Any, tool_use_id: str | None, context: Any) -> Any:
        """Notes which conversation a call of our tools belongs to: the call itself does not tell."""
        name = str(given["tool_name"]).removeprefix(_PREFIX)
        if len(self._asked) >= _MOST_ASKED:
            del self._asked[next(iter(self._asked))]
        self._asked[_key(name, given["tool_input"])] = given
        return {}

    async def _after(self, given: Any, tool_use_id: str | None, context: Any) -> Any:
        """Offloads a result, in the shape that its tool has."""
        tool, result = str(given["tool_name"]), given["tool_response"]
        if tool.startswith(_PREFIX):
            return {}
        text = await self.large.aoffload_result(tool, given["tool_input"], _shown(result), _call(given))
        if text is None:
            return {}
        return {"hookSpecificOutput": {"hookEventName": "PostToolUse", "updatedToolOutput": _shaped(result, text)}}

    def _tool(self, definition: Mapping[str, Any]) -> SdkMcpTool[Any]:
        name: str = definition["name"]

        async def call(arguments: dict[str, Any]) -> dict[str, Any]:
            given = self._asked.pop(_key(name, arguments), None)
            answer = await self.large.acall(name, arguments, _call(given) if given else Call())
            return {"content": [{"type": "text", "text": answer.text}], "is_error": answer.is_error}

        return SdkMcpTool(name, definition["description"], definition["inputSchema"], call)


def _call(given: Any) -> Call:
    return Call(given["session_id"], given)


def _key(name: str, arguments: Any) -> str:
    return json.dumps([name, arguments], sort_keys=True)


def _shown(result: Any) -> Any:
    """What a model sees of a result: the blocks of MCP, or the output of a command, which is in a file if it is long."""
    blocks, command = as_list(result), as_object(result)
    if blocks is not None:
        return Parts.of(blocks)
    if command is None:
        return result
    saved = command.get("persistedOutputPath")
    try:
        output = Path(saved).read_text("utf-8", "backslashreplace") if saved else str(command.get("stdout", ""))
    except OSError:
        return Parts([])
    is_left = command.get("interrupted") or command.get("isImage")
    return Parts([output], [command] if is_left else [])


def _shaped(result: Any, text: str) -> Any:
    """A replacement in the shape of the result."""
    blocks, command = as_list(result), as_object(result)
    if blocks is not None:
        return [{"type": "text", "text": text}, *Parts.of(blocks).others]
    if command is None:
        return text
    return {**{key: value for key, value in command.items() if not key.startswith("persistedOutput")}, "stdout": text}
