"""`lro.langchain` with LangChain's agents, and with deepagents."""

import json
import unittest
import warnings
from contextlib import AsyncExitStack
from typing import Any

from deepagents import create_deep_agent
from fastmcp.client.transports import StdioTransport
from langchain.agents import create_agent
from langchain.tools import ToolRuntime
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.tools import StructuredTool, ToolException
from langgraph.types import Command
from promises import ENVIRONMENT, OURS, PIXEL, TITLE, Promises, Script, path_of, read

import lro.langchain
import real_tools

with warnings.catch_warnings():
    # It says that it is in beta.
    warnings.simplefilter("ignore")
    from langchain.mcp import MCPAdapter


class Model(GenericFakeChatModel):
    """LangChain's fake model, which plays a script."""

    script: Any
    messages: Any = iter(())
    names: Any = ()

    def bind_tools(self, tools: Any, **_: Any) -> Any:
        names = [tool["name"] if isinstance(tool, dict) else tool.name for tool in tools]
        return self.model_copy(update={"names": names})

    def _generate(self, messages: Any, *_: Any, **__: Any) -> ChatResult:
        last = max((at for at, message in enumerate(messages) if isinstance(message, AIMessage)), default=-1)
        results = [message for message in messages[last + 1 :] if isinstance(message, ToolMessage)]
        texts = [text_of(message) for message in results]
        calls = [
            {"name": name, "args": arguments, "id": f"{len(messages)}-{at}", "type": "tool_call"}
            for at, (name, arguments) in enumerate(self.script.next(self.names, texts))
        ]
        tokens = self.script.tokens
        usage: Any = {"input_tokens": tokens - 10, "output_tokens": 10, "total_tokens": tokens}
        message = AIMessage("" if calls else "done", tool_calls=calls, usage_metadata=usage)
        return ChatResult(generations=[ChatGeneration(message=message)])

    def _stream(self, messages: Any, *_: Any, **__: Any) -> Any:
        whole: Any = self._generate(messages).generations[0].message
        chunks: Any = [
            {"name": call["name"], "args": json.dumps(call["args"]), "id": call["id"], "index": at}
            for at, call in enumerate(whole.tool_calls)
        ]
        yield ChatGenerationChunk(message=AIMessageChunk(whole.content, tool_call_chunks=chunks))


def text_of(message: ToolMessage) -> str:
    if isinstance(message.content, list) and len(message.content) == 1 and message.content[0].get("type") == "text":
        return message.content[0]["text"]
    return message.content if isinstance(message.content, str) else json.dumps(message.content, default=str)


def made(function: Any) -> Any:
    if isinstance(function, StructuredTool):
        return function
    if function is real_tools.missing:

        def missing() -> str:
            """Fails as a tool does that tells the model why."""
            try:
                return real_tools.missing()
            except OSError as error:
                raise ToolException("x" * 20000) from error

        return StructuredTool.from_function(missing, handle_tool_error=True)
    if function is real_tools.earthquakes:
        return StructuredTool.from_function(coroutine=function)
    return StructuredTool.from_function(function)


class LangChain(Promises, unittest.IsolatedAsyncioTestCase):
    def adapter(self, **options: Any) -> Any:
        return lro.langchain.LargeResultOffloading(str(self.output), **options)

    def agent(self, script, tools, adapter):
        return create_agent(Model(script=script), tools, middleware=[adapter] if adapter else [])

    async def converse(self, script, tools, *, adapter=None, conversation=None, stream=False, servers=()):
        async with AsyncExitStack() as stack:
            all_tools = [made(tool) for tool in tools]
            for command, *arguments in servers:
                connection = MCPAdapter(StdioTransport(command, arguments, env=ENVIRONMENT))
                all_tools += await (await stack.enter_async_context(connection)).list_tools()
            config: Any = {"configurable": {"thread_id": conversation}} if conversation else {}
            await self.play(script, self.agent(script, all_tools, adapter), config, stream)

    async def play(self, script, agent, config, stream):
        given: Any = {"messages": [{"role": "user", "content": "go"}]}
        if stream:
            chunks = [chunk async for chunk in agent.astream(given, config, stream_mode="messages")]
            streamed = [message for message, _ in chunks if isinstance(message, ToolMessage)]
            assert [text_of(message) for message in streamed] == [text for seen in script.seen for text in seen]
        else:
            await agent.ainvoke(given, config)

    def picture(self):
        def picture() -> Any:
            """Returns a picture."""
            return [
                {"type": "text", "text": "a pixel"},
                {"type": "image", "base64": PIXEL, "mime_type": "image/png"},
            ]

        return StructuredTool.from_function(picture)

    def test_without_an_event_loop(self):
        script = Script([("memories", {}), ("typed", {}), ("count", {})], lambda seen: read(TITLE)(seen))
        tools = [made(tool) for tool in (real_tools.memories, real_tools.typed, real_tools.count)]
        self.agent(script, tools, self.adapter()).invoke({"messages": [{"role": "user", "content": "go"}]})
        self.assertEqual(json.loads(script.seen[1][1])["summary"]["count"], 362)
        self.assertEqual(script.seen[1][2], '{"memories": 362}')
        self.assertEqual(json.loads(script.seen[2][0])["results"], ["Architecture Decision Records"])

    async def test_a_tool_that_changes_the_state_itself(self):
        def change(runtime: ToolRuntime) -> Command[Any]:
            """Returns all memories and changes the state."""
            text = json.dumps(real_tools.memories())
            small = HumanMessage("it has been read")
            return Command(update={"messages": [ToolMessage(text, tool_call_id=runtime.tool_call_id), small]})

        script = Script([("change", {})], read(TITLE))
        agent = self.agent(script, [StructuredTool.from_function(change)], self.adapter())
        state = await agent.ainvoke({"messages": [{"role": "user", "content": "go"}]})
        self.assertEqual(json.loads(script.seen[2][0])["results"], ["Architecture Decision Records"])
        self.assertIn("it has been read", [message.content for message in state["messages"]])

    async def test_an_artifact_stays(self):
        def memories() -> Any:
            """Returns objects for the model and an artifact for the program."""
            return real_tools.typed(), {"for": "the program"}

        script = Script([("memories", {})])
        tool = StructuredTool.from_function(memories, response_format="content_and_artifact")
        state = await self.agent(script, [tool], self.adapter()).ainvoke({"messages": [{"role": "user", "content": "go"}]})
        [message] = [message for message in state["messages"] if isinstance(message, ToolMessage)]
        self.assertEqual(message.artifact, {"for": "the program"})
        self.assertIn("title: string", json.loads(message.content)["fields"])

    async def test_the_window_of_the_model(self):
        for profile, expected in (({"max_input_tokens": 8192}, True), ({"max_input_tokens": 1_000_000}, False)):
            script = Script([("first", {"count": 20000})])
            adapter = self.adapter(context_tokens="model")
            model = Model(script=script, profile=profile)
            agent = create_agent(model, [made(real_tools.first)], middleware=[adapter])
            await agent.ainvoke({"messages": [{"role": "user", "content": "go"}]})
            self.assertEqual("offloaded" in script.seen[1][0][:40], expected)

    async def test_small_results_are_the_same_object(self):
        adapter, given = self.adapter(), ToolMessage("small", tool_call_id="1", name="x")
        error = ToolMessage("x" * 50000, tool_call_id="1", name="x", status="error")

        class Request:
            tool_call = {"name": "x", "args": {}, "id": "1"}
            tool, state = None, {"messages": []}

            class runtime:
                config: Any = {}

            def override(self, **_: Any) -> Any:
                return self

        request: Any = Request()
        for result in (given, error):
            self.assertIs(adapter.wrap_tool_call(request, lambda _, result=result: result), result)


class DeepAgents(unittest.IsolatedAsyncioTestCase):
    setUp = Promises.setUp

    async def test_results_are_replaced_before_deepagents_moves_them(self):
        script = Script([("memories", {})], read(TITLE))
        adapter = lro.langchain.LargeResultOffloading(str(self.output))
        agent = create_deep_agent(model=Model(script=script), tools=[real_tools.memories], middleware=[adapter])
        await agent.ainvoke({"messages": [{"role": "user", "content": "go"}]})
        self.assertLessEqual(OURS | {"read_file"}, script.offered[0])
        self.assertTrue(path_of(script.seen[1][0]).startswith(str(self.output)))
        self.assertEqual(json.loads(script.seen[2][0])["results"], ["Architecture Decision Records"])
