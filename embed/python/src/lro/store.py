"""Results in a key-value store of py-key-value-aio, so that every process that has the store reads what any of them stored.

A result is a record under its name, and parts under `NAME.1`, `NAME.2`, …, because most stores limit a value. The record
is written first and deleted last. A name is given to nobody before all its parts are written, and a result that lacks a
part is not read. The store deletes all of them when their time is over.
"""

from __future__ import annotations

import asyncio
import base64
import os
import zlib
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeGuard, TypeVar, cast

from . import checked, store_loop
from .errors import InvalidArgument, IoFailure

if TYPE_CHECKING:
    from key_value.aio.protocols.key_value import AsyncKeyValue

SCHEME = "lro://"
"""What the `file_path` of a stored result begins with, in place of a directory."""

COLLECTION = "lro"
"""The collection of all our keys. One of FastMCP's own, or of another program, has another name."""

TIMEOUT_SECONDS = 5.0
PART_BYTES = 256 << 10
"""In base64 this is 342 KiB: the smallest limit of the stores that are in use is 400 KB, that of DynamoDB."""

_BYTES_A_SECOND = 4 << 20
"""A large result gets one second more for each 4 MiB that travel: a tenth of what stores were measured at."""

_AT_ONCE = 8
"""Parts on their way at the same time."""

_CLEANING_SECONDS = 60.0
_MOST_DOCUMENT_FILES = 10_000
_NEEDED = ("get", "put", "delete", "delete_many")

Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class Record:
    """What is stored under the name of a result."""

    bytes: int
    """Of the result itself."""
    packed_bytes: int
    parts: int
    files: tuple[str, ...]
    """The names of all files of its document, this one among them."""


class ResultStore:
    """A key-value store with results in it."""

    def __init__(self, given: Any, timeout_seconds: float = TIMEOUT_SECONDS, part_bytes: int = PART_BYTES) -> None:
        """`given`: an `AsyncKeyValue`, or a function that makes one, which each process calls for itself."""
        if not _is_store(given) and not callable(given):
            message = f"`store` must be an AsyncKeyValue of py-key-value-aio, or a function that makes one, not {checked.shown(given)}"
            raise InvalidArgument(message, "for instance key_value.aio.stores.redis.RedisStore(url=…)")
        self._given = given
        self._timeout = _positive(timeout_seconds, "store_timeout_seconds")
        self._part_bytes = int(_positive(part_bytes, "store_part_bytes"))
        self._made: dict[int, AsyncKeyValue] = {}

    def put(self, files: Mapping[str, bytes], ttl_seconds: float) -> None:
        """Stores the files of one document, all of them or nothing. `IoFailure` if the store fails, or takes too long."""
        packed = {name: self._packed(content) for name, content in files.items()}
        names = tuple(files)
        records = {
            name: Record(len(files[name]), sum(map(len, parts)), len(parts), names) for name, parts in packed.items()
        }

        async def put() -> None:
            for name, record in records.items():
                await self._put_one(name, record, packed[name], ttl_seconds)

        try:
            self._run(put(), f"store `{SCHEME}{names[-1]}`", sum(record.packed_bytes for record in records.values()))
        except IoFailure:
            # Nobody waits for that, and what stays expires.
            store_loop.start(self._delete(records), self._timeout)
            raise

    def get(self, name: str) -> dict[str, bytes]:
        """The files of the document that a file belongs to, this one included; empty if the store does not have it, or not
        all of it. `IoFailure` if the store fails, or takes too long."""
        operation = f"read `{SCHEME}{name}`"
        record = self._run(self._record(name), operation)
        if record is None:
            return {}
        others = [other for other in record.files if other != name]
        records = {name: record, **self._run(self._records(others), operation)}

        async def get() -> dict[str, bytes | None]:
            return {name: await self._get_one(name, record) for name, record in records.items()}

        found = self._run(get(), operation, sum(record.packed_bytes for record in records.values()))
        if found[name] is None:
            return {}
        return {name: content for name, content in found.items() if content is not None}

    def delete(self, names: Iterable[str]) -> tuple[int, int]:
        """Deletes results. Returns how many there were, and their bytes."""
        wanted = list(names)
        records = self._run(self._records(wanted), "delete results", seconds=_CLEANING_SECONDS)
        self._run(self._delete(records), "delete results", seconds=_CLEANING_SECONDS)
        return len(records), sum(record.bytes for record in records.values())

    def names(self) -> list[str] | None:
        """The names of results in the store; `None` if it does not list its keys. A store lists some thousands at once."""

        async def keys() -> list[str] | None:
            list_keys: Callable[..., Awaitable[list[str]]] | None = getattr(self._store, "keys", None)
            return None if list_keys is None else await list_keys(collection=COLLECTION)

        found = self._run(keys(), "list the results", seconds=_CLEANING_SECONDS)
        return None if found is None else [_name(key) for key in found if key.endswith((".jsonl", ".txt"))]

    def cull(self) -> bool:
        """Lets the store delete what has expired, if it does that only when it is asked to."""

        async def cull() -> bool:
            expired: Callable[[], Awaitable[None]] | None = getattr(self._store, "cull", None)
            if expired is not None:
                await expired()
            return expired is not None

        return self._run(cull(), "delete expired results", seconds=_CLEANING_SECONDS)

    @property
    def _store(self) -> AsyncKeyValue:
        """The store, on the loop of its connections, where no other call can come in between."""
        process = os.getpid()
        if process not in self._made:
            given = self._given
            self._made[process] = given if _is_store(given) else _made_by(cast("Callable[[], object]", given))
        return self._made[process]

    def _run(
        self, work: Coroutine[Any, Any, Answer], operation: str, moved_bytes: int = 0, seconds: float | None = None
    ) -> Answer:
        limit = (self._timeout if seconds is None else seconds) + moved_bytes / _BYTES_A_SECOND
        try:
            return store_loop.run(work, limit)
        except TimeoutError as error:
            reason = f"the store did not answer within {limit:.3g} seconds"
            raise _failure(operation, reason) from error
        except Exception as error:  # Each store has errors of its own.
            raise _failure(operation, _reason(error)) from error

    def _packed(self, content: bytes) -> list[bytes]:
        # Level 1 takes 10 ms for a megabyte; JSON becomes a fifth to a tenth.
        packed = zlib.compress(content, 1)
        return [packed[start : start + self._part_bytes] for start in range(0, len(packed), self._part_bytes)]

    async def _put_one(self, name: str, record: Record, parts: list[bytes], ttl: float) -> None:
        key = _key(name)
        value = {
            "bytes": record.bytes,
            "packed_bytes": record.packed_bytes,
            "parts": record.parts,
            "files": list(record.files),
        }
        await self._store.put(key, value, collection=COLLECTION, ttl=ttl)

        async def put(number: int, part: bytes) -> None:
            text = base64.b64encode(part).decode()
            await self._store.put(f"{key}.{number}", {"part": text}, collection=COLLECTION, ttl=ttl)

        await _in_turns([lambda number=number, part=part: put(number, part) for number, part in enumerate(parts, 1)])

    async def _record(self, name: str) -> Record | None:
        value = await self._store.get(_key(name), collection=COLLECTION)
        if value is None:
            return None
        try:
            files = tuple(str(file) for file in cast("list[Any]", value["files"])[:_MOST_DOCUMENT_FILES])
            return Record(int(value["bytes"]), int(value["packed_bytes"]), int(value["parts"]), files)
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError("the store has something else under this name") from error

    async def _records(self, names: list[str]) -> dict[str, Record]:
        """The records of those names that have one."""

        async def record(name: str) -> Record | None:
            try:
                return await self._record(name)
            except ValueError:
                return None

        found = await _in_turns([lambda name=name: record(name) for name in names])
        return {name: record for name, record in zip(names, found, strict=True) if record is not None}

    async def _get_one(self, name: str, record: Record) -> bytes | None:
        keys = [f"{_key(name)}.{number}" for number in range(1, record.parts + 1)]
        values = await _in_turns([lambda key=key: self._store.get(key, collection=COLLECTION) for key in keys])
        parts = [base64.b64decode(value["part"]) for value in values if value is not None]
        if len(parts) != record.parts:
            return None
        return _unpacked(b"".join(parts), record.bytes)

    async def _delete(self, records: Mapping[str, Record]) -> None:
        for name, record in records.items():
            key = _key(name)
            await self._store.delete_many([f"{key}.{number}" for number in range(1, record.parts + 1)], collection=COLLECTION)
            await self._store.delete(key, collection=COLLECTION)


def _is_store(given: Any) -> TypeGuard[AsyncKeyValue]:
    return not isinstance(given, type) and all(callable(getattr(given, name, None)) for name in _NEEDED)


def _made_by(function: Callable[[], object]) -> AsyncKeyValue:
    made = function()
    if not _is_store(made):
        raise TypeError(f"the function `store` returned {checked.shown(made)}, which is not an AsyncKeyValue")
    return made


def _positive(value: Any, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not value > 0:
        raise InvalidArgument(f"`{name}` must be a number above 0, not {checked.shown(value)}")
    return value


def _key(name: str) -> str:
    """The key of a name such as `SESSION/NAME`. Some stores do not take a slash; neither part has a tilde."""
    return name.replace("/", "~")


def _name(key: str) -> str:
    return key.replace("~", "/")


def _unpacked(packed: bytes, expected: int) -> bytes | None:
    unpacker = zlib.decompressobj()
    content = unpacker.decompress(packed, expected + 1)
    return content if len(content) == expected and unpacker.eof else None


async def _in_turns(calls: list[Callable[[], Coroutine[Any, Any, Answer]]]) -> list[Answer]:
    """The answers of calls, some of which run at the same time."""
    answers: list[Answer] = []
    for start in range(0, len(calls), _AT_ONCE):
        answers += await asyncio.gather(*(call() for call in calls[start : start + _AT_ONCE]))
    return answers


def _reason(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__


def _failure(operation: str, reason: str) -> IoFailure:
    hint = "try again in a moment; if that does not help, the operator of the server has to look at its store"
    return IoFailure(f"cannot {operation}: {reason}", hint)
