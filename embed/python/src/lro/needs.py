"""Optional packages: what an adapter says where its own is missing or another version."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from importlib import metadata


@contextmanager
def package(module: str, name: str, version: str) -> Generator[None, None, None]:
    """Imports of a package, of at least a version, which `module` needs."""
    try:
        yield
    except ImportError as error:
        hint = f"pip install '{name}>={version}'"
        raise ImportError(f"`{module}` needs {name} {version} or later, and {_found(name)}: {hint}") from error


def _found(name: str) -> str:
    try:
        return f"{metadata.version(name)} is installed"
    except metadata.PackageNotFoundError:
        return "it is not installed"
