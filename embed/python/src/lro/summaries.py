"""Summaries of a result's lists by functions (SECTION-04)."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, cast

from .results import Event

Functions = dict[str, Callable[[Any], Any]]

_KEY = re.compile(r'\.(?:([A-Za-z_][A-Za-z0-9_]*)|("(?:[^"\\]|\\.)*"))')


def apart(request: dict[str, Any]) -> tuple[dict[str, Any], Functions]:
    """A request without the functions in its sections, and these by the paths of their lists."""
    sections = request.get("sections")
    if not isinstance(sections, Mapping):
        return request, {}
    functions: Functions = {}
    plain: dict[str, Any] = {}
    for path, section in cast("Mapping[str, Any]", sections).items():
        plain[path] = section
        if isinstance(section, Mapping) and callable(summary := cast("Mapping[str, Any]", section).get("summary")):
            functions[path] = summary
            plain[path] = {key: value for key, value in cast("Mapping[str, Any]", section).items() if key != "summary"}
    return {**request, "sections": plain}, functions


def added(
    request: dict[str, Any], functions: Functions, given: Any, payload: str
) -> tuple[dict[str, Any], tuple[Event, ...]]:
    """The request with what the functions return, and an event for each that failed: the result is offloaded all the same."""
    document = _document(given, payload)
    sections = dict(request["sections"])
    events: list[Event] = []
    for path, function in functions.items():
        try:
            found, value = _at(document, path)
            if found:
                sections[path] = {**sections[path], "summary": _checked(function(value))}
        except Exception as error:
            told = f"{type(error).__name__}: {error}"
            events.append(Event("SummaryFailed", f"the summary of `{path}` failed: {told}", {"path": path, "error": told}))
    return {**request, "sections": sections}, tuple(events)


def _document(given: Any, payload: str) -> Any:
    """The result as an object: itself if it is one, otherwise what its text holds."""
    if isinstance(given, (dict, list, tuple)):
        return cast("Any", given)
    try:
        return json.loads(payload)
    except ValueError:
        return payload


def _at(document: Any, path: str) -> tuple[bool, Any]:
    """The value at a jq path of keys, if there is one; `.` is the whole."""
    if path.strip() == ".":
        return True, document
    place, value = 0, document
    while place < len(path):
        found = _KEY.match(path, place)
        if found is None or not isinstance(value, Mapping):
            return False, None
        key = found[1] if found[2] is None else json.loads(found[2])
        members = cast("Mapping[Any, Any]", value)
        if key not in members:
            return False, None
        value, place = members[key], found.end()
    return True, value


def _checked(summary: Any) -> Any:
    if isinstance(summary, str):
        return summary
    if isinstance(summary, Mapping):
        # What cannot be written is the function's fault, not the request's.
        return json.loads(json.dumps(dict(cast("Mapping[str, Any]", summary)), allow_nan=False))
    raise TypeError(f"a summary is a text or a dict, not {type(summary).__name__}")
