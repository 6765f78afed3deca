"""Events on their way to the logger `lro`."""

from __future__ import annotations

import logging

from .results import Event

ROUTINE = ("ExpiryLeftToStore", "LargeResultDetected", "OffloadWritten")
"""Events of every offload, and of every cleanup of a store, which are logged for whoever looks for them."""

_log = logging.getLogger("lro")


def logged(event: Event) -> None:
    """Logs an event: what went wrong is a warning."""
    level = logging.WARNING if event.name.endswith(("Failed", "Unavailable")) else logging.INFO
    if event.name in ROUTINE:
        level = logging.DEBUG
    _log.log(level, "%s: %s", event.name, event.message)
