"""A bounded cache of results that answers one question once, even when many threads ask it together."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import Future
from typing import TypeVar, cast

__all__ = ["Cache"]

T = TypeVar("T")


class Cache:
    """The last few results by key; safe to use from many threads.

    Keys hold all that a result depends on, the store's modification time included, so that nothing is ever
    stale and nothing has to be told when the store changes.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._lock = threading.Lock()
        self._results: OrderedDict[Hashable, Future[object]] = OrderedDict()

    def get(self, key: Hashable, compute: Callable[[], T]) -> T:
        """The result for a key; computed by the first thread that asks, the others wait for it.

        Args:
            key: all that the result depends on.
            compute: yields the result; its errors reach every waiting thread and are not kept.

        Returns:
            The result.
        """
        with self._lock:
            future = self._results.get(key)
            first = future is None
            if future is None:
                future = Future()
                self._results[key] = future
            self._results.move_to_end(key)
            while len(self._results) > self._size:
                self._results.popitem(last=False)
        if first:
            self._fill(key, future, compute)
        return cast("T", future.result())

    def __len__(self) -> int:
        """How many results are kept."""
        with self._lock:
            return len(self._results)

    def _fill(self, key: Hashable, future: Future[object], compute: Callable[[], object]) -> None:
        try:
            future.set_result(compute())
        except BaseException as error:
            with self._lock:
                self._results.pop(key, None)
            future.set_exception(error)
            raise
