"""Offloading for agents of Microsoft's Agent Framework:

    agent = Agent(client=client, tools=tools, context_providers=[LargeResultOffloading()])
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from . import needs

with needs.package("lro.agent_framework", "agent-framework-core", "1.23"):
    from agent_framework import (
        AgentSession,
        Content,
        ContextProvider,
        FunctionInvocationContext,
        FunctionMiddleware,
        FunctionTool,
        SessionContext,
    )
    from pydantic import BaseModel

from .agents import AgentOffloader, Call, Parts, as_list


class LargeResultOffloading(ContextProvider):
    """A context provider that offloads the large results of all tools and offers the tools that read them. The session of
    the agent names the conversation."""

    def __init__(self, output_dir: str | None = None, *, source_id: str = "lro", **options: Any) -> None:
        """The options are those of `lro.agents.AgentOffloader`, settings among them."""
        super().__init__(source_id)
        self.large = AgentOffloader(output_dir, **options)

    async def before_run(
        self, *, agent: Any, session: AgentSession | None, context: SessionContext, state: dict[str, Any]
    ) -> None:
        """Adds our tools and the middleware to a run."""
        context.extend_tools(self.source_id, [self._tool(definition) for definition in self.large.tools])
        context.extend_middleware(self.source_id, Middleware(self.large))

    def _tool(self, definition: Mapping[str, Any]) -> FunctionTool:
        # The middleware answers first: only it knows the conversation.
        async def call(**arguments: Any) -> str:
            return (await self.large.acall(definition["name"], arguments)).text

        schema: Mapping[str, Any] = definition["inputSchema"]
        return FunctionTool(
            name=definition["name"], description=definition["description"], func=call, input_model=schema
        )


class Middleware(FunctionMiddleware):
    """The middleware behind `LargeResultOffloading`."""

    def __init__(self, large: AgentOffloader) -> None:
        """The results go to `large`."""
        self._large = large

    async def process(self, context: FunctionInvocationContext, call_next: Callable[[], Awaitable[None]]) -> None:
        """Answers a call of our tools, and offloads the results of others."""
        name, arguments = context.function.name, context.arguments
        given = arguments.model_dump() if isinstance(arguments, BaseModel) else arguments
        call = Call(None if context.session is None else context.session.session_id, context)
        if self._large.is_ours(name):
            context.result = (await self._large.acall(name, given, call)).text
            return
        await call_next()
        result: Any = context.result
        contents = as_list(result)
        parts = None if contents is None else Parts.of(contents)
        text = await self._large.aoffload_result(name, given, parts or result, call)
        if text is not None:
            context.result = [Content.from_text(text), *(parts.others if parts else ())]
