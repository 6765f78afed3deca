"""The calls of the component, opened with its settings."""

from __future__ import annotations

import copy
import json
import os
import re
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self, cast

from . import checked, known_settings, opening, summaries
from . import compiled as compiling
from .compiled import Compiled
from .errors import InvalidArgument, IoFailure, LimitReached, LroError, Unusable
from .failures import because, failed_result, failure_event, withheld, withheld_result
from .limits import Bounds, Limits
from .pages import Pages
from .payload import finite, measured
from .results import (
    Cleaning,
    Event,
    Extraction,
    Failure,
    Findings,
    Hit,
    Inline,
    Offloaded,
    Offloading,
    Passage,
    Rewritten,
    Section,
    Truncated,
    Unchanged,
    events_of,
)
from .sandbox import Sandbox
from .session_names import session_name
from .settings import Settings, Sources, resolve, resolve_text, variables
from .source import Content, Source
from .store import PART_BYTES, TIMEOUT_SECONDS, ResultStore
from .stored_directory import StoredDirectory
from .sweeping import is_due
from .threads import interruptible

if TYPE_CHECKING:
    from key_value.aio.protocols.key_value import AsyncKeyValue

# The arguments of our tools that mean a file, one in each family of names.
_FILE_KEYS = ("file_path", "artifact_id", "filename")


class Calls:
    """The calls of the component. `Lro` has them off the event loop too."""

    def __init__(
        self,
        output_dir: str | os.PathLike[str] | None = None,
        *,
        settings_file: str | os.PathLike[str] | None = None,
        environment_prefix: str | None = None,
        limits: Limits | None = None,
        read_only: bool = False,
        prepare_output_dir: bool = True,
        component: bytes | None = None,
        compiled_cache: str | os.PathLike[str] | None | bool = True,
        store: AsyncKeyValue | Callable[[], AsyncKeyValue] | Literal["file", "content"] | None = None,
        store_timeout_seconds: float = TIMEOUT_SECONDS,
        store_part_bytes: int = PART_BYTES,
        **settings: Any,
    ) -> None:
        """`output_dir`: made with mode 0700 unless `prepare_output_dir` is false, and `IoFailure` where it cannot be; without
        one, `lro-UID` below the temporary directory. `InvalidArgument` for a setting that is not right.
        `settings_file`: a TOML file with a table `[prompt.offload]`. `environment_prefix`: variables of this process that
        begin so are settings, for instance `ATLATL_PROMPT__OFFLOAD__`; without it none are. `read_only`: nothing can be
        offloaded or cleaned up. `component`: another one of the contract. `compiled_cache`: a folder for the compiled form;
        true is the user's, false none. `store`: a store of py-key-value-aio in place of an output directory, or a function
        that makes one; its connections are used on a thread of their own, and nowhere else. `store_timeout_seconds`: for
        each exchange with it, and one second more for 4 MiB that travel. `store_part_bytes`: a value has a third more.
        """
        self._store: ResultStore | None = None
        if isinstance(store, str):
            settings["store"] = store
        elif store is not None:
            self._store = ResultStore(store, store_timeout_seconds, store_part_bytes)
            if output_dir is not None:
                raise InvalidArgument("both `output_dir` and `store` are given", "results are kept in one of them")
            settings["store"] = "file"
            # No shell can read a result, so a response points to our tools and has no commands.
            settings.setdefault("guidance", "tool")
            settings.setdefault("descriptor", "compact")
        if output_dir is not None:
            settings["output_dir"] = checked.path(output_dir, "output_dir")
        if environment_prefix is not None:
            settings["environment_prefix"] = checked.text(environment_prefix, "environment_prefix")
        if component is None:
            known_settings.check(settings)
        else:
            component = checked.kind(component, bytes, "component")
        self._limits = Limits() if limits is None else checked.kind(limits, Limits, "limits")
        self._read_only = checked.kind(read_only, bool, "read_only")
        self._creates = checked.kind(prepare_output_dir, bool, "prepare_output_dir") and not read_only
        self._sources = sources = Sources(
            file=None if settings_file is None else Path(checked.path(settings_file, "settings_file")),
            environment={} if environment_prefix is None else variables(environment_prefix),
            explicit=settings,
        )
        cache = _cache(compiled_cache)

        def open_component() -> tuple[Compiled, Settings]:
            compiled = opening.compiled(compiling.embedded() if component is None else component, cache)
            opened = Settings(resolve(compiled, sources), self._store)
            if self._creates and opened.resolved["store"] == "file":
                opened.directory.create()
            return compiled, opened

        self._open = open_component
        self._known: Mapping[str, Any] | None = None
        self._once: opening.Once[tuple[Compiled, Settings]] = opening.Once()
        self._prepare()

    def _prepare(self) -> None:
        """Creates the output directory if it is known before the component is opened: `IoFailure` if it cannot be."""
        explicit = self._sources.explicit
        is_known = self._sources.file is None and not self._sources.environment
        if self._creates and is_known and self._store is None and explicit.get("store", "file") == "file":
            Settings(dict(explicit)).directory.create()

    def ready(self) -> Self:
        """Opens the component. Raises the error if that fails."""
        self._opened()
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
    def has_store(self) -> bool:
        """True if results are in a key-value store in place of an output directory."""
        return self._store is not None

    @property
    def settings(self) -> dict[str, Any]:
        """The settings as they were resolved, every key present."""
        return dict(self._opened()[1].resolved)

    def estimate(self, records: Any, /, operation: str = "tool", **request: Any) -> int:
        """Returns the tokens of the records, for the request that `offload` would get. Touches no file."""
        compiled, settings = self._opened()
        request, _ = summaries.apart(request)
        payload, size = measured(records)
        sandbox = Sandbox("estimating", self._limits.offloading(size))
        given = (payload, _json(operation=operation, **request), settings.text())
        return sandbox.call(compiled, "offloader", "estimate", *given)

    def offload(self, records: Any, /, operation: str = "tool", **request: Any) -> Offloading:
        """Offloads a tool's result if it is above the threshold.

        `records`: text, bytes, or anything with a JSON form, dataclasses and pydantic models too. Only a request that
        makes no sense and a component or directory that cannot be used are errors. Want of disk, memory or time answers
        the result truncated, and what has no JSON form stands, with an event.

        `sections`: what the response says of a list, by its jq path (`.items`; `.` is the only one): `summary`, `schema`,
        `recipes`. A summary may be a function, which gets the list (for `.` the whole result) and returns a text or a
        dict. It is called only for a result above the threshold, so the result is estimated first; if it fails, an event
        says so.
        """
        self._opened()
        request, functions = summaries.apart(request)
        asked = _json(operation=operation, **request)
        try:
            payload, size = measured(records)
        except InvalidArgument as error:
            return Unchanged("", records, events=(failure_event(error),))
        except LroError as error:
            return withheld(records, error)
        bounds = self._limits.offloading(size)
        told: tuple[Event, ...] = ()
        try:
            if functions and self._may_be_offloaded(payload, operation, request):
                request, told = summaries.added(request, functions, records, payload)
                asked = _json(operation=operation, **request)
            answer, events = self._offloaded("offloader", "offload", (payload, asked), payload, bounds)
        except (InvalidArgument, Unusable):
            raise
        except LroError as error:
            return withheld(records, error)
        return _offloading(answer, records, payload, (*told, *events, *self._swept(_main_file(answer))))

    def extract(
        self,
        source: Source,
        /,
        *,
        recipe: int | None = None,
        query: str | None = None,
        params: Mapping[str, Any] | None = None,
        raw: bool | None = False,
        **request: Any,
    ) -> Extraction:
        """Runs a recipe, a jq filter or criteria (`where`, `select`, `count`, `group_by`, `aggregate`, `per_group`, `sort_by`)
        over the records of an offloaded file, or of what stands beside them (`records=".relations"`): one page of results. `where`
        also selects the records of a recipe or a filter, and `sort_by` sorts those of a filter. `line=7, lines=3` are
        these lines of the file, and `count=True` counts the results. `on="document"` runs the filter on the document that the
        records came in, as jq does. Each is a line of JSON; with `raw` strings stand bare,
        with `raw=None` in the form that the recipe has in a shell."""
        compiled, settings = self._opened()
        request.update(recipe=recipe, query=query, raw=raw)
        request["params"] = None if params is None else finite(checked.mapping(params, "params"))
        # One criterion, or one field, needs no list around it.
        request.update({key: [request[key]] for key in ("where", "select", "aggregate") if isinstance(request.get(key), str)})
        with self._reading("extraction", source) as (sandbox, presented):
            given = (presented, _json(**request), settings.text())
            if not request.get("into"):
                return _extraction(interruptible(sandbox.call, compiled, "offloader", "extract", *given), raw)
        lent = None if isinstance(source, Content) else settings.directory.name_of(presented.payload)
        answer = self._written("extraction", sandbox.bounds, "offloader", "extract", given, lent)
        return _extraction(answer, raw)

    def extract_all(self, source: Source, /, **request: Any) -> Iterator[Any]:
        """The results of all pages, as objects; `limit` and `max_bytes` hold for all of them together."""
        pages = Pages(request)
        while not pages.is_over:
            with pages.ending():
                yield from pages.add(self.extract(source, **pages.request))

    def read(self, source: Source, /, **request: Any) -> Passage:
        """Reads `lines="120-180"` or `characters="1-5000"` of an offloaded file, or all of it: one page of at most 200 lines
        and 256 KiB. Line 1 is the first record, or the first line of a text; with `header=True` it is the header."""
        page = self._lines("reading", "read", source, request)
        return Passage(page.text, page.first, page.last, page.total, page.truncated, page.next, tuple(page.remarks))

    def search(self, source: Source, /, pattern: str, **request: Any) -> Findings:
        """Searches the lines of an offloaded file for a regular expression: one page of at most 50 hits, each with
        `context=2` lines before and after it. `ignore_case=True`, or `literal=True` for a plain text."""
        page = self._lines("searching", "search", source, {"pattern": pattern, **request})
        hits = tuple(
            Hit(hit.line, hit.character, hit.length, hit.text, hit.start, tuple(hit.before), tuple(hit.after))
            for hit in page.hits
        )
        return Findings(hits, page.total, page.lines, page.truncated, page.next, tuple(page.remarks))

    def describe(self, source: Source) -> dict[str, Any]:
        """Describes an offloaded file: header, size, lines, shape, fields with types and examples."""
        return json.loads(self._document("describing", "describe", source))

    def rebuild(self, source: Source) -> str:
        """Restores the document that a file's records came from."""
        return self._document("rebuilding", "rebuild", source)

    def list_files(self, **request: Any) -> dict[str, Any]:
        """Lists the offloaded files in the output directory and one folder below it, the newest first: one page of them.
        `session`, `limit`, `next` and `sha256` say which, and whether their checksums are wanted."""
        compiled, settings = self._opened()
        if self._store is not None:
            raise InvalidArgument("cannot list the files: the results are in a key-value store", "look into the store itself")
        sandbox = Sandbox("listing", self._limits.cleaning(), settings.directory.canonical)
        answer = interruptible(sandbox.call, compiled, "documents", "list-files", _json(**request), settings.text())
        return json.loads(answer)

    def copies(self, source: Source) -> dict[str, Any]:
        """What to copy so that a file outlives its session: each file of its document, with the header of a copy that does
        not expire. The copy of a file is this header, a newline, and what follows its first `header_bytes` bytes."""
        return json.loads(self._document("keeping", "copies", source))

    def cleanup(self, **request: Any) -> Cleaning:
        """Deletes expired offloaded files in the output directory and one folder below it, and nothing else. With `all` it
        is a purge."""
        # A name that got lost on its way would mean the files of all, of which these keys delete some that have not expired.
        takes_fresh = request.get("all") or any(request.get(key) is not None for key in ("max_files", "max_bytes"))
        if takes_fresh and "session" in request:
            session_name(request["session"], "clean up")
        compiled, settings = self._opened()
        if isinstance(settings.directory, StoredDirectory):
            return self._cleaned(settings.directory, request)
        if settings.directory.is_shared:
            request["shared_directory"] = True
        if not self._read_only:
            settings.directory.remove_abandoned()
        directory = settings.directory.canonical
        sandbox = Sandbox("cleanup", self._limits.cleaning(), directory, writable=not self._read_only)
        answer = sandbox.call(compiled, "offloader", "cleanup", _json(**request), settings.text())
        return Cleaning(answer.deleted, getattr(answer, "freed-bytes"), answer.kept, events_of(answer.events))

    def resolve(
        self, file_text: str = "", environment: Mapping[str, str] | None = None, **explicit: Any
    ) -> dict[str, Any]:
        """Resolves settings from a TOML file's text, variables and explicit values. The result has every key."""
        return resolve_text(self._opened()[0], file_text, environment or {}, explicit)

    def mcp_tools(self) -> str:
        """Returns the definitions of the tools that the settings offer, as the text of a JSON array of MCP Tool objects."""
        compiled, settings = self._opened()
        sandbox = Sandbox("listing the tools", Limits.resolving())
        return sandbox.call(compiled, "mcp", "tools", settings.text())

    def mcp_call(self, name: str, arguments: str) -> str:
        """Executes a call of one of these tools and returns the text of a CallToolResult."""
        compiled, settings = self._opened()
        texts = checked.text(name, "name"), checked.text(arguments, "arguments")
        try:
            with self._reading("extraction", _file_of(arguments, settings.resolved.get("call") or {})) as (sandbox, _):
                return interruptible(sandbox.call, compiled, "mcp", "call", *texts, settings.text())
        except (IoFailure, LimitReached) as error:
            # The model that sent the filter can fix it, and wait for a store.
            return failed_result(error)

    def mcp_offload_result(self, tool: str, arguments: str, result: str) -> Rewritten:
        """Offloads another tool's CallToolResult if it is large. Like `offload`, it does not fail because of a lack of
        disk, memory or time."""
        self._opened()
        message, size = measured(result)
        texts = checked.text(tool, "tool"), checked.text(arguments, "arguments"), message
        bounds = self._limits.offloading_message(size)
        try:
            answer, events = self._offloaded("mcp", "offload-result", texts, message, bounds)
        except (InvalidArgument, Unusable):
            raise
        except LroError as error:
            return withheld_result(error)
        sections: list[str] = getattr(answer, "section-file-names")
        name = getattr(answer, "file-name")
        return Rewritten(answer.message, name, (*events, *self._swept(name)), tuple(sections))

    def mcp_offload_tools(self, listed: str) -> str | None:
        """Changes the answer to `tools/list`. Returns the text to send instead, if there is one."""
        compiled, settings = self._opened()
        listed = checked.text(listed, "listed")
        sandbox = Sandbox("rewriting the list of tools", self._limits.offloading_message(len(listed.encode())))
        return sandbox.call(compiled, "mcp", "offload-tools", listed, settings.text())

    def mcp_resolve_arguments(self, tool: str, arguments: str) -> str | None:
        """Replaces references to our files in the arguments of another tool by the data that they mean. Returns the text
        to send instead, if there is one. An error is to be answered with a result that has `isError`."""
        compiled, settings = self._opened()
        texts = checked.text(tool, "tool"), checked.text(arguments, "arguments")
        directory = settings.directory
        known: dict[str, Any] = settings.resolved.get("call") or {}
        files = {directory.present(_in_session(file, known)) for file in _FILE_NAMES.findall(arguments)}
        with directory.reading(*files) as (folder, size):
            bounds = self._limits.extraction(size + len(arguments.encode()))
            sandbox = Sandbox("resolving arguments", bounds, folder)
            return interruptible(sandbox.call, compiled, "mcp", "resolve-arguments", *texts, settings.text())

    def for_call(self, **known: Any) -> Self:
        """The same for one call over MCP: `known` are members of the setting `call`, which they replace, and
        `context_tokens`, if the window of the call's model is known."""
        calls = copy.copy(self)
        calls._known = known
        return calls

    def _opened(self) -> tuple[Compiled, Settings]:
        compiled, settings = self._once.result(self._open)
        return compiled, settings if self._known is None else settings.for_call(self._known)

    def _may_be_offloaded(self, payload: str, operation: str, request: dict[str, Any]) -> bool:
        """False for a result below the threshold. The gates of a context window look at more than a threshold."""
        settings = self.settings
        characters = settings.get("threshold_characters")
        most = settings["threshold_tokens"] if characters is None else characters
        return settings.get("context_tokens") is not None or self.estimate(payload, operation, **request) > most

    def _offloaded(
        self, interface: str, name: str, texts: tuple[str, ...], payload: str, bounds: Bounds
    ) -> tuple[Any, tuple[Event, ...]]:
        """The answer to an offload, and what happened on the way. One that is stopped is asked for once more, only to be
        truncated: what is large is never passed on because offloading it failed."""
        compiled, settings = self._opened()
        given = (*texts, settings.text())
        try:
            answer = self._written("offloading", bounds, interface, name, given)
            return answer, events_of(answer.events)
        except (InvalidArgument, Unusable):
            raise
        except LroError as error:
            if isinstance(error, IoFailure):
                # A directory that cannot be written to is what the component truncates for.
                sandbox = Sandbox("offloading", bounds, settings.directory.canonical)
                answer = sandbox.call(compiled, interface, name, *given)
                events = events_of(answer.events)
                _tell(answer, events, error)
                return answer, tuple(because(event, error) for event in events)
            sandbox = Sandbox("truncating", Limits.truncating(len(payload.encode())))
            text = settings.text(truncate_reason=error.message)
            try:
                answer = sandbox.call(compiled, interface, name, *texts, text)
            except LroError:
                # Why it was stopped says more than why it could not be truncated either.
                raise error from None
            events = events_of(answer.events)
            is_told = any(event.name == "OffloadFailed" for event in events)
            return answer, events if is_told else (*events, failure_event(error))

    def _swept(self, written: str | None) -> tuple[Event, ...]:
        """Deletes what has expired, after a write, and returns the events. A sweep that fails says nothing: the result that
        was written is what counts."""
        directory = self._opened()[1].directory.canonical
        if written is None or self._read_only or directory is None or not is_due(str(directory)):
            return ()
        try:
            return self.cleanup(quick=True).events
        except LroError:
            return ()

    def _written(
        self,
        operation: str,
        bounds: Bounds,
        interface: str,
        name: str,
        given: tuple[Any, ...],
        lent: str | None = None,
    ) -> Any:
        """The answer of a call that may write, whose files are private from their first byte on. `lent`: a file of the
        output directory that it reads."""
        compiled, settings = self._opened()
        if self._read_only:
            return Sandbox(operation, bounds, settings.directory.canonical).call(compiled, interface, name, *given)
        if self._creates:
            settings.directory.restore()
        with settings.directory.staging() as staging:
            if staging is None:
                sandbox = Sandbox(operation, bounds, settings.directory.canonical, writable=True)
                return sandbox.call(compiled, interface, name, *given)
            if lent is not None:
                staging.lend(lent)
            answer = Sandbox(operation, bounds, staging.path, writable=True).call(compiled, interface, name, *given)
            staging.publish(_main_file(answer))
            return answer

    def _cleaned(self, directory: StoredDirectory, request: Mapping[str, Any]) -> Cleaning:
        """A cleanup where the store deletes what expires."""
        if self._read_only or request.get("quick"):
            return Cleaning(0, 0, 0, ())
        everything = request.get("all") is True or request.get("max_files") == 0
        return directory.clean(request.get("session"), everything=everything, is_dry=request.get("dry_run") is True)

    def _lines(self, operation: str, name: str, source: Source, request: Mapping[str, Any]) -> Any:
        """The answer of a call of the interface `reader`."""
        compiled, settings = self._opened()
        with self._reading(operation, source) as (sandbox, presented):
            given = (presented, _json(**request), settings.text())
            return interruptible(sandbox.call, compiled, "reader", name, *given)

    def _document(self, operation: str, name: str, source: Source) -> str:
        compiled, settings = self._opened()
        with self._reading(operation, source) as (sandbox, presented):
            return interruptible(sandbox.call, compiled, "documents", name, presented, settings.text())

    @contextmanager
    def _reading(self, operation: str, source: Source) -> Generator[tuple[Sandbox, Any], None, None]:
        """A sandbox that reads from a source, and the source as the contract has it."""
        compiled, settings = self._opened()
        if isinstance(source, Content):
            content = checked.text(source.text, "content")
            sandbox = Sandbox(operation, self._limits.extraction(len(content.encode())))
            yield sandbox, compiled.source("content", content)
            return
        file = settings.directory.present(checked.path(source, "source"))
        with settings.directory.reading(file) as (folder, size):
            yield Sandbox(operation, self._limits.extraction(size), folder), compiled.source("file", file)


# What may be names of our files in arguments, the text of JSON: the limits of a call grow with what it reads.
_FILE_NAMES = re.compile(r'"(?:lro://)?([^"\\]+\.(?:jsonl|txt))"')


def _json(**request: Any) -> str:
    """The text of a request, without keys that are `None`."""
    return checked.json_text({key: value for key, value in request.items() if value is not None}, "the request")


def _cache(chosen: str | os.PathLike[str] | None | bool) -> Path | None:
    """The folder for the compiled form, if there is to be one."""
    if chosen is True:
        return compiling.cache_folder()
    return None if chosen is None or chosen is False else Path(checked.path(chosen, "compiled_cache"))


def _file_of(arguments: str, known: Mapping[str, Any]) -> str:
    """The file that a call of a tool names: the limits of an extraction grow with it."""
    try:
        named: Any = json.loads(arguments)
    except ValueError:
        return ""
    given = cast(dict[str, Any], named) if isinstance(named, dict) else {}
    files = [given.get(key) for key in _FILE_KEYS]
    return _in_session(next((file for file in files if isinstance(file, str)), ""), known)


def _in_session(file: str, known: Mapping[str, Any]) -> str:
    """A bare name as that of a file of the conversation's folder."""
    session = known.get("session")
    return f"{session}/{file}" if session and file and not set("/\\") & set(file) else file


def _main_file(answer: Any) -> str | None:
    """The file of an offload, of a tool's result too; an extraction into a file has one only."""
    outcome = getattr(answer, "outcome", None)
    stored = answer if outcome is None else outcome.payload
    return getattr(stored, "file-name", None)


def _tell(answer: Any, events: tuple[Event, ...], error: IoFailure) -> None:
    """Puts the reason that this side knows better into the text that a model reads."""
    reasons = [str(event.fields.get("error")) for event in events if event.name == "OffloadWriteFailed"]
    # Inside of a JSON text of a JSON text nothing may need an escape.
    told = re.sub(r"[^ !#-\[\]-~]", "'", error.message)
    holder, name = (answer, "message") if hasattr(answer, "message") else (answer.outcome, "payload")
    text = getattr(holder, name)
    if reasons and isinstance(text, str):
        setattr(holder, name, text.replace(reasons[0], told))


_IN_PLACE: dict[str, type[Unchanged] | type[Inline] | type[Truncated]] = {
    "unchanged": Unchanged,
    "inline": Inline,
    "truncated": Truncated,
}
"""The outcomes without a file."""


def _offloading(answer: Any, given: Any, payload: str, events: tuple[Event, ...]) -> Offloading:
    estimated: int = getattr(answer, "estimated-tokens")
    value = answer.outcome.payload
    if answer.outcome.tag != "offloaded":
        kind = _IN_PLACE[answer.outcome.tag]
        return kind(payload if value is None else value, given, estimated, events=events)
    sections = tuple(Section(getattr(section, "file-name"), section.content) for section in value.sections)
    name: str = getattr(value, "file-name")
    return Offloaded(
        value.response, given, estimated, file_name=name, content=value.content, sections=sections, events=events
    )


def _extraction(answer: Any, raw: bool | None) -> Extraction:
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
        is_raw=raw is not False,
    )
