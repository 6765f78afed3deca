"""Opening the component, once for each component and cache folder of a process."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Generic, TypeVar

from .compiled import Compiled
from .errors import LroError, Unusable

Opened = TypeVar("Opened")


class Once(Generic[Opened]):
    """Work that is done by whoever asks first, and waited for by others. A failure is told to all of them, and the next
    one tries again.

    It is known by process: a forked one does not wait for a thread that it does not have.
    """

    def __init__(self) -> None:
        self._futures: dict[int, Future[Opened]] = {}
        self._opened: dict[int, Opened] = {}

    def result(self, work: Callable[[], Opened]) -> Opened:
        """What `work` answers, here or elsewhere."""
        ours: Future[Opened] = Future()
        # In one step, without a lock that a fork could leave locked.
        future = self._futures.setdefault(os.getpid(), ours)
        if future is ours:
            try:
                self._opened[os.getpid()] = opened = work()
                future.set_result(opened)
            except BaseException as error:
                del self._futures[os.getpid()]
                told = error if isinstance(error, LroError) else Unusable(f"opening stopped: {error!r}")
                future.set_exception(told)
                # An interrupt stays one for whoever it was meant for.
                raise told if isinstance(error, Exception) else error
        return future.result()

    def inherited(self) -> Opened | None:
        """What a process that this one was forked from had opened by then."""
        # Not from a future, whose lock another thread may have held at the fork.
        inherited = [opened for process, opened in self._opened.items() if process != os.getpid()]
        return inherited[-1] if inherited else None


_opened: dict[tuple[bytes, Path | None], Once[Compiled]] = {}


def compiled(component: bytes, cache: Path | None) -> Compiled:
    """The compiled component. Callers that ask for the same one share it, and wait for the first of them."""
    key = (hashlib.sha256(component).digest(), cache)
    once = _opened.setdefault(key, Once())

    def compile_it() -> Compiled:
        try:
            return Compiled(component, cache, once.inherited())
        except LroError:
            raise
        except Exception as error:
            raise Unusable(f"cannot compile the component: {error}") from error

    return once.result(compile_it)
