"""Averages over time: trailing means, means of blocks, local lines, the shape of a day.

Series are float64 [n ticks] with NaN for missing. Only `trailing_mean` is fit for decisions: it alone looks
at no later tick.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from signals.series.grid import DAY_S, whole_days
from signals.series.recall import remembered

__all__ = [
    "DAYS_FOR_SHAPE",
    "block_means",
    "daily_shape",
    "detrend",
    "harmonics",
    "local_line",
    "trailing_mean",
]

DAYS_FOR_SHAPE = 3
_HARMONICS = 2
_SHORTEST_FOR_HARMONICS = 60
"""Ticks under which the five coefficients of the harmonics would take the load itself away."""


def _window_sums(values: npt.NDArray[np.float64], width: int) -> npt.NDArray[np.float64]:
    """Sum over the `width` values that end at each tick; fewer at the start."""
    total = np.concatenate(([0.0], np.cumsum(values)))
    last = np.arange(1, len(values) + 1)
    return np.asarray(total[last] - total[np.maximum(0, last - width)], dtype=np.float64)


def trailing_mean(values: npt.NDArray[np.float64], width: int) -> npt.NDArray[np.float64]:
    """Mean of the values in the window that ends at each tick.

    Args:
        values: float64 [n], NaN where missing.
        width: ticks of the window, >= 1; shorter at the start of the series.

    Returns:
        float64 [n]; NaN where less than half of the window has a value.
    """
    if width == 1:
        return values.copy()
    known = np.isfinite(values)
    sums = _window_sums(np.where(known, values, 0.0), width)
    counts = _window_sums(known.astype(np.float64), width)
    expected = np.minimum(np.arange(1, len(values) + 1), width)
    enough = counts * 2 >= expected
    return np.where(enough & (counts > 0), sums / np.maximum(counts, 1), np.nan)


def block_means(values: npt.NDArray[np.float64], width: int) -> npt.NDArray[np.float64]:
    """Means of consecutive blocks; ticks that do not fill a last block are left out.

    Args:
        values: float64 [n], NaN where missing.
        width: ticks of a block, >= 1.

    Returns:
        float64 [n // width]; NaN where less than half of a block has a value.
    """
    count = len(values) // width
    blocks = values[: count * width].reshape(count, width)
    known = np.isfinite(blocks)
    counts = known.sum(axis=1)
    sums = np.where(known, blocks, 0.0).sum(axis=1)
    return np.where(counts * 2 >= width, sums / np.maximum(counts, 1), np.nan)


@remembered(2)
def local_line(values: npt.NDArray[np.float64], reach: int) -> npt.NDArray[np.float64]:
    """What a straight line through the neighbours of each tick says about it.

    The tick itself takes no part, so that its noise cannot hide in the fit.

    Args:
        values: float64 [n], NaN where missing.
        reach: neighbours on each side, ticks, >= 1.

    Returns:
        float64 [n]; NaN where the tick has neighbours on fewer than two moments.
    """
    known = np.isfinite(values)
    filled = np.where(known, values, 0.0)
    offset = np.arange(-reach, reach + 1, dtype=np.float64)
    others = (offset != 0).astype(np.float64)

    def around(series: npt.NDArray[np.float64], power: int) -> npt.NDArray[np.float64]:
        weights = others * offset**power
        # convolution runs the window backwards: reversing it makes offset j look at tick t + j
        full = np.convolve(series, weights[::-1])
        return full[reach : reach + len(series)]

    mask = known.astype(np.float64)
    s0, s1, s2 = (around(mask, power) for power in (0, 1, 2))
    t0, t1 = (around(filled, power) for power in (0, 1))
    spread = s0 * s2 - s1 * s1
    solvable = spread > 0.5
    line = (s2 * t0 - s1 * t1) / np.where(solvable, spread, 1.0)
    return np.where(solvable, line, np.nan)


@remembered(4)
def daily_shape(values: npt.NDArray[np.float64], tick_s: float) -> npt.NDArray[np.float64] | None:
    """The periodic mean of the whole days, laid over all ticks.

    Args:
        values: float64 [n], NaN where missing.
        tick_s: grid width, seconds.

    Returns:
        float64 [n], NaN at times of day without a value; None with fewer than three whole days.
    """
    days = whole_days(len(values), tick_s)
    if days < DAYS_FOR_SHAPE:
        return None
    # a tick that does not divide the day takes the place it starts in
    period = int(np.ceil(DAY_S / tick_s - 1e-9))
    place = np.floor(np.arange(len(values)) * tick_s % DAY_S / tick_s + 1e-6).astype(int) % period
    whole = np.arange(len(values)) < round(days * DAY_S / tick_s)
    used = np.isfinite(values) & whole
    counts = np.bincount(place[used], minlength=period)
    sums = np.bincount(place[used], weights=values[used], minlength=period)
    shape = np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
    return np.asarray(shape[place], dtype=np.float64)


def harmonics(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """The mean and the two slowest waves of the span, by least squares.

    Args:
        values: float64 [n], NaN where missing, at least six of them not.

    Returns:
        float64 [n].
    """
    count = len(values)
    phase = 2 * np.pi * np.arange(count) / count
    waves = [np.ones(count)]
    for order in range(1, _HARMONICS + 1):
        waves += [np.cos(order * phase), np.sin(order * phase)]
    basis = np.stack(waves, axis=1)
    known = np.isfinite(values)
    weights = np.linalg.lstsq(basis[known], values[known], rcond=None)[0]
    return np.asarray(basis @ weights, dtype=np.float64)


def detrend(values: npt.NDArray[np.float64], tick_s: float) -> npt.NDArray[np.float64]:
    """Take away what changes slowly: the daily shape with three days, else two waves of the span.

    Args:
        values: float64 [n], NaN where missing.
        tick_s: grid width, seconds.

    Returns:
        float64 [n]; with fewer than 60 values only the mean is taken away.
    """
    shape = daily_shape(values, tick_s)
    if shape is not None:
        return values - shape
    if np.isfinite(values).sum() < _SHORTEST_FOR_HARMONICS:
        return values - np.nanmean(values) if np.isfinite(values).any() else values.copy()
    return values - harmonics(values)
