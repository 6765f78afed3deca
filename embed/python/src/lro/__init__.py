"""LRO: a tool result that is too large for a language model goes to a file, and the model gets a short response.

Everything is decided in one WebAssembly component, in a sandbox that reaches one directory. `lro.fastmcp` and `lro.mcp`
add it to a server in one line.
"""

import importlib
from types import ModuleType

from .errors import (
    InvalidArgument,
    InvalidQuery,
    IoFailure,
    LimitReached,
    LroError,
    NotAnOffload,
    NotFound,
    Outside,
    Unusable,
)
from .limits import Limits
from .offloader import Lro
from .results import Cleaning, Event, Extraction, Failure, Findings, Hit, Offloading, Passage, Rewritten, Section
from .source import Content, Source
from .styles import Session

_ADAPTERS = ("fastmcp", "mcp")


def __getattr__(name: str) -> ModuleType:
    """`lro.fastmcp` and `lro.mcp` are imported when they are first used: each needs a package of its own."""
    if name in _ADAPTERS:
        return importlib.import_module(f".{name}", __name__)
    raise AttributeError(f"module `{__name__}` has no attribute `{name}`")


__all__ = [
    "Cleaning",
    "Content",
    "Event",
    "Extraction",
    "Failure",
    "Findings",
    "Hit",
    "InvalidArgument",
    "InvalidQuery",
    "IoFailure",
    "LimitReached",
    "Limits",
    "Lro",
    "LroError",
    "NotAnOffload",
    "NotFound",
    "Offloading",
    "Outside",
    "Passage",
    "Rewritten",
    "Section",
    "Session",
    "Source",
    "Unusable",
]
