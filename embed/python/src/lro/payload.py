"""A tool's result as text: text and bytes unchanged, Python objects as JSON."""

from __future__ import annotations

import base64
import collections
import dataclasses
import datetime
import decimal
import enum
import json
import math
import os
import uuid
from collections.abc import Callable, ItemsView, Iterable, KeysView, Mapping, ValuesView
from typing import Any, cast

from .errors import InvalidArgument, LimitReached


_LISTS = (collections.deque, range, KeysView, ValuesView, ItemsView)
"""What is a list to JSON, though not to Python."""


def text_of(result: Any) -> str:
    """The text of a result: text and bytes untouched, anything else as compact JSON, in which numbers that JSON lacks (NaN
    and the infinities) are null. What has no UTF-8 is written as its escape, which is the same string in a JSON text.

    `InvalidArgument` for what has no JSON form, and `LimitReached` for what nests too deep.
    """
    return measured(result)[0]


def measured(result: Any) -> tuple[str, int]:
    """The text of a result, and how many bytes of UTF-8 it has. A large text takes long to encode: it is done once."""
    try:
        text = _text_of(result)
    except RecursionError as error:
        raise LimitReached("the result nests too deep to be written as JSON", limit="recursion") from error
    except (ValueError, TypeError) as error:
        raise InvalidArgument(f"the result is not text and cannot be written as JSON: {error}") from error
    if text.isascii():
        return text, len(text)
    try:
        return text, len(text.encode())
    except UnicodeEncodeError:
        encoded = text.encode("utf-8", "backslashreplace")
        return encoded.decode(), len(encoded)


def _text_of(result: Any) -> str:
    if isinstance(result, str):
        return result
    if isinstance(result, (bytes, bytearray)):
        return result.decode("utf-8", "backslashreplace")
    try:
        return _json(result, _plain)
    except ValueError as error:
        if "ircular" in str(error):
            raise
    return _json(finite(result), lambda value: finite(_plain(value)))


def _json(value: Any, default: Callable[[Any], Any]) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False, default=default)


def finite(value: Any) -> Any:
    """The same value with null for each number that JSON lacks: NaN and the infinities."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: finite(one) for key, one in cast("dict[Any, Any]", value).items()}
    if isinstance(value, (list, tuple)):
        return [finite(one) for one in cast("list[Any]", value)]
    return value


def _plain(value: Any) -> Any:
    """What JSON has no form for, as what it has."""
    # pydantic's models, without needing pydantic.
    if callable(dump := getattr(value, "model_dump", None)):
        return dump(mode="json", by_alias=True)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return dict(cast("Mapping[Any, Any]", value))
    if isinstance(value, (set, frozenset)):
        # In one order, so that equal sets are equal texts.
        return sorted(cast("set[Any]", value), key=str)
    if isinstance(value, _LISTS):
        return list(cast("Iterable[Any]", value))
    if isinstance(value, (datetime.datetime, datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, datetime.timedelta):
        return _duration(value)
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, (bytes, bytearray)):
        return base64.b64encode(value).decode()
    if isinstance(value, (decimal.Decimal, uuid.UUID, os.PathLike)):
        return str(cast("Any", value))
    raise TypeError(f"an object of type {type(value).__name__} has no JSON form")


def _duration(value: datetime.timedelta) -> str:
    """As in ISO 8601, in days and less: a year has no one length."""
    length = abs(value)
    hours, rest = divmod(length.seconds, 3600)
    minutes, seconds = divmod(rest, 60)
    fraction = f".{length.microseconds:06}".rstrip("0") if length.microseconds else ""
    parts = [(hours, "H"), (minutes, "M"), (f"{seconds}{fraction}" if seconds or fraction else 0, "S")]
    time = "".join(f"{count}{unit}" for count, unit in parts if count)
    days = f"{length.days}D" if length.days else ""
    sign = "" if value == length else "-"
    return f"{sign}P{days}T{time}" if time else f"{sign}P{days or 'T0S'}"
