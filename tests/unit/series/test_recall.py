"""Answers that are remembered."""

from __future__ import annotations

import numpy as np
import pytest

from signals.series.recall import remembered


@pytest.fixture
def counted() -> tuple[list[float], object]:
    """A function of an array and a number, and the numbers it was really asked with."""
    asked: list[float] = []

    @remembered(2)
    def scaled(values: np.ndarray, factor: float, *, shift: float = 0.0) -> np.ndarray:
        asked.append(factor)
        return values * factor + shift

    return asked, scaled


def test_equal_content_is_worked_out_once(counted) -> None:
    """Another array with the same values is the same question; a view, too."""
    asked, scaled = counted
    values = np.arange(6.0)
    first = scaled(values, 2.0)
    again = scaled(np.arange(12.0)[:6], 2.0)
    np.testing.assert_array_equal(first, values * 2)
    assert again is first
    assert asked == [2.0]


def test_other_content_is_another_question(counted) -> None:
    """One value, the sign of a zero, the order of the ticks, the kind of number or an option differs."""
    asked, scaled = counted
    values = np.array([0.0, 1.0, 2.0])
    for other in (
        values,
        values + np.array([0, 0, 1]),
        -values,
        values[::-1],
        values.astype(np.float32),
    ):
        np.testing.assert_array_equal(scaled(other, 2.0), other * 2)
    np.testing.assert_array_equal(scaled(values, 2.0, shift=1.0), values * 2 + 1)
    assert len(asked) == 6


def test_an_array_that_changed_is_another_question(counted) -> None:
    """The content is what counts, not the object."""
    asked, scaled = counted
    values = np.ones(3)
    scaled(values, 2.0)
    values[0] = 5.0
    assert scaled(values, 2.0)[0] == 10.0
    assert len(asked) == 2


def test_only_the_last_answers_are_kept(counted) -> None:
    """The third question drives the first out."""
    asked, scaled = counted
    for factor in (1.0, 2.0, 3.0, 3.0, 2.0, 1.0):
        scaled(np.ones(2), factor)
    assert asked == [1.0, 2.0, 3.0, 1.0]


def test_answers_cannot_be_written_to(counted) -> None:
    """Somebody else may hold them."""
    _, scaled = counted
    with pytest.raises(ValueError, match="read-only"):
        scaled(np.ones(2), 1.0)[0] = 0.0
