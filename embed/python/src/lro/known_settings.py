"""The names and types of settings, so that a mistake is reported where it was made.

The component decides what settings mean, but it is opened by the first call. They are read from the contract's schema,
which the build puts beside the component.
"""

from __future__ import annotations

import difflib
import functools
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .checked import mapping, shown
from .errors import InvalidArgument, Unusable

_FILE = Path(__file__).with_name("settings.schema.json")

_TYPES: dict[str, tuple[type | tuple[type, ...], str]] = {
    "boolean": (bool, "True or False"),
    "integer": (int, "an integer"),
    "number": ((int, float), "a number"),
    "string": (str, "text"),
    "array": ((list, tuple), "a list"),
    "object": (Mapping, "a mapping"),
    "null": (type(None), "None"),
}


def check(settings: Mapping[str, Any]) -> None:
    """`InvalidArgument` for a setting that does not exist, or whose value cannot be right."""
    _check_keys((), _schema(), settings)


@functools.cache
def _schema() -> dict[str, Any]:
    try:
        return json.loads(_FILE.read_text("utf-8"))
    except OSError as error:
        hint = "run `build.sh` in a clone of the repository, or install a wheel"
        raise Unusable(f"cannot read the schema of this package's settings: {error}", hint) from error


def _check_keys(owner: tuple[str, ...], schema: dict[str, Any], given: Mapping[str, Any]) -> None:
    known: dict[str, Any] = schema.get("properties", {})
    others: Any = schema.get("additionalProperties", True)
    for key, value in given.items():
        path = (*owner, key)
        if key in known:
            _check_value(path, known[key], value)
        elif others is not False:
            _check_value(path, others, value)
        else:
            raise InvalidArgument(f"there is no {_named(path)}", _nearest(key, known))


def _check_value(path: tuple[str, ...], schema: dict[str, Any], value: Any) -> None:
    if not _fits(schema, value):
        raise InvalidArgument(f"{shown(value)} is not a valid {_named(path)}: expected {_expected(schema)}")
    for item in value if "items" in schema else ():
        _check_value(path, schema["items"], item)
    if "properties" in schema or "additionalProperties" in schema:
        _check_keys(path, schema, mapping(value, path[-1]))


def _named(path: tuple[str, ...]) -> str:
    setting, *below = path
    return f"key `{'.'.join(below)}` in the setting `{setting}`" if below else f"setting `{setting}`"


def _fits(schema: dict[str, Any], value: Any) -> bool:
    if "enum" in schema:
        return value in schema["enum"]
    # In Python, True is an integer.
    types = [name for name in _types(schema) if isinstance(value, _TYPES[name][0])]
    if not types or (isinstance(value, bool) and "boolean" not in types):
        return False
    if types in (["integer"], ["number"]):
        return schema.get("minimum", value) <= value <= schema.get("maximum", value)
    return types != ["string"] or re.search(schema.get("pattern", ""), str(value)) is not None


def _expected(schema: dict[str, Any]) -> str:
    if "enum" in schema:
        return "one of " + ", ".join(f"`{value}`" for value in schema["enum"])
    expected = " or ".join(_TYPES[name][1] for name in _types(schema))
    if "minimum" in schema:
        expected += f" from {schema['minimum']} to {schema['maximum']}"
    return expected + (f" like {schema['pattern']}" if "pattern" in schema else "")


def _types(schema: dict[str, Any]) -> list[str]:
    types: str | list[str] = schema["type"]
    return [types] if isinstance(types, str) else types


def _nearest(key: str, known: Mapping[str, Any]) -> str:
    near = difflib.get_close_matches(key, known, n=1)
    return f"did you mean `{near[0]}`?" if near else "the settings are " + ", ".join(f"`{name}`" for name in known)
