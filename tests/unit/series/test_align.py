"""Two series on one grid."""

from __future__ import annotations

import numpy as np
import pytest

from signals.series import align
from signals.series.align import lagged_sums, pairs_at_lag, shift


def test_shift_moves_later_and_opens_the_start() -> None:
    """A positive shift is later."""
    np.testing.assert_array_equal(shift(np.array([1.0, 2, 3]), 1), [np.nan, 1, 2])
    np.testing.assert_array_equal(shift(np.array([1.0, 2, 3]), -2), [3, np.nan, np.nan])
    np.testing.assert_array_equal(shift(np.array([1.0, 2, 3]), 0), [1, 2, 3])


def test_pairs_at_lag_positive_pairs_signal_with_earlier_load() -> None:
    """At lag 1 the signal at tick 1 meets the load at tick 0."""
    x, y = pairs_at_lag(np.array([1.0, 2, 3, 4]), np.array([9.0, 1, 2, 3]), 1)
    assert x.tolist() == [1, 2, 3]
    assert y.tolist() == [1, 2, 3]


def test_pairs_at_lag_negative_pairs_signal_with_later_load() -> None:
    """At lag -1 the signal at tick 0 meets the load at tick 1."""
    x, y = pairs_at_lag(np.array([1.0, 2, 3, 4]), np.array([2.0, 3, 4, 9]), -1)
    assert x.tolist() == y.tolist() == [2, 3, 4]


def test_pairs_at_lag_missing_value_drops_its_pair_only() -> None:
    """A missing load value costs one pair."""
    x, y = pairs_at_lag(np.array([1.0, np.nan, 3]), np.array([5.0, 6, 7]), 0)
    assert (x.tolist(), y.tolist()) == ([1, 3], [5, 7])


@pytest.mark.parametrize("limit", [0, 10**9])
def test_lagged_sums_direct_and_transformed_equal_the_loop(
    monkeypatch: pytest.MonkeyPatch, rng: np.random.Generator, limit: int
) -> None:
    """Both ways sum y[i] x[i - l] over the same i."""
    monkeypatch.setattr(align, "_DIRECT_LIMIT", limit)
    x, y = rng.normal(size=40), rng.normal(size=40)
    expected = [sum(y[i] * x[i - lag] for i in range(5, 35)) for lag in range(-5, 6)]
    np.testing.assert_allclose(lagged_sums(x, y, 5), expected, atol=1e-12)
