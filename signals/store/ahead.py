"""Reading ahead: the next part of a file is read while the one before is stored."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

__all__ = ["ahead"]

T = TypeVar("T")


def ahead(items: Iterator[T]) -> Generator[T, None, None]:
    """The same items, each made in another thread while the one before is in use.

    Readers spend most of their time in libraries that let other threads run. What a reader raises is raised
    here, in its place; a reader is closed when its items are no longer wanted.

    Args:
        items: not used by anyone else.
    """
    end = object()

    def fetch() -> T | object:
        return next(items, end)

    with ThreadPoolExecutor(max_workers=1, thread_name_prefix="read-ahead") as reader:
        following = reader.submit(fetch)
        try:
            while True:
                item = following.result()
                if item is end:
                    return
                following = reader.submit(fetch)
                yield item  # type: ignore[misc]
        finally:
            # a generator cannot be closed while it runs
            following.exception()
            close = getattr(items, "close", None)
            if close is not None:
                close()
