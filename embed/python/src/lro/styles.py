"""Offloading around what a program has already: functions (a decorator) and stretches of work (a context)."""

from __future__ import annotations

import functools
import inspect
import logging
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast

from .checked import shown, text
from .errors import InvalidArgument, LroError
from .results import Extraction, Offloading
from .session_names import session_name
from .telling import logged

if TYPE_CHECKING:
    from .offloader import Lro
    from .source import Source

_log = logging.getLogger("lro")

Function = TypeVar("Function", bound=Callable[..., Any])


def offloaded(lro: Lro, operation: str | None, request: dict[str, Any]) -> Callable[[Function], Function]:
    """`Lro.offloaded`."""
    given = None if operation is None else text(operation, "operation")

    def decorate(function: Function) -> Function:
        if not callable(function):
            raise InvalidArgument(f"`offloaded` takes a function, not {shown(function)}")
        named = given or _name_of(function)

        @functools.wraps(function)
        def call(*arguments: Any, **keywords: Any) -> Any:
            return _told(lro.offload(function(*arguments, **keywords), named, **request))

        @functools.wraps(function)
        async def acall(*arguments: Any, **keywords: Any) -> Any:
            return _told(await lro.aoffload(await function(*arguments, **keywords), named, **request))

        return cast("Function", acall if inspect.iscoroutinefunction(function) else call)

    return decorate


def _told(answer: Offloading) -> Any:
    """The result. Nobody sees the answer, so its events are logged."""
    for event in answer.events:
        logged(event)
    return answer.result


def _name_of(function: Any) -> str:
    """The name of a function, of what `functools.partial` was made of, or of the class of an object that is called."""
    while isinstance(function, functools.partial):
        function = cast("Any", function).func
    return getattr(function, "__name__", type(function).__name__)


class Session:
    """Offloads into a folder of their own, which is emptied at the end (SECTION-03, SECTION-09)."""

    def __init__(self, lro: Lro, name: str) -> None:
        """`InvalidArgument` for what is not the name of a folder."""
        self._name = session_name(name, "open")
        self._lro = lro

    @property
    def name(self) -> str:
        """The name of the folder."""
        return self._name

    def __enter__(self) -> Self:
        return self

    async def __aenter__(self) -> Self:
        return self

    def __exit__(self, _kind: object = None, error: BaseException | None = None, _trace: object = None) -> None:
        with self._after(error):
            self._lro.cleanup(**self._emptying())

    async def __aexit__(self, _kind: object = None, error: BaseException | None = None, _trace: object = None) -> None:
        with self._after(error):
            await self._lro.acleanup(**self._emptying())

    def offload(self, records: Any, /, operation: str = "tool", **request: Any) -> Offloading:
        """As `Lro.offload`."""
        return self._lro.offload(records, operation, session=self._name, **request)

    async def aoffload(self, records: Any, /, operation: str = "tool", **request: Any) -> Offloading:
        """As `Lro.aoffload`."""
        return await self._lro.aoffload(records, operation, session=self._name, **request)

    def extract(self, source: Source, /, **request: Any) -> Extraction:
        """As `Lro.extract`."""
        return self._lro.extract(source, **request)

    async def aextract(self, source: Source, /, **request: Any) -> Extraction:
        """As `Lro.aextract`."""
        return await self._lro.aextract(source, **request)

    @contextmanager
    def _after(self, error: BaseException | None) -> Generator[None, None, None]:
        """Around the end. Why the work failed says more than why its files stay."""
        try:
            yield
        except LroError as failure:
            if error is None:
                raise
            _log.warning(
                "the session `%s` was not emptied, so its files stay until they expire: %s", self._name, failure.message
            )

    def _emptying(self) -> dict[str, Any]:
        return {"session": session_name(self._name, "close"), "max_files": 0}
