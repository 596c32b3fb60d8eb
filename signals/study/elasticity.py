"""By how many per cent does the signal move when load moves by one per cent?

A ratio rule takes 1 for granted. `residual_elasticity` asks the same of what is left after the shape of the
day, which tells a signal that follows load from one that follows the clock.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from signals.schema import Estimate
from signals.series.grid import ticks_in
from signals.series.smooth import block_means, daily_shape
from signals.study.association import is_constant
from signals.study.bootstrap import draw_counts, percentile_interval
from signals.study.response import (
    BINS,
    Bins,
    bin_edges,
    drawn_means,
    means_of_draws,
    smooth_pairs,
)

__all__ = ["elasticity", "following", "outer_slope", "residual_elasticity"]

Array = npt.NDArray[np.float64]
Index = npt.NDArray[np.int64]

_MEAN_S = 900.0
_RESAMPLES = 400
_BLOCK = 4
"""15-minute means of a block: one hour."""
_LEAST_SPREAD = 0.1
"""Log change of load beyond its daily shape under which there is nothing to follow."""


def elasticity(
    reference: Array, signal: Array, bins: Bins | None, tick_s: float, *, rng: np.random.Generator
) -> Estimate:
    """Slope of ln signal on ln load between the outer sixths of load.

    Args:
        reference: float64 [n], load or load per instance, NaN where missing.
        signal: float64 [n], NaN where missing.
        bins: their 24 bin means, None if there are too few.
        tick_s: grid width, seconds.
        rng: source of randomness of the interval.

    Returns:
        1 for a signal in proportion to load, 0 for one that ignores it. `extra`: `low_third`,
        `middle_third`, `high_third`, the slope inside each third of load.
    """
    if bins is None:
        return Estimate(None, determined=False, reason="too few ticks")
    x, y = smooth_pairs(reference, signal, tick_s)
    value = outer_slope(x, y)
    if value is None:
        return Estimate(None, determined=False, reason="a mean is not above zero")
    interval = percentile_interval(_outer_slope(*drawn_means(x, y, _sixths, rng)))
    low, high = interval if interval is not None else (None, None)
    thirds = [_third(bins, number) for number in range(3)]
    names = ("low_third", "middle_third", "high_third")
    return Estimate(value, low, high, extra=dict(zip(names, thirds, strict=True)))


def outer_slope(x: Array, y: Array) -> float | None:
    """Slope of ln y on ln x between the means of the lowest and the highest sixth of x.

    Args:
        x: float64 [n], mean loads, at least 24.
        y: float64 [n], mean signals.

    Returns:
        None where a mean is not above zero, or load is the same in both.
    """
    order = np.argsort(x, kind="stable")
    low, high = _sixths(len(x))[1:3]
    ends = [
        np.array([[part[order[:low]].mean(), np.nan, part[order[high:]].mean()]]) for part in (x, y)
    ]
    slope = float(_outer_slope(*ends)[0])
    return slope if np.isfinite(slope) else None


def _sixths(count: int) -> Index:
    """Where the lowest sixth, the middle and the highest sixth of the bins begin, and the end."""
    edges = bin_edges(count)
    return edges[[0, BINS // 6, BINS - BINS // 6, BINS]]


def _outer_slope(x: Array, y: Array) -> Array:
    """Slope between the means of the lowest and the highest sixth, [resamples, 3]."""
    x0, x1, y0, y1 = x[:, 0], x[:, 2], y[:, 0], y[:, 2]
    fine = (x0 > 0) & (y0 > 0) & (x1 > x0) & (y1 > 0)
    safe = [np.where(fine, part, fallback) for part, fallback in ((x0, 1.0), (x1, 2.0))]
    run = np.log(safe[1] / safe[0])
    rise = np.log(np.where(fine, y1, 1.0) / np.where(fine, y0, 1.0))
    return np.where(fine, rise / run, np.nan)


def _third(bins: Bins, number: int) -> float | None:
    part = slice(number * BINS // 3, (number + 1) * BINS // 3)
    x, y = bins.reference[part], bins.signal[part]
    if np.any(x <= 0) or np.any(y <= 0) or is_constant(x):
        return None
    run = np.log(x) - np.log(x).mean()
    return float(run @ np.log(y) / (run @ run))


def residual_elasticity(
    reference: Array, signal: Array, tick_s: float, *, rng: np.random.Generator
) -> Estimate:
    """Elasticity of what is left of signal and load after the shape of the day.

    Both are divided by their daily shapes, averaged over 15 minutes, and compared between the outer sixths
    of the load's deviation.

    Args:
        reference: float64 [n], load or load per instance, NaN where missing.
        signal: float64 [n], NaN where missing.
        tick_s: grid width, seconds.
        rng: source of randomness of the interval.

    Returns:
        About the elasticity for a signal that follows load, about 0 for one that follows the clock; None
        with fewer than three whole days, or where load hardly departs from its daily shape.
    """
    x, y = _beyond_day(reference, tick_s), _beyond_day(signal, tick_s)
    if x is None or y is None:
        return Estimate(None, determined=False, reason="fewer than three whole days")
    kept = np.isfinite(x) & np.isfinite(y)
    x, y = x[kept], y[kept]
    if len(x) < BINS:
        return Estimate(None, determined=False, reason="too few ticks")
    width = 4 * _BLOCK
    blocks = max(1, len(x) // width)
    value, spread = _outer_difference(x, y, np.zeros((1, 1), dtype=np.int64), len(x))
    if not spread[0] >= _LEAST_SPREAD:
        return Estimate(None, determined=False, reason="load hardly departs from its daily shape")
    counts = draw_counts(blocks, rng, _RESAMPLES).astype(int)
    drawn = np.repeat(np.broadcast_to(np.arange(blocks), counts.shape).ravel(), counts.ravel())
    starts = drawn.reshape(_RESAMPLES, -1) * width
    interval = percentile_interval(_outer_difference(x, y, starts, width)[0])
    low, high = interval if interval is not None else (None, None)
    return Estimate(float(value[0]), low, high, extra={"load_spread": float(spread[0])})


def following(residual: Estimate, whole: Estimate) -> float | None:
    """How far a signal follows load beyond the daily shape, in the sense in which it moves with load at all.

    Args:
        residual: its `residual_elasticity`.
        whole: its `elasticity`.

    Returns:
        Above zero for a signal that follows load, be it one that rises or one that falls; under zero for one
        that goes with the hour of the day and against load.
    """
    if residual.value is None or whole.value is None or whole.value >= 0:
        return residual.value
    return -residual.value


def _beyond_day(values: Array, tick_s: float) -> Array | None:
    """15-minute means over their daily shape, less one."""
    width = max(1, min(ticks_in(_MEAN_S, tick_s), len(values)))
    means = block_means(values, width)
    shape = daily_shape(means, width * tick_s)
    if shape is None:
        return None
    floor = 0.05 * np.nanmax(shape) if np.isfinite(shape).any() else np.inf
    fine = np.isfinite(means) & (np.nan_to_num(shape, nan=-np.inf) > max(floor, 0.0))
    return np.where(fine, means / np.where(fine, shape, 1.0) - 1, np.nan)


def _outer_difference(x: Array, y: Array, starts: Index, block: int) -> tuple[Array, Array]:
    """Ratio of the outer sixths' differences of y and x, and that of x, of each draw of blocks."""
    count = starts.shape[1] * block
    few = max(1, count // 6)
    x, y = means_of_draws(x, y, starts, block, np.array([0, few, count - few, count]))
    run, rise = x[:, 2] - x[:, 0], y[:, 2] - y[:, 0]
    return np.where(run > 0, rise / np.where(run > 0, run, 1.0), np.nan), run
