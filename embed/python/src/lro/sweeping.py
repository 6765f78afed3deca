"""Everything that writes also sweeps: what has expired goes although nobody calls `cleanup`."""

from __future__ import annotations

import threading
import time

_INTERVAL_SECONDS = 300.0
"""A process sweeps a directory at most this often."""

_MOST_DIRECTORIES = 256
"""More directories than this are forgotten together, and swept again."""

_swept: dict[str, float] = {}
_lock = threading.Lock()


def is_due(directory: str) -> bool:
    """True if this process has not swept the directory for a while. It is expected to do so now."""
    now = time.monotonic()
    with _lock:
        if now - _swept.get(directory, -_INTERVAL_SECONDS) < _INTERVAL_SECONDS:
            return False
        if len(_swept) >= _MOST_DIRECTORIES:
            _swept.clear()
        _swept[directory] = now
        return True
