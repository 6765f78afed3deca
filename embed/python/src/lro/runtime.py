"""wasmtime, as this process can use it.

wasmtime compiles and reads files in threads of its own. A process that is forked after they were started lacks them, and
would wait for them for ever: it gets a copy of the library, and of the package that binds it.
"""

from __future__ import annotations

import ctypes
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import os
import sys
import threading
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import wasmtime
from wasmtime import component

from .errors import Unusable


@dataclass(frozen=True, slots=True)
class Runtime:
    """Both modules of wasmtime's package, typed loosely, since a copy has classes of its own."""

    wasmtime: Any
    component: Any


_current = Runtime(wasmtime, component)
_loaded_in: int | None = None
_copies = 0
_lock = threading.Lock()


def of_this_process() -> Runtime:
    """wasmtime for this process: the package as it was imported, or a copy of it.

    `Unusable` where a copy is needed and cannot be made.
    """
    global _current, _loaded_in
    with _lock:
        if _loaded_in is not None and _loaded_in != os.getpid():
            _current = _copied()
        _loaded_in = os.getpid()
        return _current


def _renew_lock() -> None:
    """Another thread may have held it when this process was forked."""
    global _lock
    _lock = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_lock)


def _copied() -> Runtime:
    # Each copy has a name of its own: a process that was forked may fork again.
    global _copies
    _copies += 1
    name = f"lro_wasmtime_{_copies}"
    finder = _Finder(name, Path(wasmtime.__file__).parent)
    sys.meta_path.insert(0, finder)
    try:
        with _loading(_copy_of_library):
            return Runtime(importlib.import_module(name), importlib.import_module(f"{name}.component"))
    except Exception as error:
        raise Unusable(
            f"the component cannot be used in a process that was forked after it had been loaded: {error}",
            "fork before the first call of `Lro`, or start processes with `spawn`",
        ) from error
    finally:
        sys.meta_path.remove(finder)


class _Loader(importlib.machinery.SourceFileLoader):
    """Loads a module of the package under another name, which it then has for itself as well."""

    def get_code(self, fullname: str) -> Any:
        # Never from `__pycache__`, where the code under the package's own name is.
        path = self.get_filename(fullname)
        name = fullname.partition(".")[0].encode()
        return self.source_to_code(self.get_data(path).replace(b"from wasmtime ", b"from %s " % name), path)


class _Finder(importlib.abc.MetaPathFinder):
    """Finds the modules of the package under another name."""

    def __init__(self, name: str, folder: Path) -> None:
        self._name = name
        self._folder = folder

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Where a module of the copy is."""
        package, *below = fullname.split(".")
        if package != self._name:
            return None
        file = self._folder.joinpath(*below)
        is_package = file.is_dir()
        file = file / "__init__.py" if is_package else file.with_suffix(".py")
        locations = [str(file.parent)] if is_package else None
        loader = _Loader(fullname, str(file))
        return importlib.util.spec_from_file_location(fullname, file, loader=loader, submodule_search_locations=locations)


@contextmanager
def _loading(load: Any) -> Generator[None, None, None]:
    """Lets `load` load libraries, which the package does when it is imported."""
    vars(ctypes.cdll)["LoadLibrary"] = load
    try:
        yield
    finally:
        del vars(ctypes.cdll)["LoadLibrary"]


def _copy_of_library(path: str) -> ctypes.CDLL:
    """Copies a library into a file in memory, because the loader does not load the same file twice."""
    if sys.platform != "linux":
        raise OSError("only on Linux can it be loaded once more")
    # It stays open: its number is its path, and the next copy needs another one.
    copy = os.memfd_create(Path(path).name)
    with open(path, "rb") as library:
        while os.sendfile(copy, library.fileno(), None, 1 << 30):
            pass
    return ctypes.CDLL(f"/proc/self/fd/{copy}")
