"""A tool's result as text: text and bytes as they are, Python objects as JSON."""

from __future__ import annotations

import base64
import dataclasses
import datetime
import decimal
import enum
import json
import os
import uuid
from collections.abc import Mapping
from typing import Any, cast

from .errors import InvalidArgument


def text_of(result: Any) -> str:
    """The text of a result: text and bytes untouched, anything else as compact JSON. `InvalidArgument` for what is
    neither."""
    try:
        text = _text_of(result)
        # What cannot be encoded cannot cross into the component either.
        text.encode()
    except (UnicodeError, ValueError, TypeError, RecursionError) as error:
        raise InvalidArgument(f"the result is not text and cannot be written as JSON: {error}") from error
    return text


def _text_of(result: Any) -> str:
    if isinstance(result, str):
        return result
    if isinstance(result, (bytes, bytearray)):
        return result.decode()
    return json.dumps(result, ensure_ascii=False, separators=(",", ":"), allow_nan=False, default=_plain)


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
    if isinstance(value, (datetime.datetime, datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, (bytes, bytearray)):
        return base64.b64encode(value).decode()
    if isinstance(value, (decimal.Decimal, uuid.UUID, os.PathLike)):
        return str(cast("Any", value))
    raise TypeError(f"an object of type {type(value).__name__} has no JSON form")
