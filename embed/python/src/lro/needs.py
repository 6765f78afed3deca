"""Optional packages: the error of an adapter whose own package is missing or has another version."""

from __future__ import annotations

import re
from collections.abc import Generator
from contextlib import contextmanager
from importlib import metadata


@contextmanager
def package(module: str, name: str, version: str) -> Generator[None, None, None]:
    """Imports of a package, of at least a version, which `module` needs. An older one is refused even where it has all
    that is imported: it would fail later, in a server."""
    found = _version(name)
    advice = f"`{module}` needs {name} {version} or later, and {_told(found)}: pip install -U '{name}>={version}'"
    if is_below(name, version):
        raise ImportError(advice)
    try:
        yield
    except ImportError as error:
        raise ImportError(f"{advice} ({error})") from error


def is_below(name: str, version: str) -> bool:
    """True if an older version of a package is installed."""
    found = _version(name)
    return found is not None and _numbers(found) < _numbers(version)


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _told(version: str | None) -> str:
    return "it is not installed" if version is None else f"{version} is installed"


def _numbers(version: str) -> list[int]:
    """The release that a version begins with: 2.3 of `2.3rc1`."""
    release = re.match(r"\d+(?:\.\d+)*", version)
    return [int(number) for number in release[0].split(".")] if release else []
