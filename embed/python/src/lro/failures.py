"""The answer to an offload that failed: an event, and as a last resort a result that says so."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from .errors import LimitReached, LroError
from .results import Event, Rewritten, Truncated

_LESS = "look at less at once: some of the lines (`line`, `lines`), or a filter that does less and collects less"
"""What a model can do about a limit that only an operator can raise."""


def failure_event(error: LroError) -> Event:
    """The event of an offload that failed because of a lack of something."""
    return Event("OffloadFailed", f"offloading the result failed: {error.message}", error.as_dict())


def because(event: Event, error: LroError) -> Event:
    """The event of a failed write, with the reason that this side knows better."""
    return replace(event, message=error.message) if event.name == "OffloadWriteFailed" else event


def withheld(given: Any, error: LroError) -> Truncated:
    """The last resort: an offload that was stopped, and could not be truncated by the component either."""
    answer: dict[str, Any] = {"offloaded": False, "warning": _because(error), "results": [], "returned": 0, "total": 0}
    return Truncated(json.dumps(answer), given, events=(failure_event(error),))


def withheld_result(error: LroError) -> Rewritten:
    """The same for the result of a tool."""
    message = json.dumps({"content": [{"type": "text", "text": _because(error)}], "isError": True})
    return Rewritten(message, None, (failure_event(error),))


def failed_result(error: LroError) -> str:
    """The result of one of our tools that failed on this side of the component, as the text of a CallToolResult."""
    is_operators = isinstance(error, LimitReached) and error.limit in ("timeout_ms", "max_memory_mib")
    words = "; ".join(filter(None, (error.message, _LESS if is_operators else error.hint)))
    return json.dumps({"content": [{"type": "text", "text": words}], "isError": True})


def _because(error: LroError) -> str:
    return f"the result is withheld, because offloading it failed: {error.message}; ask for less at once"
