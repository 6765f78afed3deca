"""`lro.adk` with the runner of Google's ADK."""

import json
import unittest
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack
from typing import Any

from google.adk.agents import LlmAgent
from google.adk.agents.run_config import RunConfig, StreamingMode
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.adk.tools.mcp_tool import McpToolset, StdioConnectionParams
from google.genai import types
from mcp import StdioServerParameters
from promises import ENVIRONMENT, PIXEL, TITLE, Promises, Script, read

import lro.adk
import real_tools


class Played(BaseLlm):
    """A model that plays a script."""

    script: Any

    async def generate_content_async(self, llm_request: LlmRequest, stream: bool = False) -> AsyncGenerator[LlmResponse, None]:
        parts = llm_request.contents[-1].parts or []
        results = [text_of(part.function_response.response) for part in parts if part.function_response]
        given: Any = llm_request.config.tools or []
        offered = [tool.name for group in given for tool in group.function_declarations or []]
        calls = self.script.next(offered, results)
        called = [types.Part.from_function_call(name=name, args=arguments) for name, arguments in calls]
        content = types.Content(role="model", parts=called or [types.Part.from_text(text="done")])
        usage = types.GenerateContentResponseUsageMetadata(total_token_count=self.script.tokens)
        yield LlmResponse(content=content, usage_metadata=usage)


def text_of(response: Any) -> str:
    """What a model sees of a result: an object, the one text in it, or that of a tool of MCP."""
    content = response.get("content")
    if isinstance(content, list) and len(content) == 1:
        return content[0]["text"]
    only = list(response.values())[0] if response.keys() == {"result"} else response
    return only if isinstance(only, str) else json.dumps(only)


def missing() -> dict[str, str]:
    """Fails as a tool does that tells the model why."""
    try:
        return {"result": real_tools.missing()}
    except OSError:
        return {"error": "x" * 20000}


class Adk(Promises, unittest.IsolatedAsyncioTestCase):
    def adapter(self, **options: Any) -> Any:
        return lro.adk.LargeResultOffloading(str(self.output), **options)

    async def converse(self, script, tools, *, adapter=None, conversation=None, stream=False, servers=()):
        async with AsyncExitStack() as stack:
            all_tools: list[Any] = [missing if tool is real_tools.missing else tool for tool in tools]
            for command, *arguments in servers:
                server = StdioServerParameters(command=command, args=arguments, env=ENVIRONMENT)
                toolset = McpToolset(connection_params=StdioConnectionParams(server_params=server, timeout=30))
                stack.push_async_callback(toolset.close)
                all_tools.append(toolset)
            agent = LlmAgent(name="helper", model=Played(model="played", script=script), tools=all_tools)
            plugins = [adapter] if adapter else []
            sessions = InMemorySessionService()
            runner = Runner(app_name="test", agent=agent, plugins=plugins, session_service=sessions)
            session = await sessions.create_session(app_name="test", user_id="me", session_id=conversation)
            message = types.Content(role="user", parts=[types.Part.from_text(text="go")])
            config = RunConfig(streaming_mode=StreamingMode.SSE) if stream else None
            async for _ in runner.run_async(
                user_id="me", session_id=session.id, new_message=message, run_config=config
            ):
                pass

    def picture(self):
        def picture() -> dict[str, Any]:
            """Returns a picture as a tool of MCP does."""
            text = {"type": "text", "text": "a pixel"}
            return {"content": [text, {"type": "image", "data": PIXEL, "mimeType": "image/png"}], "isError": False}

        return picture

    async def test_no_user_reads_the_files_of_another(self):
        """Names of sessions are not the only thing that tells conversations apart."""
        adapter = self.adapter()
        paths = set()
        for user in ("one", "two"):
            script = Script([("memories", {})], read(TITLE))
            agent = LlmAgent(name="helper", model=Played(model="played", script=script), tools=[real_tools.memories])
            sessions = InMemorySessionService()
            runner = Runner(app_name="test", agent=agent, plugins=[adapter], session_service=sessions)
            await sessions.create_session(app_name="test", user_id=user, session_id="1")
            message = types.Content(role="user", parts=[types.Part.from_text(text="go")])
            async for _ in runner.run_async(user_id=user, session_id="1", new_message=message):
                pass
            paths.add(json.loads(script.seen[1][0])["file_path"].rpartition("/")[0])
            self.assertIn("Architecture Decision Records", script.seen[2][0])
        self.assertEqual(len(paths), 2)

    async def test_an_agent_without_tools_gets_none(self):
        script = Script()
        await self.converse(script, [], adapter=self.adapter())
        self.assertEqual(script.offered, [set()])
