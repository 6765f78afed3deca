"""LRO: a tool result that is too large for a language model goes to a file, and the model gets a short response.

Everything is decided in one WebAssembly component, in a sandbox that reaches one directory. `lro.fastmcp` and `lro.mcp`
add it to a server in one line, `lro.langchain` and its neighbours to an agent.
"""

import importlib
from types import ModuleType

from .agents import AgentOffloader, Answer, Call, Parts
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
from .results import (
    Cleaning,
    Event,
    Extraction,
    Failure,
    Findings,
    Hit,
    Inline,
    Offloaded,
    Offloading,
    Passage,
    Rewritten,
    Section,
    Truncated,
    Unchanged,
)
from .source import Content, Source
from .styles import Session

_ADAPTERS = (
    "adk",
    "agent_framework",
    "claude",
    "fastmcp",
    "langchain",
    "mcp",
    "openai_agents",
    "pydantic_ai",
)


def __getattr__(name: str) -> ModuleType:
    """`lro.mcp` and the other adapters are imported when they are first used: each needs a package of its own."""
    if name in _ADAPTERS:
        return importlib.import_module(f".{name}", __name__)
    raise AttributeError(f"module `{__name__}` has no attribute `{name}`")


__all__ = [
    "AgentOffloader",
    "Answer",
    "Call",
    "Cleaning",
    "Content",
    "Event",
    "Extraction",
    "Failure",
    "Findings",
    "Hit",
    "Inline",
    "InvalidArgument",
    "InvalidQuery",
    "IoFailure",
    "LimitReached",
    "Limits",
    "Lro",
    "LroError",
    "NotAnOffload",
    "NotFound",
    "Offloaded",
    "Offloading",
    "Outside",
    "Parts",
    "Passage",
    "Rewritten",
    "Section",
    "Session",
    "Source",
    "Truncated",
    "Unchanged",
    "Unusable",
]
