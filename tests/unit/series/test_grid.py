"""Spans of a tick grid."""

from __future__ import annotations

import numpy as np
import pytest

from signals.series.grid import block_ids, folds, ticks_in, whole_days


@pytest.mark.parametrize(
    ("seconds", "tick_s", "expected"), [(60, 15, 4), (60, 180, 1), (900, 180, 5), (0, 15, 1)]
)
def test_ticks_in_time_gives_at_least_one(seconds: float, tick_s: float, expected: int) -> None:
    """A stretch shorter than a tick is still one tick."""
    assert ticks_in(seconds, tick_s) == expected


def test_whole_days_of_three_exact_days_counts_three() -> None:
    """Exactly three days count; one tick less does not."""
    assert whole_days(3 * 5760, 15.0) == 3
    assert whole_days(3 * 5760 - 1, 15.0) == 2


def test_block_ids_short_tail_joins_the_block_before() -> None:
    """7 ticks in blocks of 3: the last single tick is no block of its own."""
    assert block_ids(7, 3).tolist() == [0, 0, 0, 1, 1, 1, 1]
    assert block_ids(8, 3).tolist() == [0, 0, 0, 1, 1, 1, 2, 2]
    assert block_ids(2, 5).tolist() == [0, 0]


def test_folds_of_one_day_are_six_blocks_with_gaps() -> None:
    """Held-out blocks cover every tick once; the gap is trained on by nobody."""
    parts = list(folds(60, 60.0, 2))
    assert [(f.first, f.last) for f in parts] == [
        (0, 10),
        (10, 20),
        (20, 30),
        (30, 40),
        (40, 50),
        (50, 60),
    ]
    assert np.flatnonzero(~parts[1].train).tolist() == list(range(8, 22))
    assert np.flatnonzero(~parts[0].train).tolist() == list(range(12))


def test_folds_of_three_days_are_days() -> None:
    """With three whole days a fold is a day; what is left over joins the last."""
    parts = list(folds(3 * 24 + 5, 3600.0, 1))
    assert [(f.first, f.last) for f in parts] == [(0, 24), (24, 48), (48, 77)]
