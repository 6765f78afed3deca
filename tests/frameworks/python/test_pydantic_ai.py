"""`lro.pydantic_ai` with pydantic-ai's agents."""

import base64
import json
import unittest
from typing import Any

from fastmcp.client.transports import StdioTransport
from promises import ENVIRONMENT, PIXEL, Promises, Script
from pydantic_ai import Agent, BinaryContent, ModelRetry, ToolReturn
from pydantic_ai.mcp import MCPToolset
from pydantic_ai.messages import ModelMessage, ModelResponse, RetryPromptPart, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, FunctionModel
from pydantic_ai.usage import RequestUsage

import lro.pydantic_ai
import real_tools


def results(messages: list[ModelMessage]) -> list[str]:
    """The results of the last request, as a model sees them."""
    parts = [part for part in messages[-1].parts if isinstance(part, ToolReturnPart | RetryPromptPart)]
    return [
        part.model_response_str() + "".join(f" and {file.media_type}" for file in part.files)
        if isinstance(part, ToolReturnPart)
        else part.model_response()
        for part in parts
    ]


def model(script: Script, **profile: Any) -> FunctionModel:
    def turn(messages: list[ModelMessage], info: AgentInfo) -> Any:
        return script.next([tool.name for tool in info.function_tools], results(messages))

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        calls = [ToolCallPart(name, arguments) for name, arguments in turn(messages, info)]
        usage = RequestUsage(input_tokens=script.tokens - 10, output_tokens=10)
        return ModelResponse(calls or [TextPart("done")], usage=usage)

    async def stream(messages: list[ModelMessage], info: AgentInfo) -> Any:
        calls = turn(messages, info)
        for at, (name, arguments) in enumerate(calls):
            yield {at: DeltaToolCall(name, json.dumps(arguments))}
        if not calls:
            yield "done"

    return FunctionModel(answer, stream_function=stream, profile=profile or None)


def missing() -> str:
    """Fails as a tool does that tells the model why."""
    try:
        return real_tools.missing()
    except OSError as error:
        raise ModelRetry("x" * 20000) from error


class PydanticAi(Promises, unittest.IsolatedAsyncioTestCase):
    def adapter(self, **options: Any) -> Any:
        return lro.pydantic_ai.LargeResultOffloading(str(self.output), **options)

    async def converse(self, script, tools, *, adapter=None, conversation=None, stream=False, servers=()):
        connections = [MCPToolset(StdioTransport(command, rest, env=ENVIRONMENT)) for command, *rest in servers]
        tools = [missing if tool is real_tools.missing else tool for tool in tools]
        capabilities = [adapter] if adapter else []
        agent = Agent(model(script), tools=tools, toolsets=connections, capabilities=capabilities, retries=3)
        if stream:
            async with agent.run_stream("go", conversation_id=conversation) as run:
                self.assertEqual(await run.get_output(), "done")
        else:
            await agent.run("go", conversation_id=conversation)

    def picture(self):
        def picture() -> Any:
            """Returns a picture."""
            return ["a pixel", BinaryContent(base64.b64decode(PIXEL), media_type="image/png")]

        return picture

    async def test_the_window_of_the_model(self):
        for window, expected in ((8192, True), (1_000_000, False)):
            script = Script([("first", {"count": 20000})])
            adapter = self.adapter(context_tokens="model")
            agent = Agent(model(script, context_window=window), tools=[real_tools.first], capabilities=[adapter])
            await agent.run("go")
            self.assertEqual("offloaded" in script.seen[1][0][:40], expected)

    async def test_what_is_said_beside_a_result_stays(self):
        def memories() -> ToolReturn:
            """Returns all memories."""
            return ToolReturn(real_tools.memories(), content="said to the model", metadata={"for": "the program"})

        script = Script([("memories", {})])
        agent = Agent(model(script), tools=[memories], capabilities=[self.adapter()])
        run = await agent.run("go")
        [result] = [part for message in run.all_messages() for part in message.parts if isinstance(part, ToolReturnPart)]
        self.assertEqual(result.metadata, {"for": "the program"})
        self.assertIn("said to the model", run.all_messages_json().decode())
        self.assertIn('"offloaded":true', script.seen[1][0])

    async def test_small_results_are_the_same_object(self):
        script = Script([("memories", {})])
        adapter = self.adapter()
        agent = Agent(model(script), tools=[real_tools.memories], capabilities=[adapter])
        seen: list[Any] = []
        original = adapter.after_tool_execute

        async def after(ctx: Any, **named: Any) -> Any:
            small = ["small"]
            seen.append((small, await original(ctx, **{**named, "result": small})))
            return await original(ctx, **named)

        adapter.after_tool_execute = after
        await agent.run("go")
        self.assertIs(seen[0][0], seen[0][1])
