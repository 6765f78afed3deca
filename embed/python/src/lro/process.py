"""The process that the component was loaded in. One that is forked from it cannot use the component."""

from __future__ import annotations

import os

from .errors import Unusable

_loaded_in: int | None = None


def enter() -> None:
    """Notes that this process loads or calls the component.

    wasmtime compiles and reads files in threads of its own. A forked process lacks them and would wait for them for ever,
    so it is refused at once. A process that was forked before anything was loaded is like any other.
    """
    global _loaded_in
    if _loaded_in is None:
        _loaded_in = os.getpid()
    if _loaded_in != os.getpid():
        raise Unusable(
            "the component cannot be used in a process that was forked after it had been loaded",
            "fork before the first call of `Lro`, or start processes with `spawn`",
        )
