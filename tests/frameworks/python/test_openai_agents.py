"""`lro.openai_agents` with the agents of the OpenAI Agents SDK."""

import inspect
import json
import unittest
import uuid
from contextlib import AsyncExitStack
from typing import Any

from agents import Agent, RunConfig, Runner, ToolOutputImage, ToolOutputText, Usage, function_tool
from agents.items import ModelResponse
from agents.mcp import MCPServerStdio
from agents.models.interface import Model
from agents.testing import ScriptedModel
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText
from openai.types.responses.response_usage import InputTokensDetails, OutputTokensDetails
from promises import ENVIRONMENT, PIXEL, SERVER, TITLE, Promises, Script, read

import lro.openai_agents
import real_tools


class Played(Model):
    """The SDK's scripted model, which is given each of its steps when it is asked for it."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.scripted = ScriptedModel()

    def _step(self, given: Any, tools: Any) -> None:
        outputs: list[str] = []
        for item in reversed(given if isinstance(given, list) else []):
            if item.get("type") == "function_call":
                break
            if item.get("type") == "function_call_output":
                outputs.insert(0, text_of(item["output"]))
        calls = self.script.next([tool.name for tool in tools], outputs)
        output: list[Any] = [
            ResponseFunctionToolCall(
                name=name, arguments=json.dumps(arguments), call_id=uuid.uuid4().hex, type="function_call"
            )
            for name, arguments in calls
        ]
        done = ResponseOutputText(text="done", type="output_text", annotations=[])
        message = ResponseOutputMessage(id="m", content=[done], role="assistant", status="completed", type="message")
        tokens = self.script.tokens
        usage = Usage(
            requests=1,
            input_tokens=tokens - 10,
            output_tokens=10,
            total_tokens=tokens,
            input_tokens_details=InputTokensDetails(cached_tokens=0, cache_write_tokens=0),
            output_tokens_details=OutputTokensDetails(reasoning_tokens=0),
        )
        self.scripted.enqueue(ModelResponse(output=output or [message], usage=usage, response_id=None))

    async def get_response(self, *given: Any, **named: Any) -> Any:
        call = inspect.signature(self.scripted.get_response).bind(*given, **named)
        self._step(call.arguments["input"], call.arguments["tools"])
        return await self.scripted.get_response(*given, **named)

    async def stream_response(self, *given: Any, **named: Any) -> Any:
        call = inspect.signature(self.scripted.stream_response).bind(*given, **named)
        self._step(call.arguments["input"], call.arguments["tools"])
        async for event in self.scripted.stream_response(*given, **named):
            yield event


def text_of(output: Any) -> str:
    if isinstance(output, list) and len(output) == 1 and output[0].get("type") == "input_text":
        return output[0]["text"]
    return output if isinstance(output, str) else json.dumps(output)


def made(function: Any) -> Any:
    return function if not callable(function) else function_tool(function)


class OpenAiAgents(Promises, unittest.IsolatedAsyncioTestCase):
    def adapter(self, **options: Any) -> Any:
        return lro.openai_agents.LargeResultOffloading(str(self.output), **options)

    async def converse(self, script, tools, *, adapter=None, conversation=None, stream=False, servers=()):
        async with AsyncExitStack() as stack:
            connections = []
            for command, *arguments in servers:
                params: Any = {"command": command, "args": arguments, "env": ENVIRONMENT}
                server = MCPServerStdio(params, client_session_timeout_seconds=30)
                connections.append(await stack.enter_async_context(server))
            agent = Agent(name="helper", model=Played(script), tools=[*map(made, tools)], mcp_servers=connections)
            agent = adapter.offload(agent) if adapter else agent
            config = RunConfig(group_id=conversation, tracing_disabled=True)
            if stream:
                run = Runner.run_streamed(agent, "go", run_config=config)
                async for _ in run.stream_events():
                    pass
            else:
                await Runner.run(agent, "go", run_config=config)

    def picture(self):
        @function_tool
        def picture() -> Any:
            """Returns a picture."""
            return [ToolOutputText(text="a pixel"), ToolOutputImage(image_url=f"data:image/png;base64,{PIXEL}")]

        return picture

    async def test_one_line(self):
        script = Script([("memories", {})], read(TITLE))
        agent = Agent(name="helper", model=Played(script), tools=[function_tool(real_tools.memories)])
        agent = lro.openai_agents.offload(agent, str(self.output))
        await Runner.run(agent, "go", run_config=RunConfig(tracing_disabled=True))
        self.assertEqual(json.loads(script.seen[2][0])["results"], ["Architecture Decision Records"])

    async def test_agents_that_hand_over_share_the_files(self):
        adapter = self.adapter()
        second = Script(lambda seen: [("lro_extract", {"file_path": first.path, "query": TITLE})])
        helper = adapter.offload(Agent(name="second", model=Played(second), tools=[]))

        class First(Script):
            path = ""

            def next(self, offered: Any, results: Any) -> Any:
                calls = super().next(offered, results)
                if len(self.seen) == 2:
                    self.path = json.loads(results[0])["file_path"]
                return calls

        first = First([("memories", {})], [("transfer_to_second", {})])
        agent = Agent(name="first", model=Played(first), tools=[function_tool(real_tools.memories)], handoffs=[helper])
        await Runner.run(adapter.offload(agent), "go", run_config=RunConfig(tracing_disabled=True))
        self.assertEqual(json.loads(second.seen[1][0])["results"], ["Architecture Decision Records"])

    async def test_two_agents_at_one_server_have_their_own_files(self):
        """The second agent's results do not go to the first one's files, although both have added a guardrail."""
        command, *arguments = SERVER
        async with MCPServerStdio({"command": command, "args": arguments, "env": ENVIRONMENT}) as shared:
            for _ in range(2):
                script = Script([("memories", {})], read(TITLE))
                agent = Agent(name="helper", model=Played(script), mcp_servers=[shared])
                agent = lro.openai_agents.offload(agent, str(self.output))
                await Runner.run(agent, "go", run_config=RunConfig(tracing_disabled=True))
                self.assertEqual(json.loads(script.seen[2][0])["results"], ["Architecture Decision Records"])
        self.assertEqual(len({path.parent for path in self.files()}), 2)
