"""The event loop on which key-value stores run: one thread for each process, because their connections belong to one loop
and calls come from many threads."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

Answer = TypeVar("Answer")

_GRACE_SECONDS = 0.5
"""A store that blocks the loop cannot be cancelled in it; its caller stops waiting this much later."""

_loops: dict[int, asyncio.AbstractEventLoop] = {}
"""By process, since a forked one does not have the thread."""


def run(work: Coroutine[Any, Any, Answer], seconds: float) -> Answer:
    """Returns what `work` returns on the loop. `TimeoutError` after so many seconds; the work is then cancelled."""
    future = asyncio.run_coroutine_threadsafe(asyncio.wait_for(work, seconds), _loop())
    try:
        return future.result(seconds + _GRACE_SECONDS)
    except TimeoutError:
        future.cancel()
        raise


def start(work: Coroutine[Any, Any, None], seconds: float) -> None:
    """Lets `work` run on the loop for so many seconds. Nobody learns what becomes of it."""
    future = asyncio.run_coroutine_threadsafe(asyncio.wait_for(work, seconds), _loop())
    future.add_done_callback(lambda done: done.cancelled() or done.exception())


def _loop() -> asyncio.AbstractEventLoop:
    loop = _loops.get(os.getpid())
    if loop is None:
        ours = asyncio.new_event_loop()
        # In one step, without a lock that a fork could leave locked.
        loop = _loops.setdefault(os.getpid(), ours)
        if loop is ours:
            threading.Thread(target=loop.run_forever, name="lro-store", daemon=True).start()
        else:
            ours.close()
    return loop
