"""`Lro`: the component, opened with its settings."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from typing import Any, Self

from . import compiled as compiling
from . import opening
from .compiled import Compiled
from .errors import InvalidArgument, LroError
from .limits import Bounds, Limits
from .payload import text_of
from .results import Cleaning, Event, Extraction, Failure, Offloading, Rewritten, Section, events_of
from .sandbox import Sandbox
from .settings import Settings, Sources, resolve, resolve_text, variables
from .styles import Function, Session, offloaded


@dataclass(frozen=True, slots=True)
class Content:
    """The text of an offloaded file, header line included, for those who keep it elsewhere."""

    text: str


Source = str | os.PathLike[str] | Content
"""What to look at: the `file_path` of a response, a bare file name, or the text of a file."""


class Lro:
    """The component, opened with its settings; only its output directory can be reached.

    Opening begins in a background thread, and the first call waits for it: some seconds on the first run on a machine,
    some milliseconds from then on. `ready` waits too, and tells settings that make no sense. Threads may share one
    object. A request's further keys are those of `wit/request.schema.json`, settings those of `wit/settings.schema.json`.

        with Lro("results", threshold_tokens=800) as lro:
            answer = lro.offload(records, operation="recall")
            if answer.response:
                rows = lro.extract(answer.response["file_path"], recipe=6).rows
    """

    def __init__(
        self,
        output_dir: str | os.PathLike[str] | None = None,
        *,
        settings_file: str | os.PathLike[str] | None = None,
        env_prefix: str | None = None,
        limits: Limits | None = None,
        read_only: bool = False,
        create: bool = True,
        component: bytes | None = None,
        compiled_cache: Path | None | bool = True,
        **settings: Any,
    ) -> None:
        """`output_dir`: made with mode 0700 unless `create` is false; without one, the system's temporary directory.
        `settings_file`: a TOML file with a table `[prompt.offload]`. `env_prefix`: variables that begin so are settings,
        for instance `ATLATL_PROMPT__OFFLOAD__`. `read_only`: nothing can be offloaded or cleaned up. `component`: another
        one of the contract. `compiled_cache`: a folder for the compiled form; true is the user's, false none.
        """
        if output_dir is not None:
            settings["output_dir"] = os.fspath(output_dir)
        if env_prefix is not None:
            settings["environment_prefix"] = env_prefix
        self._limits = limits or Limits()
        self._read_only = read_only
        sources = Sources(
            file=None if settings_file is None else Path(settings_file),
            environment={} if env_prefix is None else variables(env_prefix),
            explicit=settings,
        )
        cache = compiling.cache_folder() if compiled_cache is True else compiled_cache or None

        def open_component() -> tuple[Compiled, Settings]:
            compiled = opening.compiled(compiling.embedded() if component is None else component, cache)
            opened = Settings(resolve(compiled, sources))
            if create and not read_only and opened.resolved["store"] == "file":
                opened.directory.create()
            return compiled, opened

        self._opening: Future[tuple[Compiled, Settings]] = opening.in_background(open_component, "lro-opening")

    def ready(self) -> Self:
        """Waits until the component is open. Raises what opening it failed with."""
        self._opening.result()
        return self

    async def aready(self) -> Self:
        """As `ready`, without blocking the event loop."""
        await asyncio.wrap_future(self._opening)
        return self

    def __enter__(self) -> Self:
        return self.ready()

    def __exit__(self, *_: object) -> None:
        # A call leaves nothing behind but files, so there is nothing to close.
        return None

    @property
    def output_dir(self) -> Path:
        """The output directory as people and models know it."""
        return self._opened()[1].directory.public

    @property
    def settings(self) -> dict[str, Any]:
        """The settings as they were resolved, every key present."""
        return dict(self._opened()[1].resolved)

    def estimate(self, records: Any, /, operation: str = "tool", **request: Any) -> int:
        """Tokens of the records, for the request that `offload` would be given. Touches no file."""
        compiled, settings = self._opened()
        payload = text_of(records)
        sandbox = Sandbox("estimating", self._limits.offloading(len(payload.encode())))
        arguments = (payload, _json(operation=operation, **request), settings.text())
        return sandbox.call(compiled, "offloader", "estimate", *arguments)

    def offload(self, records: Any, /, operation: str = "tool", **request: Any) -> Offloading:
        """Decides what becomes of a tool's result, and carries it out.

        `records`: text, bytes, or anything with a JSON form, dataclasses and pydantic models too. Only a request that
        makes no sense is an error: want of disk, memory or text answers the result truncated or unchanged, with an event.
        """
        compiled, settings = self._opened()
        try:
            payload = text_of(records)
        except InvalidArgument as error:
            return _unchanged(records, "", error)
        sandbox = self._writing("offloading", self._limits.offloading(len(payload.encode())))
        try:
            arguments = (payload, _json(operation=operation, **request), settings.text())
            answer = sandbox.call(compiled, "offloader", "offload", *arguments)
        except InvalidArgument:
            raise
        except LroError as error:
            return _unchanged(records, payload, error)
        done = _offloading(answer, records, payload)
        if done.file_name is None or done.content is not None:
            return done
        names = (done.file_name, *(section.file_name for section in done.sections))
        return replace(done, events=(*done.events, *self._keep_private(*names)))

    def extract(
        self,
        source: Source,
        /,
        *,
        recipe: int | None = None,
        query: str | None = None,
        params: Mapping[str, Any] | None = None,
        **request: Any,
    ) -> Extraction:
        """Runs a recipe, a jq filter or criteria (`where`, `select`, `count`, `group_by`, `sort_by`) over the records of an
        offloaded file: one page of results."""
        compiled, settings = self._opened()
        request.update(recipe=recipe, query=query, params=None if params is None else dict(params))
        wants_file = bool(request.get("into"))
        sandbox, presented = self._reading("extraction", source)
        if wants_file:
            sandbox = self._writing("extraction", sandbox.bounds)
        answer = sandbox.call(compiled, "offloader", "extract", presented, _json(**request), settings.text())
        extraction = _extraction(answer)
        if wants_file:
            for row in extraction.rows:
                path = PurePath(row.get("file_path") or "")
                if row.get("offloaded") and path.is_relative_to(settings.directory.public):
                    self._keep_private(str(path.relative_to(settings.directory.public)))
        return extraction

    def extract_all(self, source: Source, /, **request: Any) -> Iterator[Any]:
        """The results of all pages, as objects."""
        while True:
            page = self.extract(source, **request)
            yield from page.rows
            if page.next is None:
                return
            request["next"] = page.next

    def describe(self, source: Source) -> dict[str, Any]:
        """What an offloaded file is: header, size, lines, shape, fields with types and examples."""
        return json.loads(self._document("describing", "describe", source))

    def rebuild(self, source: Source) -> str:
        """The document that a file's records came in."""
        return self._document("rebuilding", "rebuild", source)

    def cleanup(self, **request: Any) -> Cleaning:
        """Deletes the expired files of ours in the output directory and one folder below it, and nothing else."""
        compiled, settings = self._opened()
        if settings.directory.is_shared:
            request["shared_directory"] = True
        sandbox = self._writing("cleanup", self._limits.cleaning())
        answer = sandbox.call(compiled, "offloader", "cleanup", _json(**request), settings.text())
        return Cleaning(answer.deleted, getattr(answer, "freed-bytes"), answer.kept, events_of(answer.events))

    def resolve(
        self, file_text: str = "", environment: Mapping[str, str] | None = None, **explicit: Any
    ) -> dict[str, Any]:
        """Resolves settings from a TOML file's text, variables and explicit values; the answer is complete."""
        return resolve_text(self._opened()[0], file_text, environment or {}, explicit)

    async def aestimate(self, records: Any, /, operation: str = "tool", **request: Any) -> int:
        """As `estimate`, off the event loop."""
        return await asyncio.to_thread(self.estimate, records, operation, **request)

    async def aoffload(self, records: Any, /, operation: str = "tool", **request: Any) -> Offloading:
        """As `offload`, off the event loop."""
        return await asyncio.to_thread(self.offload, records, operation, **request)

    async def aextract(self, source: Source, /, **request: Any) -> Extraction:
        """As `extract`, off the event loop."""
        return await asyncio.to_thread(self.extract, source, **request)

    async def acleanup(self, **request: Any) -> Cleaning:
        """As `cleanup`, off the event loop."""
        return await asyncio.to_thread(self.cleanup, **request)

    def offloaded(self, operation: str | None = None, **request: Any) -> Callable[[Function], Function]:
        """A decorator for functions, asynchronous ones too: what they return goes through `offload`.

        `operation` is the function's name where it is not given. Unchanged results are returned as the same object.
        """
        return offloaded(self, operation, request)

    def session(self, name: str) -> Session:
        """A context whose offloads have a folder of their own, which is emptied when it ends."""
        return Session(self, name)

    def mcp_tools(self) -> str:
        """The definitions of the tools that the settings offer, as the text of a JSON array of MCP Tool objects."""
        compiled, settings = self._opened()
        sandbox = Sandbox("listing the tools", Limits.resolving())
        return sandbox.call(compiled, "mcp", "tools", settings.text())

    def mcp_call(self, name: str, arguments: str) -> str:
        """Answers a call of one of these tools with the text of a CallToolResult."""
        compiled, settings = self._opened()
        sandbox, _ = self._reading("extraction", _file_of(arguments))
        return sandbox.call(compiled, "mcp", "call", name, arguments, settings.text())

    def mcp_offload_result(self, tool: str, arguments: str, result: str) -> Rewritten:
        """Decides what becomes of another tool's CallToolResult, and carries it out. Like `offload`, it does not fail for
        want of disk or memory."""
        compiled, settings = self._opened()
        sandbox = self._writing("offloading", self._limits.offloading_message(len(result.encode())))
        try:
            answer = sandbox.call(compiled, "mcp", "offload-result", tool, arguments, result, settings.text())
        except InvalidArgument:
            raise
        except LroError as error:
            return Rewritten(None, None, (failure_event(error),))
        name: str | None = getattr(answer, "file-name")
        events = events_of(answer.events) + (self._keep_private(name) if name else ())
        return Rewritten(answer.message, name, events)

    def mcp_offload_tools(self, listed: str) -> str | None:
        """Decides what has to change in the answer to `tools/list`; the text to send instead, if there is one."""
        compiled, settings = self._opened()
        sandbox = Sandbox("rewriting the list of tools", self._limits.offloading_message(len(listed.encode())))
        return sandbox.call(compiled, "mcp", "offload-tools", listed, settings.text())

    def _opened(self) -> tuple[Compiled, Settings]:
        return self._opening.result()

    def _document(self, operation: str, name: str, source: Source) -> str:
        compiled, settings = self._opened()
        sandbox, presented = self._reading(operation, source)
        return sandbox.call(compiled, "documents", name, presented, settings.text())

    def _reading(self, operation: str, source: Source) -> tuple[Sandbox, Any]:
        """A sandbox that reads from a source, and the source as the contract has it."""
        if isinstance(source, Content):
            bounds = self._limits.extraction(len(source.text.encode()))
            return Sandbox(operation, bounds), compiling.wasm.Variant("content", source.text)
        directory = self._opened()[1].directory
        file = directory.present(os.fspath(source))
        sandbox = Sandbox(operation, self._limits.extraction(directory.size_of(file)), directory.canonical)
        return sandbox, compiling.wasm.Variant("file", file)

    def _writing(self, operation: str, bounds: Bounds) -> Sandbox:
        directory = self._opened()[1].directory.canonical
        return Sandbox(operation, bounds, directory, writable=not self._read_only)

    def _keep_private(self, *file_names: str) -> tuple[Event, ...]:
        """Sets the modes of what was written, before anybody learns where it is; an event for each that cannot be set."""
        events: list[Event] = []
        for name in file_names:
            try:
                self._opened()[1].directory.make_private(name)
            except OSError as error:
                message = f"cannot make `{name}` private: {error}"
                events.append(Event("OffloadModeFailed", message, {"file_name": name, "error": str(error)}))
        return tuple(events)


def _json(**request: Any) -> str:
    """The text of a request. What is `None` is not asked for."""
    try:
        return json.dumps({key: value for key, value in request.items() if value is not None})
    except (TypeError, ValueError) as error:
        raise InvalidArgument(f"cannot write the request: {error}") from error


def _file_of(arguments: str) -> str:
    """The file that a call of a tool names: the limits of an extraction grow with it."""
    try:
        named: Any = json.loads(arguments)
        return str(named["file_path"])
    except (ValueError, TypeError, LookupError):
        return ""


def failure_event(error: LroError) -> Event:
    """An offload that failed for want of something, while its result goes on."""
    message = f"the result is returned unchanged, because offloading it failed: {error.message}"
    return Event("OffloadFailed", message, error.as_dict())


def _unchanged(given: Any, text: str, error: LroError) -> Offloading:
    return Offloading("unchanged", text, given, events=(failure_event(error),))


def _offloading(answer: Any, given: Any, payload: str) -> Offloading:
    estimated: int = getattr(answer, "estimated-tokens")
    events = events_of(answer.events)
    kind: Any = answer.outcome.tag
    value = answer.outcome.payload
    if kind != "offloaded":
        return Offloading(kind, payload if value is None else value, given, estimated, events=events)
    sections = tuple(Section(getattr(section, "file-name"), section.content) for section in value.sections)
    name: str = getattr(value, "file-name")
    return Offloading("offloaded", value.response, given, estimated, name, value.content, sections, events)


def _extraction(answer: Any) -> Extraction:
    failures = tuple(Failure(failure.line, failure.message, failure.hint) for failure in answer.failures)
    return Extraction(
        answer.results,
        answer.count,
        answer.total,
        answer.truncated,
        answer.next,
        answer.failed,
        failures,
        tuple(answer.remarks),
    )
