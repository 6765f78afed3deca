"""`Lro`: the component, opened with its settings."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any, Self, overload

from .calls import Calls
from .pages import Pages
from .results import Cleaning, Extraction, Findings, Offloading, Passage, Rewritten
from .source import Source
from .styles import Function, Session, offloaded
from .threads import off_the_loop


class Lro(Calls):
    """The component, opened with its settings; only its output directory can be reached. Each call has an asynchronous
    form: `aoffload` is `offload` off the event loop.

    The first call opens it: some seconds on the first run on a machine, some milliseconds from then on. `ready` does so
    without a call. Threads may share one object, and processes that are forked may go on with it. A request's further
    keys are those of `wit/request.schema.json`, settings those of `wit/settings.schema.json`.

        with Lro("results", threshold_tokens=800) as large:
            answer = large.offload(records, operation="recall")
            if answer.response:
                found = large.extract(answer.response["file_path"], recipe=6).results
    """

    @overload
    def offloaded(self, function: Function, /) -> Function: ...

    @overload
    def offloaded(self, operation: str | None = None, **request: Any) -> Callable[[Function], Function]: ...

    def offloaded(self, operation: Any = None, **request: Any) -> Any:
        """A decorator for functions, also asynchronous ones: what they return goes through `offload`.

        `operation` is the function's name where it is not given, and with nothing to say, `@large.offloaded` needs no
        parentheses. Unchanged results are returned as the same object.
        """
        if callable(operation):
            return offloaded(self, None, request)(operation)
        return offloaded(self, operation, request)

    def session(self, name: str) -> Session:
        """A context whose offloads have a folder of their own, which is emptied when it ends. `InvalidArgument` for what is
        not the name of a folder."""
        return Session(self, name)

    async def aready(self) -> Self:
        """As `ready`, off the event loop."""
        return await off_the_loop("reading", self.ready)

    async def aestimate(self, records: Any, /, operation: str = "tool", **request: Any) -> int:
        """As `estimate`, off the event loop."""
        return await off_the_loop("reading", self.estimate, records, operation, **request)

    async def aoffload(self, records: Any, /, operation: str = "tool", **request: Any) -> Offloading:
        """As `offload`, off the event loop."""
        return await off_the_loop("writing", self.offload, records, operation, **request)

    async def aextract(self, source: Source, /, **request: Any) -> Extraction:
        """As `extract`, off the event loop."""
        return await off_the_loop("reading", self.extract, source, **request)

    async def aextract_all(self, source: Source, /, **request: Any) -> AsyncIterator[Any]:
        """As `extract_all`, off the event loop."""
        pages = Pages(request)
        while not pages.is_over:
            with pages.ending():
                for result in pages.add(await self.aextract(source, **pages.request)):
                    yield result

    async def aread(self, source: Source, /, **request: Any) -> Passage:
        """As `read`, off the event loop."""
        return await off_the_loop("reading", self.read, source, **request)

    async def asearch(self, source: Source, /, pattern: str, **request: Any) -> Findings:
        """As `search`, off the event loop."""
        return await off_the_loop("reading", self.search, source, pattern, **request)

    async def adescribe(self, source: Source) -> dict[str, Any]:
        """As `describe`, off the event loop."""
        return await off_the_loop("reading", self.describe, source)

    async def arebuild(self, source: Source) -> str:
        """As `rebuild`, off the event loop."""
        return await off_the_loop("reading", self.rebuild, source)

    async def alist_files(self, **request: Any) -> dict[str, Any]:
        """As `list_files`, off the event loop."""
        return await off_the_loop("reading", self.list_files, **request)

    async def acopies(self, source: Source) -> dict[str, Any]:
        """As `copies`, off the event loop."""
        return await off_the_loop("reading", self.copies, source)

    async def acleanup(self, **request: Any) -> Cleaning:
        """As `cleanup`, off the event loop."""
        return await off_the_loop("writing", self.cleanup, **request)

    async def aresolve(
        self, file_text: str = "", environment: Mapping[str, str] | None = None, **explicit: Any
    ) -> dict[str, Any]:
        """As `resolve`, off the event loop."""
        return await off_the_loop("reading", self.resolve, file_text, environment, **explicit)

    async def amcp_tools(self) -> str:
        """As `mcp_tools`, off the event loop."""
        return await off_the_loop("reading", self.mcp_tools)

    async def amcp_call(self, name: str, arguments: str) -> str:
        """As `mcp_call`, off the event loop."""
        return await off_the_loop("reading", self.mcp_call, name, arguments)

    async def amcp_offload_result(self, tool: str, arguments: str, result: str) -> Rewritten:
        """As `mcp_offload_result`, off the event loop."""
        return await off_the_loop("writing", self.mcp_offload_result, tool, arguments, result)

    async def amcp_offload_tools(self, listed: str) -> str | None:
        """As `mcp_offload_tools`, off the event loop."""
        return await off_the_loop("reading", self.mcp_offload_tools, listed)

    async def amcp_resolve_arguments(self, tool: str, arguments: str) -> str | None:
        """As `mcp_resolve_arguments`, off the event loop."""
        return await off_the_loop("reading", self.mcp_resolve_arguments, tool, arguments)
