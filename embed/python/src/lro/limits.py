"""How long a call may run and how much memory it may hold. On by default; the defaults grow with the data."""

from __future__ import annotations

from dataclasses import dataclass, fields
from math import inf
from typing import Any

from .checked import shown
from .errors import InvalidArgument

_MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class Bounds:
    """Limits as they hold for one call. Time in seconds, memory in bytes."""

    seconds: float
    memory_bytes: int


@dataclass(frozen=True, slots=True)
class Limits:
    """A limit that is `None` has the default."""

    extract_seconds: float | None = None
    """Default: 2 s and 1 s more for each 20 MB of the file, a tenth of the speed of a standard recipe."""
    extract_memory_mib: int | None = None
    """Default: ten times the file, at least 256 and at most 1024."""
    offload_seconds: float | None = None
    """Default: 10 s and 1 s more for each 20 MB of the payload. The result is then truncated."""
    offload_memory_mib: int | None = None
    """Default: three times the payload and 128. The result is then truncated."""
    cleanup_seconds: float = 60.0
    """Enough for a hundred thousand files."""

    def __post_init__(self) -> None:
        """Raises `InvalidArgument` for a limit that is not a finite number, or negative, or a fraction of a mebibyte."""
        for field in fields(self):
            value: Any = getattr(self, field.name)
            is_whole = field.name.endswith("_mib")
            kinds = int if is_whole else (int, float)
            is_number = isinstance(value, kinds) and not isinstance(value, bool) and 0 <= value < inf
            if not is_number and (value is not None or field.default is not None):
                wanted = "a whole number" if is_whole else "a finite number"
                raise InvalidArgument(f"the limit `{field.name}` must be {wanted} from 0 on, not {shown(value)}")

    def extraction(self, file_bytes: int) -> Bounds:
        """For reading a file of this many bytes."""
        seconds = 2.0 + file_bytes / 20e6 if self.extract_seconds is None else self.extract_seconds
        return Bounds(seconds, _bytes_or(self.extract_memory_mib, min(max(10 * file_bytes, 256 * _MIB), 1024 * _MIB)))

    def offloading(self, payload_bytes: int) -> Bounds:
        """For offloading or estimating this many bytes."""
        seconds = 10.0 + payload_bytes / 20e6 if self.offload_seconds is None else self.offload_seconds
        return Bounds(seconds, _bytes_or(self.offload_memory_mib, _beside(payload_bytes)))

    @staticmethod
    def truncating(payload_bytes: int) -> Bounds:
        """For the truncated answer to an offload that was stopped, whatever that was limited to."""
        return Bounds(5.0 + payload_bytes / 20e6, _beside(payload_bytes))

    def offloading_message(self, message_bytes: int) -> Bounds:
        """For an MCP message, which is in memory together with its unescaped texts and the answer."""
        return self.offloading(2 * message_bytes)

    def cleaning(self) -> Bounds:
        """For cleaning up."""
        return Bounds(self.cleanup_seconds, 256 * _MIB)

    @staticmethod
    def resolving() -> Bounds:
        """For settings and definitions of tools, which are a few lines of text."""
        return Bounds(10.0, 64 * _MIB)


def _beside(payload_bytes: int) -> int:
    """Memory for a payload and what is made of it."""
    return 3 * payload_bytes + 128 * _MIB


def _bytes_or(mebibytes: int | None, default: int) -> int:
    return default if mebibytes is None else mebibytes * _MIB
