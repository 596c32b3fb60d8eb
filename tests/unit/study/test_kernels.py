"""Compiled loops against the obvious way, on small arrays."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import isotonic_regression

from signals.study.kernels import (
    block_products,
    counted,
    drawn_bins,
    drawn_middles,
    follow,
    lag_peaks,
    lag_products,
    pooled,
    rest_middles,
)


def test_bins_of_draws_are_those_of_the_sorted_draw(rng: np.random.Generator) -> None:
    """Repeat the pairs, sort them, average each bin."""
    x, y = rng.normal(size=30), rng.normal(size=30)
    starts = rng.integers(0, 27, size=(5, 6))
    edges = np.array([0, 5, 6, 24])
    order = np.argsort(x)
    rank = np.empty(30, dtype=np.int64)
    rank[order] = np.arange(30)
    means = drawn_bins(starts, 4, rank, x[order], y[order], edges)
    for row, start in enumerate(starts):
        drawn = (start[:, None] + np.arange(4)).ravel()
        drawn = drawn[np.argsort(x[drawn], kind="stable")]
        for values, found in zip((x, y), means, strict=True):
            expected = [values[drawn[a:b]].mean() for a, b in ((0, 5), (5, 6), (6, 24))]
            np.testing.assert_allclose(found[row], expected)


@pytest.mark.parametrize("count", [1, 2, 40, 300])
def test_pools_are_those_of_scipy(count: int, rng: np.random.Generator) -> None:
    """With weights, and ties among the values."""
    values, weights = rng.integers(0, 9, count) * 1.0, rng.uniform(0.1, 3.0, count)
    expected = isotonic_regression(values, weights=weights).x
    np.testing.assert_allclose(pooled(values, weights), expected, atol=1e-12)


def test_blocks_are_counted() -> None:
    """Row by row."""
    drawn = np.array([[0, 2, 2], [1, 1, 1]], dtype=np.int32)
    np.testing.assert_array_equal(counted(drawn, 4), [[1, 0, 2, 0], [0, 3, 0, 0]])


def test_middles_are_those_of_the_repeated_values(rng: np.random.Generator) -> None:
    """Value, number and sum up to it, and the whole sum; a resample without a value has no number."""
    values, ids = np.sort(rng.normal(size=21)), rng.integers(0, 4, 21)
    drawn = rng.integers(0, 3, size=(4, 6)).astype(float)
    found = drawn_middles(values, ids, np.arange(21), drawn)
    for draw in range(6):
        weights = drawn[ids, draw].astype(int)
        repeated = np.repeat(values, weights)
        middle = repeated[(len(repeated) - 1) // 2]
        upto = repeated[repeated <= middle]
        expected = (middle, len(upto), upto.sum(), repeated.sum())
        np.testing.assert_allclose([part[draw] for part in found], expected, atol=1e-12)


def test_block_products_are_sums_over_ticks(rng: np.random.Generator) -> None:
    """At every lag, ticks that are not used left out."""
    x, y, used = rng.normal(size=30), rng.normal(size=30), (rng.random(30) < 0.8) * 1.0
    y *= used
    edges = np.array([3, 10, 27])
    found = block_products(x, y, used, 3, edges)
    for block, (first, last) in enumerate(((3, 10), (10, 27))):
        ticks = np.arange(first, last)
        for place, lag in enumerate(range(-3, 4)):
            late, before = x[ticks - lag], np.where(ticks > lag, x[ticks - lag - 1], 0.0)
            expected = [
                used[ticks] @ late,
                used[ticks] @ late**2,
                used[ticks] @ (late * before),
                y[ticks] @ late,
            ]
            np.testing.assert_allclose(found[block, :, place], expected, atol=1e-12)


@pytest.mark.parametrize(("first", "further"), [(0, 1), (0, 5), (3, 9), (0, 12)])
def test_lag_products_are_sums_of_products(
    first: int, further: int, rng: np.random.Generator
) -> None:
    """Up to as many lags as there are values."""
    values = rng.normal(size=12)
    expected = [values[lag:] @ values[: 12 - lag] for lag in range(first, further)]
    np.testing.assert_allclose(lag_products(values, first, further), expected, atol=1e-12)


@pytest.mark.parametrize("count", [1, 2, 7, 8])
def test_rest_middles_are_medians_of_what_is_left(count: int, rng: np.random.Generator) -> None:
    """All values given in order; a span may take none, some or all of them."""
    values = rng.normal(size=count)
    order = np.argsort(values)
    spans = np.array([[0, 0], [0, count // 2], [count // 2, count], [0, count]])
    found = rest_middles(values[order], order, spans, count, np.zeros(4, dtype=np.int64))
    for (first, end), middle in zip(spans, found, strict=True):
        rest = np.delete(values, np.arange(first, end))
        expected = np.median(rest) if len(rest) else np.nan
        np.testing.assert_allclose(middle, expected)


def test_peaks_are_the_largest_correlations(rng: np.random.Generator) -> None:
    """Of either sign; a lag without variance is none."""
    x, y = rng.normal(size=(40, 5)), rng.normal(size=40)
    x[:, 2] = 1.0
    sums = np.stack((x.sum(axis=0), (x**2).sum(axis=0), np.zeros(5), x.T @ y))[None]
    totals = np.array([[40.0, y.sum(), (y**2).sum()]])
    r = np.array([0.0 if lag == 2 else np.corrcoef(x[:, lag], y)[0, 1] for lag in range(5)])
    assert lag_peaks(sums, totals, 1.0)[0] == np.argmax(r)
    assert lag_peaks(sums, totals, -1.0)[0] == np.argmin(r)


def test_a_rule_is_followed_step_by_step() -> None:
    """Up, inside the tolerance, down at once (a flap), up long after (no flap)."""
    wanted = np.array([2.0, 2.1, 1.0, 3.0])
    flaps, changes, mean = follow(wanted, np.array([0, 1, 2, 50]), 1.0, 15.0, 0.1, 1e-9)
    np.testing.assert_array_equal(flaps, [0, 0, 1, 0])
    assert changes == 3
    assert mean == pytest.approx((2 + 2 + 1 + 3) / 4)
