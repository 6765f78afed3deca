"""Why a call failed: one class for each case of the contract, and one for a component that cannot be used."""

from __future__ import annotations

from typing import Any, ClassVar


class LroError(Exception):
    """A call failed. Callers act differently on each subclass; the texts are for people and models."""

    case: ClassVar[str] = "other"

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        """One lower-case line that names the operation, the thing and the reason."""
        self.hint = hint
        """What to do about it, as one sentence; empty if there is nothing to add."""

    @property
    def fields(self) -> dict[str, Any]:
        """What the case has besides message and hint."""
        return {}

    def as_dict(self) -> dict[str, Any]:
        """The error as one JSON object, as every other host has it."""
        return {"case": self.case, "message": self.message, "hint": self.hint, **self.fields}


class InvalidArgument(LroError):
    """An argument is missing, unknown, of the wrong type, or contradicts another one."""

    case = "invalid-argument"


class InvalidQuery(LroError):
    """The jq filter cannot be compiled, uses a function that is withheld, or failed in a strict extraction."""

    case = "invalid-query"

    def __init__(self, message: str, hint: str = "", known: list[str] | None = None) -> None:
        super().__init__(message, hint)
        self.known = known or []
        """Names that exist and could have been meant."""

    @property
    def fields(self) -> dict[str, Any]:
        return {"known": self.known}


class NotFound(LroError):
    """The file does not exist: it never did, has expired, or has been deleted."""

    case = "not-found"


class Outside(LroError):
    """The path leads out of the output directory, or is not a regular file."""

    case = "outside"


class NotAnOffload(LroError):
    """The file is not an offloaded file."""

    case = "not-an-offload"


class LimitReached(LroError):
    """A limit on time, memory, input or output was reached."""

    case = "limit-reached"

    def __init__(self, message: str, hint: str = "", limit: str = "", value: int = 0) -> None:
        super().__init__(message, hint)
        self.limit = limit
        """The limit's name, including its unit: `timeout_ms`."""
        self.value = value
        """Its value, in the unit of the name."""

    @property
    def fields(self) -> dict[str, Any]:
        return {"limit": self.limit, "value": self.value}


class IoFailure(LroError):
    """The file system reported an error."""

    case = "io"


class Unusable(LroError):
    """The component cannot be compiled or instantiated. Trying again does not help."""

    case = "unusable"


_SIMPLE: dict[str, type[LroError]] = {
    kind.case: kind for kind in (InvalidArgument, NotFound, Outside, NotAnOffload, IoFailure)
}


def from_contract(case: str, payload: Any) -> LroError:
    """The exception for a case of the contract. Its record keeps the kebab-case names of its fields."""
    if case == "other":
        return LroError(str(payload))
    message, hint = str(payload.message), str(payload.hint)
    if case == InvalidQuery.case:
        return InvalidQuery(message, hint, list(payload.known))
    if case == LimitReached.case:
        return LimitReached(message, hint, str(payload.limit), int(payload.value))
    return _SIMPLE[case](message, hint)
