"""The cache answers one question once and forgets the oldest."""

from __future__ import annotations

import threading

import pytest

from dashboard.cache import Cache


def test_second_ask_is_not_computed() -> None:
    """The same key gives the same object."""
    cache, made = Cache(4), []
    first = cache.get("a", lambda: made.append(1) or object())
    assert cache.get("a", object) is first
    assert made == [1]


def test_size_is_bounded_and_the_least_recent_goes() -> None:
    """After three keys in two places, the one not used lately is computed again."""
    cache = Cache(2)
    cache.get("a", lambda: 1)
    cache.get("b", lambda: 2)
    cache.get("a", lambda: -1)
    cache.get("c", lambda: 3)
    assert len(cache) == 2
    assert cache.get("a", lambda: -1) == 1
    assert cache.get("b", lambda: 20) == 20


def test_error_reaches_the_asker_and_is_not_kept() -> None:
    """The next ask tries again."""
    cache = Cache(2)
    with pytest.raises(ZeroDivisionError):
        cache.get("a", lambda: 1 // 0)
    assert cache.get("a", lambda: 7) == 7


def test_threads_that_ask_together_share_one_computation() -> None:
    """Eight threads, one computation, one result."""
    cache, calls, begun = Cache(2), [], threading.Event()

    def compute() -> object:
        calls.append(threading.get_ident())
        begun.wait(5)
        return object()

    results: list[object] = []
    threads = [
        threading.Thread(target=lambda: results.append(cache.get("k", compute))) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    begun.set()
    for thread in threads:
        thread.join()
    assert len(calls) == 1
    assert len({id(r) for r in results}) == 1
