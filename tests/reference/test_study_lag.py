"""The lag's fast sums against slow loops that follow the definition word by word."""

from __future__ import annotations

import numpy as np
import pytest

from signals.series.smooth import detrend
from signals.series.synthetic import add_noise, ar1, delayed
from signals.study.bootstrap import draw_counts
from signals.study.lag import _prepare, estimate_lag, lag_curve
from signals.study.lag_draws import resampled_lags

TICK_S = 60.0


def slow_curve(x: np.ndarray, y: np.ndarray, reach: int) -> list[float]:
    """Pearson of (y_i, x_{i-l}) over the same i for every l; i only where all of them have values."""
    usable = [
        i
        for i in range(reach, len(x) - reach)
        if np.isfinite(y[i]) and np.isfinite(x[i - reach : i + reach + 1]).all()
    ]
    return [
        float(np.corrcoef(y[usable], x[[i - lag for i in usable]])[0, 1])
        for lag in range(-reach, reach + 1)
    ]


def slow_lag(pairs: list[tuple[int, float]], x: np.ndarray, reach: int) -> float:
    """Lag of a resample given as (index, y) pairs: peak, then two regressions on adjacent lags."""
    index = np.array([i for i, _ in pairs])
    y = np.array([value for _, value in pairs])
    curve = [np.corrcoef(y, x[index - lag])[0, 1] for lag in range(-reach, reach + 1)]
    peak = int(np.argmax(curve)) - reach
    if abs(peak) == reach:
        return float(peak)
    best = (-2.0, 0.0)
    for first in (peak - 1, peak):
        columns = np.stack([x[index - first], x[index - first - 1], np.ones(len(y))], axis=1)
        b1, b2, _ = np.linalg.lstsq(columns, y, rcond=None)[0]
        f = float(np.clip(b2 / (b1 + b2), 0, 1))
        mixture = (1 - f) * columns[:, 0] + f * columns[:, 1]
        best = max(best, (float(np.corrcoef(mixture, y)[0, 1]), first + f))
    return best[1]


@pytest.fixture
def pair(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """A load and its noisy copy 2.4 ticks later."""
    load, late = delayed(lambda count: ar1(count, 0.8, rng), 160, 2.4)
    return load, add_noise(late, 0.5, rng)


def test_curve_equals_the_loop(pair: tuple[np.ndarray, np.ndarray]) -> None:
    """All lags over the same ticks, detrended first."""
    load, signal = pair
    curve = lag_curve(load, signal, TICK_S)
    expected = slow_curve(detrend(load, TICK_S), detrend(signal, TICK_S), 30)
    np.testing.assert_allclose(curve.correlation, expected, atol=1e-10)


def test_curve_with_missing_values_equals_the_loop(
    pair: tuple[np.ndarray, np.ndarray],
) -> None:
    """A missing signal drops its tick; a long hole in load drops every tick that would look into it."""
    load, signal = pair
    signal[[50, 51, 77]] = np.nan
    load[148:] = np.nan
    curve = lag_curve(load, signal, TICK_S)
    expected = slow_curve(detrend(load, TICK_S), detrend(signal, TICK_S), 30)
    np.testing.assert_allclose(curve.correlation, expected, atol=1e-10)


def test_point_estimate_equals_the_regressions(pair: tuple[np.ndarray, np.ndarray]) -> None:
    """The refinement below one tick is the better of two regressions."""
    load, signal = pair
    estimate = estimate_lag(load, signal, TICK_S, rng=np.random.default_rng(0))
    x, y = detrend(load, TICK_S), detrend(signal, TICK_S)
    expected = slow_lag([(i, y[i]) for i in range(30, 130)], x, 30)
    assert estimate.value == pytest.approx(expected * TICK_S)


def test_resampled_lags_equal_those_of_the_drawn_ticks(
    pair: tuple[np.ndarray, np.ndarray],
) -> None:
    """Sums per block times counts are the same as drawing the blocks' pairs and starting over."""
    load, signal = pair
    ready = _prepare(load, signal, TICK_S)
    block = 7
    found = resampled_lags(ready, 1.0, block, np.random.default_rng(5))[:25]
    ids = np.minimum(np.arange(100) // block, 13)
    counts = draw_counts(14, np.random.default_rng(5))[:25]
    x, y = detrend(load, TICK_S), detrend(signal, TICK_S)
    for row, lag in zip(counts, found, strict=True):
        pairs = [(i + 30, y[i + 30]) for i in range(100) for _ in range(int(row[ids[i]]))]
        assert lag == pytest.approx(slow_lag(pairs, x, 30), abs=1e-6)
