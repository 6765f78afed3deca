"""The reference of requests and settings, from their JSON schemas: `python schemas.py WIT PAGES`."""

import json
import sys
from pathlib import Path

PAGES = {"settings": "Settings", "request": "Requests"}


def page(title: str, schema: dict, source: str) -> str:
    parts = [f"# {title}", schema["description"], f"The schema is `{source}`."]
    parts += [f"## `{key}`\n\n{facts(key, value, schema)}\n\n{value.get('description', '')}" for key, value in schema.get("properties", {}).items()]
    parts += [f"## `{name}`\n\n{definition.get('description', '')}\n\n{body(definition)}" for name, definition in schema.get("$defs", {}).items()]
    return "\n\n".join(parts) + "\n"


def body(definition: dict) -> str:
    """The keys of an object, or the type of anything else."""
    if not definition.get("properties"):
        return f"Type: {kind(definition)}."
    keys = definition["properties"].items()
    return "\n\n".join(f"`{key}`\n: {facts(key, value, definition)}\n\n  {value.get('description', '')}" for key, value in keys)


def facts(key: str, value: dict, schema: dict) -> str:
    """The type of a key, and its default if it has one."""
    if key in schema.get("required", []):
        return f"*{kind(value)}; required*"
    default = f"; default {shown(value['default'])}" if value.get("default") is not None else ""
    return f"*{kind(value)}{default}*"


def kind(value: dict) -> str:
    """The type of a value in words, with its bounds."""
    if "$ref" in value:
        name = value["$ref"].removeprefix("#/$defs/")
        return f"[`{name}`](#{name.lower()})"
    for word in ("oneOf", "anyOf"):
        if word in value:
            return " or ".join(dict.fromkeys(kind(each) for each in value[word]))
    if "const" in value:
        return shown(value["const"])
    if "enum" in value:
        return ", ".join(shown(each) for each in value["enum"])
    types = value.get("type", "any")
    types = [types] if isinstance(types, str) else types
    return " or ".join(name if name != "array" or "items" not in value else f"array of {kind(value['items'])}" for name in types) + bounds(value)


def bounds(value: dict) -> str:
    least = value.get("exclusiveMinimum", value.get("minimum", value.get("minItems")))
    most = value.get("maximum", value.get("maxItems"))
    # The largest number of 32 bits is no bound that somebody meets.
    most = None if most == 4294967295 else most
    above = "above " if "exclusiveMinimum" in value else "at least "
    if least is not None and most is not None:
        return f", {above if 'exclusiveMinimum' in value else ''}{least} to {most}"
    if most is not None:
        return f", at most {most}"
    return f", {above}{least}" if least else ""


def shown(value) -> str:
    return f"`{json.dumps(value, ensure_ascii=False)}`"


if __name__ == "__main__":
    wit, pages = Path(sys.argv[1]), Path(sys.argv[2])
    for name, title in PAGES.items():
        file = wit / f"{name}.schema.json"
        (pages / f"{name}.md").write_text(page(title, json.loads(file.read_text()), f"wit/{file.name}"))
