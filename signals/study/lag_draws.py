"""The lag of resampled series: sums per block and lag, drawn 1,000 times.

Up to `MOST_PAIRS` products of ticks and lags every lag of the window is resampled at full resolution. Beyond
that the cost would grow with the square of the resolution, so the resamples are searched on means of several
ticks, and only the lags around the peak are resampled at full resolution.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from signals.series.grid import block_ids
from signals.study.bootstrap import RESAMPLES, draw_counts, percentile_interval
from signals.study.peak import centre, refine

__all__ = [
    "MOST_PAIRS",
    "DrawnLags",
    "Pairs",
    "around",
    "block_sums",
    "coarser",
    "draw_lags",
    "neighbour",
    "pair_up",
    "resampled_lags",
]

MOST_PAIRS = 8_000_000
"""Ticks times lags up to which all lags are resampled at full resolution (eleven days of 15 s ticks)."""

_FEWEST_LAGS = 8
"""Lags on each side that are always resampled at full resolution."""

_AT_ONCE = 125
"""Resamples that are summed together."""

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Pairs:
    """Detrended series, gaps bridged, and the ticks of the signal that are used at every lag.

    Attributes:
        x: float64 [n], load, 0 where missing.
        y: float64 [n], signal, 0 where not used.
        used: float64 [n], 1 where the tick takes part, else 0.
        reach: largest lag, ticks.
    """

    x: Array
    y: Array
    used: Array
    reach: int


@dataclass(frozen=True)
class DrawnLags:
    """Lags of resamples.

    Attributes:
        lags: float64 [resamples], ticks.
        width: ticks that one step of the lags was wide; 1 at full resolution.
    """

    lags: Array
    width: int


def pair_up(x: Array, y: Array, reach: int) -> Pairs:
    """Bridge short gaps of load, and keep the ticks whose every lag has a value.

    Args:
        x: float64 [n], detrended load, NaN where missing.
        y: float64 [n], detrended signal, NaN where missing.
        reach: largest lag, ticks.

    Returns:
        The series without NaN.
    """
    x = _bridge(x, max(1, reach // 6))
    holes = np.concatenate(([0], np.cumsum(~np.isfinite(x))))
    index = np.arange(len(x))
    first, last = np.maximum(0, index - reach), np.minimum(len(x), index + reach + 1)
    used = np.isfinite(y) & (holes[last] == holes[first])
    used &= (index >= reach) & (index < len(x) - reach)
    return Pairs(
        np.where(np.isfinite(x), x, 0.0), np.where(used, y, 0.0), used.astype(np.float64), reach
    )


def _bridge(values: Array, longest: int) -> Array:
    """Draw straight lines over gaps of up to `longest` ticks."""
    known = np.isfinite(values)
    if known.all() or not known.any():
        return values
    index = np.arange(len(values))
    before = np.maximum.accumulate(np.where(known, index, -1))
    after = np.minimum.accumulate(np.where(known, index, len(values))[::-1])[::-1]
    short = ~known & (before >= 0) & (after < len(values)) & (after - before - 1 <= longest)
    bridged = values.copy()
    bridged[short] = np.interp(index[short], index[known], values[known])
    return bridged


def neighbour(x: Array) -> Array:
    """The product of each value with the one before it, which is one lag further back.

    Args:
        x: float64 [n].

    Returns:
        float64 [n]; 0 first.
    """
    return x * np.concatenate(([0.0], x[:-1]))


def draw_lags(
    pairs: Pairs, sign: float, peak: int, block: int, rng: np.random.Generator
) -> DrawnLags:
    """Lag of each of 1,000 block resamples, at a cost that does not explode with the resolution.

    With more than `MOST_PAIRS` products, resamples of means of k ticks are searched over the whole window,
    k so that the means stay within the limit. If their middle 95 % lies within k ticks of the peak, only the
    lags up to 2 k ticks (or what the limit allows) from the peak are looked at from then on, in the same way,
    down to full resolution.

    Args:
        pairs: the series.
        sign: 1 if the signal rises with load, -1 if it falls.
        peak: lag with the largest correlation, ticks.
        block: ticks of a block.
        rng: source of randomness.

    Returns:
        The lags, and how fine they are.

    Complexity: O(min(n lags, MOST_PAIRS) + n) for each of a few rounds; memory O(1,000 (lags + blocks)).
    """
    count = len(pairs.x)
    products = count * (2 * pairs.reach + 1)
    if products <= MOST_PAIRS or pairs.reach <= _FEWEST_LAGS:
        return DrawnLags(resampled_lags(pairs, sign, block, rng), 1)
    width = math.ceil(math.sqrt(products / MOST_PAIRS))
    means = coarser(pairs, width)
    # as everywhere, a block is at least the cube root of the ticks: fewer blocks bound the sums' size
    longer = max(round(block / width), round(len(means.x) ** (1 / 3)))
    rough = resampled_lags(means, sign, longer, rng) * width
    middle = percentile_interval(rough)
    if middle is None or max(peak - middle[0], middle[1] - peak) > width:
        return DrawnLags(rough, width)
    half = min(pairs.reach - 1, max(2 * width, (MOST_PAIRS // count - 1) // 2))
    near, middle_lag = around(pairs, peak, half)
    finer = draw_lags(near, sign, peak - middle_lag, block, rng)
    return DrawnLags(finer.lags + middle_lag, finer.width)


def coarser(pairs: Pairs, width: int) -> Pairs:
    """Means over `width` ticks; ticks that do not fill a last mean are left out.

    Args:
        pairs: the series.
        width: ticks of a mean.

    Returns:
        Pairs whose ticks are `width` times as wide, over at least the same window of lags. A mean is used if
        any of its ticks is.
    """
    count = len(pairs.x) // width
    reach = min(math.ceil(pairs.reach / width), (count - 1) // 2)
    x, y, used = (
        values[: count * width].reshape(count, width).sum(axis=1)
        for values in (pairs.x, pairs.y, pairs.used)
    )
    index = np.arange(count)
    kept = (used > 0) & (index >= reach) & (index < count - reach)
    return Pairs(
        x / width,
        np.where(kept, y / np.maximum(used, 1.0), 0.0),
        kept.astype(np.float64),
        reach,
    )


def around(pairs: Pairs, lag: int, half: int) -> tuple[Pairs, int]:
    """The same ticks, with only the lags near one.

    Args:
        pairs: the series.
        lag: where to look, ticks.
        half: lags on each side, ticks, at most `pairs.reach`.

    Returns:
        Pairs whose lags count from a middle, and that middle: `lag`, or the nearest from which `half` lags
        on each side lie inside the window.
    """
    outer = pairs.reach - half
    middle = min(max(lag, -outer), outer)
    count = len(pairs.x)
    inner = slice(outer, count - outer)
    x = pairs.x[outer - middle : count - outer - middle]
    return Pairs(x, pairs.y[inner], pairs.used[inner], half), middle


def block_sums(pairs: Pairs, block: int) -> tuple[Array, Array]:
    """Sums over the ticks of each block.

    Args:
        pairs: the series.
        block: ticks of a block.

    Returns:
        float64 [blocks, 4, lags], of x, x squared, x times its neighbour and x y, and float64 [blocks, 3],
        of 1, y and y squared.

    Complexity: O(n lags); memory O(blocks lags).
    """
    from signals.study.kernels import block_products

    reach, count = pairs.reach, len(pairs.x)
    ids = block_ids(count - 2 * reach, block)
    edges = np.concatenate((np.flatnonzero(np.diff(ids, prepend=-1)), [len(ids)])) + reach
    sums = block_products(pairs.x, pairs.y, pairs.used, reach, edges)
    totals = np.stack((pairs.used, pairs.y, pairs.y**2), axis=1)
    return sums, np.add.reduceat(totals[: count - reach], edges[:-1], axis=0)


def resampled_lags(pairs: Pairs, sign: float, block: int, rng: np.random.Generator) -> Array:
    """Lag of each of 1,000 block resamples, over every lag of the pairs.

    Args:
        pairs: the series.
        sign: 1 if the signal rises with load, -1 if it falls.
        block: ticks of a block.
        rng: source of randomness.

    Returns:
        float64 [resamples], ticks.
    """
    sums, totals = block_sums(pairs, block)
    # a few resamples at a time, which stay in the cache
    parts = [_AT_ONCE] * (RESAMPLES // _AT_ONCE)
    drawn = [_peaks(sums, totals, sign, draw_counts(len(sums), rng, part)) for part in parts]
    return np.concatenate(drawn) - pairs.reach


def _peaks(sums: Array, totals: Array, sign: float, counts: Array) -> Array:
    """Where the correlation of each resample peaks, in lags from the first."""
    from signals.study.kernels import lag_peaks

    drawn = (counts @ sums.reshape(len(sums), -1)).reshape(len(counts), 4, -1)
    own = counts @ totals
    peaks = lag_peaks(drawn, own, sign)
    # what lies between lags takes the peak and its neighbours alone
    lags = drawn.shape[2]
    first = np.clip(peaks - 1, 0, max(lags - 3, 0))
    near = np.take_along_axis(drawn, (first[:, None] + np.arange(min(3, lags)))[:, None, :], axis=2)
    n, y, yy = own.T[:, :, None]
    moments = centre(near[:, 0], near[:, 1], near[:, 2], near[:, 3], n, y, yy)
    inside = (peaks > 0) & (peaks < lags - 1)
    return np.where(inside, first + refine(moments, sign, peaks - first), peaks)
