"""Opening the component in the background, once for each component and cache folder of a process."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import TypeVar

from .compiled import Compiled
from .errors import Unusable

T = TypeVar("T")

_opened: dict[tuple[bytes, Path | None], Future[Compiled]] = {}
_one_at_a_time = threading.Lock()


def in_background(work: Callable[[], T], name: str) -> Future[T]:
    """Runs work in a thread of its own, which does not keep the process alive."""
    future: Future[T] = Future()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:  # Told to whoever asks for the result.
            future.set_exception(error)

    threading.Thread(target=run, name=name, daemon=True).start()
    return future


def compiled(component: bytes, cache: Path | None) -> Compiled:
    """The compiled component. Callers that ask for the same one share it, and wait for the first of them."""
    key = (hashlib.sha256(component).digest(), cache)
    with _one_at_a_time:
        future = _opened.get(key)
        is_first = future is None
        if future is None:
            future = _opened[key] = Future()
    if is_first:
        try:
            future.set_result(Compiled(component, cache))
        except BaseException as error:
            with _one_at_a_time:
                del _opened[key]
            future.set_exception(Unusable(f"cannot compile the component: {error}"))
    return future.result()
