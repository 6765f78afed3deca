"""`lro.agent_framework` with the agents of Microsoft's Agent Framework."""

import base64
import unittest
import uuid
from contextlib import AsyncExitStack
from typing import Any

from agent_framework import (
    Agent,
    AgentSession,
    BaseChatClient,
    ChatResponse,
    ChatResponseUpdate,
    Content,
    FunctionInvocationLayer,
    MCPStdioTool,
    Message,
    ResponseStream,
)
from promises import ENVIRONMENT, PIXEL, Promises, Script

import lro.agent_framework
import real_tools


class Played(FunctionInvocationLayer, BaseChatClient):
    """A client whose model plays a script."""

    def __init__(self, script: Script) -> None:
        super().__init__()
        self.script = script

    def _inner_get_response(self, *, messages: Any, stream: bool, options: Any, **_: Any) -> Any:
        results: list[str] = []
        for message in reversed(messages):
            if message.role == "assistant":
                break
            results[:0] = [text_of(content) for content in message.contents if content.type == "function_result"]
        offered = [tool.name for tool in options.get("tools") or []]
        contents = [
            Content.from_function_call(uuid.uuid4().hex, name, arguments=arguments)
            for name, arguments in self.script.next(offered, results)
        ] or [Content.from_text("done")]

        async def respond() -> ChatResponse:
            return ChatResponse(messages=[Message(role="assistant", contents=contents)])

        async def updates() -> Any:
            yield ChatResponseUpdate(role="assistant", contents=contents)

        return ResponseStream(updates(), finalizer=ChatResponse.from_updates) if stream else respond()


def text_of(content: Content) -> str:
    items = content.items or []
    others = [item.media_type or item.type for item in items if item.type != "text"]
    return " and ".join([str(content.result), *others]) if others else str(content.result)


class AgentFramework(Promises, unittest.IsolatedAsyncioTestCase):
    knows_tokens = False
    # The framework shows a model the `repr` of each dataclass in a list.
    orders = "string"

    def adapter(self, **options: Any) -> Any:
        return lro.agent_framework.LargeResultOffloading(str(self.output), **options)

    async def converse(self, script, tools, *, adapter=None, conversation=None, stream=False, servers=()):
        async with AsyncExitStack() as stack:
            connections = [
                await stack.enter_async_context(
                    MCPStdioTool(name="data", command=command, args=arguments, env=ENVIRONMENT, load_prompts=False)
                )
                for command, *arguments in servers
            ]
            providers = [adapter] if adapter else []
            agent = Agent(client=Played(script), tools=[*tools, *connections], context_providers=providers)
            session = AgentSession(session_id=conversation) if conversation else None
            if stream:
                async for _ in agent.run("go", session=session, stream=True):
                    pass
            else:
                await agent.run("go", session=session)

    def picture(self):
        def picture() -> Any:
            """Returns a picture."""
            image = Content.from_data(base64.b64decode(PIXEL), media_type="image/png")
            return [Content.from_text("a pixel"), image]

        return picture
