"""One call in a sandbox of its own: no network, no environment, at most one directory, limits on time and memory.

It is thrown away afterwards, so that a call which is stopped needs no recovery.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import wasmtime

from .compiled import TICK, Compiled
from .errors import LimitReached, LroError, Unusable, from_contract
from .limits import Bounds

GUEST_DIRECTORY = "/output"
"""The output directory's name inside the sandbox."""

_MOST_STDERR_BYTES = 4096
"""What is kept of the component's standard error: the reason of an abort is one line."""


_MOST_ANSWER_MIB = 128
"""What wasmtime lets out of the sandbox in one call. Its Python package has no way to change it."""

@dataclass(frozen=True, slots=True)
class Sandbox:
    """The input of a call."""

    operation: str
    """What runs, as a noun for messages: `extraction`."""
    bounds: Bounds
    directory: Path | None = None
    writable: bool = False

    def call(self, compiled: Compiled, interface: str, name: str, *arguments: Any) -> Any:
        """Calls a function of the contract; an error of it is raised."""
        said = bytearray()
        with compiled.runtime.wasmtime.Store(compiled.engine) as store:
            store.set_wasi(self._wasi(compiled.runtime.wasmtime, said))
            store.set_limits(memory_size=self.bounds.memory_bytes)
            try:
                answer = self._run(compiled, store, interface, name, arguments)
            except compiled.runtime.wasmtime.WasmtimeError as error:
                raise self._stopped(str(error), said) from error
        # wasmtime hands out the value of a `result`, or its error, without saying which. Only errors are variants here.
        if isinstance(answer, compiled.runtime.component.Variant):
            raise from_contract(answer.tag, answer.payload)
        return answer

    def _run(
        self, compiled: Compiled, store: wasmtime.Store, interface: str, name: str, arguments: tuple[Any, ...]
    ) -> Any:
        try:
            index = compiled.function(interface, name)
        except LookupError as error:
            raise Unusable(str(error)) from error
        # One tick more, since the first may come at once.
        store.set_epoch_deadline(int(self.bounds.seconds / TICK) + 2)
        instance = compiled.linker.instantiate(store, compiled.component)
        function = instance.get_func(store, index)
        if function is None:
            raise Unusable(f"`{interface}.{name}` of the component is not a function")
        with compiled.clock.running():
            return function(store, *arguments)

    def _wasi(self, wasmtime: Any, said: bytearray) -> Any:
        wasi = wasmtime.WasiConfig()

        def listen(text: bytes) -> None:
            said.extend(text[: _MOST_STDERR_BYTES - len(said)])

        wasi.stderr_custom = listen
        if self.directory is not None:
            try:
                wasi.preopen_dir(str(self.directory), GUEST_DIRECTORY, self.writable)
            except wasmtime.WasmtimeError:
                pass  # A directory that has gone is not granted; the component says what follows from that.
        return wasi

    def _stopped(self, reason: str, said: bytearray) -> LroError:
        """Returns the error that ended a call."""
        if _is_out_of_memory(reason, said):
            mebibytes = self.bounds.memory_bytes >> 20
            return LimitReached(
                f"{self.operation} stopped: it needs more than {mebibytes} MiB of memory",
                "collect less at once, or raise the memory limit",
                "max_memory_mib",
                mebibytes,
            )
        if "wasm trap: interrupt" in reason:
            milliseconds = round(self.bounds.seconds * 1000)
            return LimitReached(
                f"{self.operation} stopped: it ran longer than {milliseconds} ms",
                "look at less data, or raise the time limit",
                "timeout_ms",
                milliseconds,
            )
        if "fuel allocated for hostcalls" in reason:
            return LimitReached(
                f"{self.operation} stopped: its answer has more than {_MOST_ANSWER_MIB} MiB",
                "ask for less at once",
                "max_answer_mib",
                _MOST_ANSWER_MIB,
            )
        # The component's own stack lies at the start of its memory: below it is out of bounds.
        if "call stack exhausted" in reason or "out of bounds memory access" in reason:
            return LimitReached(
                f"{self.operation} stopped: its calls nest too deep",
                "the filter probably recurses without end: give its recursion a case that ends it",
                "max_stack_bytes",
                512 << 10,
            )
        return LroError(f"{self.operation} stopped unexpectedly: {reason.strip().splitlines()[-1]}")


def _is_out_of_memory(reason: str, said: bytearray) -> bool:
    """wasmtime's limiter cannot say that it refused, but the component's allocator says so before it aborts. While it takes
    arguments it may not say anything, and a trap of its own tells that it tried."""
    is_taking = "cannot leave component instance" in reason
    return b"memory allocation of" in said or "memory minimum size" in reason or is_taking
