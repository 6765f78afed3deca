"""The compiled component: compiling takes some seconds, loading the compiled form some milliseconds.

A compiled component is native code, so only a folder that nobody else can write to is trusted, and a digest finds what
has been damaged. Losing the cache is never an error: the component is then compiled.
"""

from __future__ import annotations

import hashlib
import os
import platform
import sys
import tempfile
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path
from typing import Any

import wasmtime

from . import runtime
from .errors import Unusable

TICK = 0.01
"""Seconds. A time limit is exact to about two ticks."""

# Nothing is imported later than with this module: an import that a fork interrupts hangs for ever in the child.
_EMBEDDED = Path(__file__).with_name("lro.wasm")
_WASMTIME_VERSION = metadata.version("wasmtime")

_CONFIGURATION = "epochs"
"""Part of the key of the cache: change it together with `_engine`."""

_PART = "python-part-"
"""What the temporary names begin with."""

_ABANDONED_SECONDS = 3600.0

_DIGEST_BYTES = hashlib.sha256().digest_size


class Clock:
    """Advances an engine's epoch while a call runs, and sleeps otherwise."""

    def __init__(self, engine: wasmtime.Engine) -> None:
        self._engine = engine
        self._running = 0
        self._wanted = threading.Condition()
        threading.Thread(target=self._tick, name="lro-clock", daemon=True).start()

    def _tick(self) -> None:
        pause = threading.Event()
        while True:
            with self._wanted:
                self._wanted.wait_for(lambda: self._running > 0)
            self._engine.increment_epoch()
            pause.wait(TICK)

    @contextmanager
    def running(self) -> Generator[None, None, None]:
        """Keeps the epoch advancing."""
        with self._wanted:
            self._running += 1
            self._wanted.notify()
        try:
            yield
        finally:
            with self._wanted:
                self._running -= 1


class Compiled:
    """The component, ready to be instantiated. Threads may share it."""

    def __init__(self, component: bytes, cache: Path | None, inherited: Compiled | None = None) -> None:
        """`inherited`: the same in a process that this one was forked from; only its code is used."""
        self.runtime = runtime.of_this_process()
        self.engine = _engine(self.runtime)
        self.component = self._load(component, cache, inherited)
        self.linker = self.runtime.component.Linker(self.engine)
        self.linker.add_wasip2()
        self.clock = Clock(self.engine)

    def function(self, interface: str, name: str) -> Any:
        """Returns the index of a function of the contract; `None` if the component lacks it."""
        instance = self.component.get_export_index(f"lro:offload/{interface}@0.1.0")
        index = instance and self.component.get_export_index(name, instance)
        if index is None:
            raise LookupError(f"the component has no function `{name}` in an interface `{interface}`")
        return index

    def source(self, case: str, value: str) -> Any:
        """A case of the contract's variant `source`."""
        return self.runtime.component.Variant(case, value)

    def _load(self, component: bytes, cache: Path | None, inherited: Compiled | None) -> Any:
        loaded = self.runtime.component.Component
        file = cache and cache / _file_name(component)
        code = file and _read(file)
        if code is None and inherited is not None:
            code = inherited.component.serialize()
        if code is not None:
            try:
                return loaded.deserialize(self.engine, code)
            except self.runtime.wasmtime.WasmtimeError:
                pass  # Another build of wasmtime under the same version: compiled anew below.
        compiled = loaded(self.engine, component)
        if file is not None:
            _write(file, compiled.serialize())
        return compiled


def embedded() -> bytes:
    """Returns the component of this package. `Unusable` if it was not built."""
    try:
        return _EMBEDDED.read_bytes()
    except OSError as error:
        hint = "run `build.sh` in a clone of the repository, or install a wheel"
        raise Unusable(f"cannot read the component of this package: {error}", hint) from error


def cache_folder() -> Path | None:
    """`$LRO_CACHE_DIR` (empty: none), else the folder `lro` in the user's cache folder."""
    chosen = os.environ.get("LRO_CACHE_DIR")
    if chosen is not None:
        return Path(chosen) if chosen else None
    if sys.platform == "win32":
        return _absolute("LOCALAPPDATA", "lro")
    if sys.platform == "darwin":
        return _absolute("HOME", "Library/Caches/lro")
    return _absolute("XDG_CACHE_HOME", "lro") or _absolute("HOME", ".cache/lro")


def _absolute(variable: str, below: str) -> Path | None:
    folder = Path(os.environ.get(variable, ""))
    return folder / below if folder.is_absolute() else None


def _engine(used: runtime.Runtime) -> wasmtime.Engine:
    config = used.wasmtime.Config()
    config.epoch_interruption = True
    return used.wasmtime.Engine(config)


def _file_name(component: bytes) -> str:
    """Returns everything that must be equal for the code to fit."""
    parts = (_WASMTIME_VERSION, _CONFIGURATION, platform.machine(), sys.platform)
    key = hashlib.sha256("\0".join(parts).encode() + hashlib.sha256(component).digest())
    return f"python-{key.hexdigest()[:32]}.cwasm"


def _read(file: Path) -> bytes | None:
    """Returns what `_write` wrote, if it is whole and ours."""
    try:
        if not (_is_private(file.parent) and _is_private(file)):
            return None
        text = file.read_bytes()
    except OSError:
        return None
    digest, code = text[:_DIGEST_BYTES], text[_DIGEST_BYTES:]
    return code if hashlib.sha256(code).digest() == digest else None


def _write(file: Path, code: bytes | bytearray) -> None:
    """Writes under a temporary name and renames, so that a reader never sees half a file."""
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not _is_private(file.parent):
            return
        _remove_abandoned(file.parent)
        handle, part = tempfile.mkstemp(prefix=_PART, dir=file.parent)
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(hashlib.sha256(code).digest() + code)
            os.replace(part, file)
        except OSError:
            Path(part).unlink(missing_ok=True)
    except OSError:
        return  # A cache that cannot be written costs the next process some seconds and nothing else.


def _remove_abandoned(folder: Path) -> None:
    """Removes what processes that were killed while they wrote have left: no writing takes that long."""
    for part in folder.glob(f"{_PART}*"):
        if time.time() - part.lstat().st_mtime > _ABANDONED_SECONDS:
            part.unlink(missing_ok=True)


def _is_private(path: Path) -> bool:
    """True if this user owns it and nobody else can write to it. On Windows the user's profile folder is private."""
    status = path.lstat()
    return sys.platform == "win32" or (status.st_uid == os.geteuid() and not status.st_mode & 0o022)
