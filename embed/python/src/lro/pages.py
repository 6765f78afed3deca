"""Page after page of an extraction, as one list of results."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from typing import Any

from .errors import LimitReached
from .results import Extraction


class Pages:
    """The request of the next page. `limit` and `max_bytes` of the first hold for all pages together."""

    def __init__(self, request: Mapping[str, Any]) -> None:
        self.request = dict(request)
        self.is_over = False
        self._has_results = False

    def add(self, page: Extraction) -> list[Any]:
        """The results of a page. What is left of the limits is asked for next."""
        self._has_results = self._has_results or page.count > 0
        self._use("limit", page.count)
        self._use("max_bytes", len(page.text.encode()))
        self.request["next"] = page.next
        self.is_over = self.is_over or page.next is None
        return page.results

    @contextmanager
    def ending(self) -> Generator[None, None, None]:
        """Around a page: not even one result may fit what is left of `max_bytes`. After other results that is the end."""
        try:
            yield
        except LimitReached as error:
            if not self._has_results or error.limit != "max_bytes":
                raise
            self.is_over = True

    def _use(self, limit: str, used: int) -> None:
        left = self.request.get(limit)
        if left is not None:
            self.request[limit] = left - used
            self.is_over = self.is_over or left <= used
