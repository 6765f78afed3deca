"""`lro.claude` with the Claude Agent SDK and its real client, whose model is a script behind an API on loopback."""

import dataclasses
import inspect
import json
import re
import tempfile
import unittest
import uuid
from pathlib import Path
from typing import Any

from claude_agent_sdk import ClaudeAgentOptions, ResultMessage, create_sdk_mcp_server, query, tool
from model_api import ModelApi, call, results, text
from promises import ENVIRONMENT, PIXEL, TITLE, Promises, Script, path_of, read

import lro.claude
import real_tools


REMINDER = re.compile(r"\s*<system-reminder>.*?</system-reminder>", re.DOTALL)
PICTURE = re.compile(r"\S*/tool-results/[^\s\]]+")


def plain(value: Any) -> Any:
    """A tool of the SDK gives text, so it makes JSON itself."""
    if isinstance(value, list):
        return [plain(one) for one in value]
    if isinstance(value, real_tools.Memory):
        return value.model_dump()
    return dataclasses.asdict(value) if dataclasses.is_dataclass(value) and not isinstance(value, type) else value


def made(function: Any) -> Any:
    async def run(arguments: dict[str, Any]) -> dict[str, Any]:
        value = function(**arguments)
        value = plain(await value if inspect.isawaitable(value) else value)
        if isinstance(value, dict) and "content" in value:
            return value
        return {"content": [{"type": "text", "text": value if isinstance(value, str) else json.dumps(value)}]}

    schema = {name: int for name in inspect.signature(function).parameters}
    return tool(function.__name__, function.__doc__, schema)(run)


def text_of(content: Any) -> str:
    """A result without the reminders that the client adds, and without the name that it gives to a picture."""
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    texts = [REMINDER.sub("", one["text"] if one["type"] == "text" else json.dumps(one)) for one in blocks]
    return " and ".join(PICTURE.sub("the picture", one) for one in texts if one)


class Claude(Promises, unittest.IsolatedAsyncioTestCase):
    knows_tokens = False

    def setUp(self) -> None:
        super().setUp()
        home = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.addCleanup(home.cleanup)
        self.home = home.name
        self.known: set[str] = set()

    def name(self, number: int) -> str:
        return str(uuid.UUID(int=number))

    def adapter(self, **options: Any) -> Any:
        return lro.claude.LargeResultOffloading(str(self.output), **options)

    def api(self, script: Script) -> ModelApi:
        def turn(body: dict[str, Any]) -> list[dict[str, Any]]:
            offered = {name.rpartition("__")[2]: name for name in (tool["name"] for tool in body["tools"])}
            seen = [text_of(result["content"]) for result in results(body)]
            calls = script.next(list(offered), seen)
            return [
                call(f"toolu_{uuid.uuid4().hex}", offered.get(name, name), arguments) for name, arguments in calls
            ] or [text("done")]

        return ModelApi(turn)

    def options(self, api: ModelApi, **more: Any) -> ClaudeAgentOptions:
        environment = {
            "ANTHROPIC_BASE_URL": api.url,
            "ANTHROPIC_API_KEY": "nothing",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "CLAUDE_CONFIG_DIR": self.home,
            "HOME": self.home,
        }
        given: Any = {"cwd": self.home, "env": environment, "setting_sources": [], "model": "claude-sonnet-4-6"}
        return ClaudeAgentOptions(**given, permission_mode="bypassPermissions", **more)

    async def converse(self, script, tools, *, adapter=None, conversation=None, stream=False, servers=()):
        given: dict[str, Any] = {}
        if tools:
            given["data"] = {**create_sdk_mcp_server("data", tools=[made(one) for one in tools]), "alwaysLoad": True}
        for at, (command, *arguments) in enumerate(servers):
            server = {"type": "stdio", "command": command, "args": arguments, "env": ENVIRONMENT, "alwaysLoad": True}
            given[f"server{at}"] = server
        named: Any = {} if conversation is None else {"session_id": conversation}
        if conversation in self.known:
            named = {"resume": conversation}
        elif conversation:
            self.known.add(conversation)
        # Only root needs to say that it is in a sandbox.
        with self.api(script) as api:
            options = self.options(api, mcp_servers=given, include_partial_messages=stream, **named)
            options.env["IS_SANDBOX"] = "1"
            options = adapter.offload(options) if adapter else options
            messages = [message async for message in query(prompt="go", options=options)]
        [result] = [message for message in messages if isinstance(message, ResultMessage)]
        self.assertFalse(result.is_error, result)

    def picture(self):
        def picture() -> dict[str, Any]:
            """Returns a picture."""
            image = {"type": "image", "data": PIXEL, "mimeType": "image/png"}
            return {"content": [{"type": "text", "text": "a pixel"}, image]}

        return picture

    async def test_a_result_that_the_client_would_have_put_into_a_file(self):
        """Above 25,000 tokens of MCP and 30,000 characters of a shell the client cuts."""
        fixture = real_tools.FIXTURES / "mif-memories.json"
        shell = ("Bash", {"command": f"cat '{fixture}'", "description": "prints the memories"})
        script = Script([("memories", {}), shell], lambda seen: [*read(TITLE)(seen), *read(TITLE)(seen[1:])])
        await self.converse(script, [real_tools.memories], adapter=self.adapter())
        self.holds(script, 3)
        for seen in script.seen[2]:
            self.assertEqual(json.loads(seen)["results"], ["Architecture Decision Records"])
        self.assertGreater(fixture.stat().st_size, 1_500_000)
        self.assertEqual(len({path_of(seen) for seen in script.seen[1]}), 2)

    async def test_one_line_keeps_what_the_options_have(self):
        async def hook(*_: Any) -> Any:
            return {}

        from claude_agent_sdk import HookMatcher

        theirs = HookMatcher("Bash", [hook])
        options = ClaudeAgentOptions(
            hooks={"PostToolUse": [theirs]}, env={"A": "b"}, allowed_tools=["Bash"], mcp_servers={"data": {"command": "x"}}
        )
        complete = lro.claude.offload(options, str(self.output))
        self.assertIs((complete.hooks or {})["PostToolUse"][0], theirs)
        self.assertEqual(complete.env["A"], "b")
        self.assertEqual(complete.allowed_tools[0], "Bash")
        self.assertEqual(set(dict(complete.mcp_servers)), {"data", "lro"})  # type: ignore[arg-type]
        self.assertEqual(options.allowed_tools, ["Bash"])
        with self.assertRaisesRegex(lro.InvalidArgument, "names a file"):
            lro.claude.offload(ClaudeAgentOptions(mcp_servers=Path("servers.json")), str(self.output))
