"""Threads for asynchronous calls: our own, so that results which take their time do not stop a server's `to_thread`."""

from __future__ import annotations

import asyncio
import contextvars
import functools
import os
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Literal, ParamSpec, TypeVar

Parameters = ParamSpec("Parameters")
Answer = TypeVar("Answer")

_MOST: dict[str, int] = {"writing": 16, "reading": 8}
"""Threads of each kind. More results at once that use up all of their time keep others waiting; each holds a copy of its
result."""

_pools: dict[tuple[int, str], ThreadPoolExecutor] = {}
"""By process, since a forked one has none of the threads, and kind."""


async def off_the_loop(
    kind: Literal["writing", "reading"],
    function: Callable[Parameters, Answer],
    *arguments: Parameters.args,
    **keywords: Parameters.kwargs,
) -> Answer:
    """As `asyncio.to_thread`. What writes and what reads do not wait for each other."""
    context = contextvars.copy_context()
    call: Any = functools.partial(context.run, function, *arguments, **keywords)
    return await asyncio.get_running_loop().run_in_executor(_pool(kind), call)


def interruptible(
    function: Callable[Parameters, Answer], *arguments: Parameters.args, **keywords: Parameters.kwargs
) -> Answer:
    """The answer of a function. In the main thread Ctrl-C ends the wait for it, where it would otherwise be noticed when a
    filter has used up its time."""
    if threading.current_thread() is not threading.main_thread():
        return function(*arguments, **keywords)
    answer: Future[Answer] = Future()

    def run() -> None:
        try:
            answer.set_result(function(*arguments, **keywords))
        except BaseException as error:  # Told to whoever waits.
            answer.set_exception(error)

    # It does not keep the process: what only reads loses nothing.
    threading.Thread(target=run, name="lro-reading", daemon=True).start()
    return answer.result()


def _pool(kind: str) -> ThreadPoolExecutor:
    key = (os.getpid(), kind)
    pool = _pools.get(key)
    # One that another thread has made meanwhile is kept; a pool without work has no threads.
    return pool or _pools.setdefault(key, ThreadPoolExecutor(_MOST[kind], f"lro-{kind}"))
