"""Tools as programs have them: plain functions over the files of the repository's tests."""

import dataclasses
import json
from pathlib import Path
from typing import Any

from pydantic import BaseModel

FIXTURES = Path(__file__).parents[2] / "fixtures"


class Memory(BaseModel):
    id: str
    title: str | None = None
    namespace: str | None = None


@dataclasses.dataclass
class Order:
    number: int
    customer: str


def _read(name: str) -> str:
    return (FIXTURES / name).read_text("utf-8")


def memories() -> list[dict[str, Any]]:
    """Returns all memories."""
    return json.loads(_read("mif-memories.json"))


async def earthquakes() -> str:
    """Returns the earthquakes of a day as GeoJSON."""
    return _read("documents/earthquakes.geojson")


def decisions() -> str:
    """Returns the decisions of this project, a long text."""
    return _read("../../docs/DECISIONS.md")


def typed() -> list[Memory]:
    """Returns all memories as objects of pydantic."""
    return [Memory.model_validate(memory) for memory in memories()]


def orders() -> list[Order]:
    """Returns orders as objects of a dataclass."""
    return [Order(number, f"customer {number % 7}") for number in range(2000)]


def count() -> dict[str, int]:
    """Returns the number of memories."""
    return {"memories": len(memories())}


def first(count: int) -> str:
    """Returns the first characters of the memories."""
    return _read("mif-memories.json")[:count]


def missing() -> str:
    """Returns a file that does not exist."""
    return _read("documents/there-is-no-such-file.json")
