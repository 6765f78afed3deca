"""What calls return."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias


@dataclass(frozen=True, slots=True)
class Event:
    """Something an observer may want to know."""

    name: str
    """`OffloadWriteFailed`, `OffloadFileExpired`, or another name in upper camel case."""
    message: str
    """One line for a log."""
    fields: dict[str, Any]
    """The facts."""


@dataclass(frozen=True, slots=True)
class Section:
    """The file of a further list of a document."""

    file_name: str
    content: str | None
    """The file's text with the setting `store="content"`."""


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What all answers of `offload` have."""

    outcome: str
    text: str
    """What to return to the client, as text. Empty for an object without a JSON form, which stays, as an event says."""
    given: Any = field(repr=False)
    """The object that was passed in."""
    estimated_tokens: int = 0
    file_name: str | None = None
    """The file, relative to the output directory: `NAME`, or `SESSION/NAME`."""
    content: str | None = None
    """The file's text with the setting `store="content"`; otherwise the file has been written."""
    sections: tuple[Section, ...] = ()
    events: tuple[Event, ...] = ()


@dataclass(frozen=True, slots=True)
class Unchanged(_Outcome):
    """Nothing was done: return the result itself."""

    outcome: Literal["unchanged"] = field(default="unchanged", init=False)
    file_name: None = None
    content: None = None

    @property
    def response(self) -> None:
        """Nothing was replaced."""
        return None

    @property
    def result(self) -> Any:
        """What a tool should return: its own object."""
        return self.given


@dataclass(frozen=True, slots=True)
class Inline(_Outcome):
    """The text is projected or formatted."""

    outcome: Literal["inline"] = field(default="inline", init=False)
    file_name: None = None
    content: None = None

    @property
    def response(self) -> None:
        """Nothing was replaced."""
        return None

    @property
    def result(self) -> str:
        """What a tool should return: the text."""
        return self.text


@dataclass(frozen=True, slots=True)
class Offloaded(_Outcome):
    """The result is in a file."""

    outcome: Literal["offloaded"] = field(default="offloaded", init=False)
    file_name: str = field(kw_only=True)

    @property
    def response(self) -> dict[str, Any]:
        """The response as an object."""
        return json.loads(self.text)

    @property
    def result(self) -> dict[str, Any]:
        """What a tool should return: the response."""
        return self.response


@dataclass(frozen=True, slots=True)
class Truncated(_Outcome):
    """The result could not be offloaded, and the text has a part of it, or none."""

    outcome: Literal["truncated"] = field(default="truncated", init=False)
    file_name: None = None
    content: None = None

    @property
    def response(self) -> dict[str, Any]:
        """The truncated answer as an object."""
        return json.loads(self.text)

    @property
    def result(self) -> dict[str, Any]:
        """What a tool should return: the truncated answer."""
        return self.response


Offloading: TypeAlias = Unchanged | Inline | Offloaded | Truncated
"""What `offload` returns: `outcome` says which."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A record on which the filter failed."""

    line: int
    """In the file; the first record is on line 2."""
    message: str
    hint: str


@dataclass(frozen=True, slots=True)
class Extraction:
    """One page of results."""

    text: str
    """The results as JSON Lines; with `raw`, strings have no quotes and escapes."""
    count: int
    total: int | None
    """How many results there are in all, if that is known without a second pass."""
    truncated: bool
    """True if there are more results than this page holds."""
    next: str | None
    """Where the next page begins. Pass it back as `next` of an otherwise equal call."""
    failed: int
    failures: tuple[Failure, ...]
    remarks: tuple[str, ...]
    """What looks wrong although nothing failed."""
    is_raw: bool = field(default=False, repr=False)
    """True if lines may be bare strings, as with `raw=True` and `raw=None`."""

    @property
    def results(self) -> list[Any]:
        """The results as objects, or as lines if they may be bare strings."""
        lines = self.text.split("\n")[:-1]
        return lines if self.is_raw else [json.loads(line) for line in lines]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.results)

    def __len__(self) -> int:
        return self.count


@dataclass(frozen=True, slots=True)
class Passage:
    """One page of a range of lines or characters."""

    text: str
    """The text with its line ends, or the base64 of its bytes."""
    first: int
    """The first line or character of it; 0 if there is none."""
    last: int
    total: int | None
    """How many lines or characters there are in all, if that is known."""
    truncated: bool
    next: str | None
    """Where the next page begins. Pass it back as `next`."""
    remarks: tuple[str, ...]
    """What differs from what was asked for."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A line that matches."""

    line: int
    character: int
    """The character of the line at which the match begins."""
    length: int
    """How many characters match."""
    text: str
    """The line, or at most 400 characters around the match."""
    start: int
    """The character of the line with which `text` begins."""
    before: tuple[str, ...]
    after: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Findings:
    """One page of lines that match."""

    hits: tuple[Hit, ...]
    total: int | None
    """How many hits there are in all, if the whole file has been searched."""
    lines: int | None
    """The number of lines; `None` if there is a next page."""
    truncated: bool
    next: str | None
    """Where the next page begins. Pass it back as `next` of an otherwise equal call."""
    remarks: tuple[str, ...]
    """What a reader should know: that nothing matches, and why that may be."""

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)

    def __len__(self) -> int:
        return len(self.hits)


@dataclass(frozen=True, slots=True)
class Cleaning:
    """What a cleanup did."""

    deleted: int
    freed_bytes: float
    kept: int
    events: tuple[Event, ...]


@dataclass(frozen=True, slots=True)
class Rewritten:
    """What `mcp_offload_result` returns."""

    message: str | None
    """The JSON text to send instead; `None` to send the message unchanged."""
    file_name: str | None
    events: tuple[Event, ...]
    section_file_names: tuple[str, ...] = ()
    """Files of further lists."""


def events_of(records: list[Any]) -> tuple[Event, ...]:
    """Events of the contract."""
    return tuple(Event(event.name, event.message, json.loads(event.fields or "{}")) for event in records)
