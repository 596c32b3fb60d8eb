"""Reading ahead."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from signals.errors import InputError
from signals.store.ahead import ahead


def test_items_come_in_their_order() -> None:
    assert list(ahead(iter(range(100)))) == list(range(100))
    assert list(ahead(iter(()))) == []


def test_the_next_item_is_made_while_one_is_in_use() -> None:
    made = threading.Event()

    def items() -> Iterator[int]:
        yield 1
        made.set()
        yield 2

    found = ahead(items())
    assert next(found) == 1
    assert made.wait(timeout=30)
    assert list(found) == [2]


def test_an_error_comes_in_its_place() -> None:
    def items() -> Iterator[int]:
        yield 1
        raise InputError("cut short")

    found = ahead(items())
    assert next(found) == 1
    with pytest.raises(InputError, match="cut short"):
        next(found)


def test_a_reader_is_closed_when_nobody_reads_on() -> None:
    closed = threading.Event()

    def items() -> Iterator[int]:
        try:
            yield from range(10)
        finally:
            closed.set()

    found = ahead(items())
    assert next(found) == 0
    found.close()
    assert closed.is_set()
    assert not [one for one in threading.enumerate() if one.name.startswith("read-ahead")]
