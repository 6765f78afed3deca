"""LRO: a tool result that is too large for a language model goes into a file, and the model gets a short response.

Everything is decided in one WebAssembly component, in a sandbox that reaches one directory. `lro.fastmcp` and `lro.mcp`
add it to a server in one line.
"""

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
from .offloader import Content, Lro, Source
from .results import Cleaning, Event, Extraction, Failure, Offloading, Rewritten, Section
from .styles import Session

__all__ = [
    "Cleaning",
    "Content",
    "Event",
    "Extraction",
    "Failure",
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
    "Rewritten",
    "Section",
    "Session",
    "Source",
    "Unusable",
]
