"""Checks what a caller passes: every mistake is an `InvalidArgument` that names the argument."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any, TypeVar, cast

from .errors import InvalidArgument


Kind = TypeVar("Kind")


def kind(value: Any, expected: type[Kind], name: str) -> Kind:
    """A value of a type."""
    if not isinstance(value, expected):
        raise InvalidArgument(f"`{name}` must be of type {expected.__name__}, not {shown(value)}")
    return value


def text(value: Any, name: str) -> str:
    """A text that has an encoding."""
    if not isinstance(value, str):
        raise InvalidArgument(f"`{name}` must be text, not {shown(value)}")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise InvalidArgument(f"`{name}` is not a valid text: {error.reason}") from error
    return value


def path(value: Any, name: str) -> str:
    """A path as text."""
    try:
        return text(os.fspath(value), name)
    except TypeError as error:
        raise InvalidArgument(f"`{name}` must be a path, not {shown(value)}") from error


def mapping(value: Any, name: str) -> dict[Any, Any]:
    """Keys and values, as a dict."""
    if not isinstance(value, Mapping):
        raise InvalidArgument(f"`{name}` must be a mapping, not {shown(value)}")
    return dict(cast("Mapping[Any, Any]", value))


def json_text(value: Any, what: str) -> str:
    """A value as JSON."""
    try:
        return json.dumps(value)
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidArgument(f"cannot write {what} as JSON: {error}") from error


def shown(value: Any) -> str:
    """A wrong value for a message: short, and with its type if that helps."""
    written = repr(value)
    return written if len(written) <= 40 else f"an object of type {type(value).__name__}"
