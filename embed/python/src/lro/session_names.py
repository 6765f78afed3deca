"""The names of sessions: each is that of the folder with its files."""

from __future__ import annotations

import re
from typing import TypeGuard

from .checked import shown
from .errors import InvalidArgument

_NAME = re.compile(r"(?!(?:aux|con|nul|prn|com\d|lpt\d)$)[a-z0-9_-]{1,64}", re.IGNORECASE | re.ASCII)
"""The component's rule."""

_MOST_SHOWN = 100
"""A longer one is not repeated in a message."""


def is_session_name(name: object) -> TypeGuard[str]:
    """True for the name of a folder that the component takes."""
    return isinstance(name, str) and _NAME.fullmatch(name) is not None


def session_name(name: object, operation: str) -> str:
    """The name itself. Without one, a cleanup means the whole directory, so a session never goes without."""
    if is_session_name(name):
        return name
    raise not_a_name(f"cannot {operation} the session: its name {_reason(name)}")


def not_a_name(message: str) -> InvalidArgument:
    """The error for what is not the name of a session."""
    hint = "give 1 to 64 characters of A-Z, a-z, 0-9, _ and -, and no name of a device such as CON"
    return InvalidArgument(message, hint)


def _reason(name: object) -> str:
    if not isinstance(name, str):
        return f"must be text, not {shown(name)}"
    return f"has {len(name)} characters" if len(name) > _MOST_SHOWN else f"{name!r} is not a valid folder name"
