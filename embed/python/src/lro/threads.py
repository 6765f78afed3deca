"""Threads for asynchronous calls: our own, so that results which take their time do not stop a server's `to_thread`."""

from __future__ import annotations

import asyncio
import contextvars
import functools
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
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


def _pool(kind: str) -> ThreadPoolExecutor:
    key = (os.getpid(), kind)
    pool = _pools.get(key)
    # One that another thread has made meanwhile is kept; a pool without work has no threads.
    return pool or _pools.setdefault(key, ThreadPoolExecutor(_MOST[kind], f"lro-{kind}"))
