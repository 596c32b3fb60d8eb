"""The stamp under which compiled code is cached changes with everything that it was compiled from."""

from __future__ import annotations

from types import FunctionType

import pytest

from signals.fleet import kernels

LIMIT = 3


def first(x: int) -> int:
    return x + LIMIT


def second(x: int) -> int:
    return x - LIMIT


def renamed(function: FunctionType, **changes: object) -> FunctionType:
    return FunctionType(function.__code__, {**function.__globals__, **changes}, function.__name__)


@pytest.fixture(autouse=True)
def only_mine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels, "_KERNELS", [])


def stamp_of(*functions: FunctionType, layouts: tuple[object, ...] = ()) -> int:
    kernels._KERNELS[:] = functions
    return kernels.stamp(*layouts)


def test_stamp_is_the_same_for_the_same_code() -> None:
    """No address, path or time is in it."""
    assert stamp_of(first) == stamp_of(renamed(first))


def test_stamp_changes_with_code_constants_and_layouts() -> None:
    """Another operator, another value of a module's constant, another field of a table."""
    stamps = {
        stamp_of(first),
        stamp_of(second),
        stamp_of(renamed(first, LIMIT=4)),
        stamp_of(first, second),
        stamp_of(first, layouts=("a", "b")),
    }
    assert len(stamps) == 5


def test_kernels_compute_what_their_source_says() -> None:
    """A kernel that calls a part, called from Python."""

    @kernels.part
    def double(x: int) -> int:
        return 2 * x

    @kernels.kernel
    def double_and_one(x: int) -> int:
        return double(x) + 1

    assert double_and_one(20) == 41
