"""Compiled loops of the study: what arrays can only say with many passes, one pass says here.

Importing this file loads a compiler, so it is imported where a kernel is called. Kernels are kept on disk; the
cache knows a kernel by this file alone, so none of them calls anything outside of it.
"""

from __future__ import annotations

from collections.abc import Callable
from math import ceil
from typing import Any, TypeVar, cast

import numpy as np
import numpy.typing as npt
from numba import njit

__all__ = [
    "block_products",
    "counted",
    "drawn_bins",
    "drawn_middles",
    "follow",
    "lag_peaks",
    "lag_products",
    "pooled",
    "rest_middles",
]

Array = npt.NDArray[np.float64]
Index = npt.NDArray[np.int64]

_Function = TypeVar("_Function", bound=Callable[..., Any])


def _compiled(function: _Function) -> _Function:
    """Without the lock of the interpreter, division by zero as in numpy, kept on disk."""
    return cast("_Function", njit(nogil=True, error_model="numpy", cache=True)(function))


@_compiled
def drawn_bins(
    starts: Index, block: int, rank: Index, x: Array, y: Array, edges: Index
) -> tuple[Array, Array]:
    """Means of bins of resampled pairs in order of x, without sorting any resample.

    Args:
        starts: int64 [resamples, blocks], first position of each drawn block.
        block: pairs of a block.
        rank: int64 [n], place of each pair in the order of x.
        x: float64 [n], in order.
        y: float64 [n], in the same order.
        edges: int64 [bins + 1], where each bin begins among the pairs of a resample in order, and the last ends.

    Returns:
        Two float64 [resamples, bins]. Equal x are taken in the order of the pairs.

    Complexity: O(n + blocks block) a resample.
    """
    resamples, blocks = starts.shape
    count, bins = len(x), len(edges) - 1
    x_means = np.zeros((resamples, bins))
    y_means = np.zeros((resamples, bins))
    drawn = np.empty(count, dtype=np.int64)
    for row in range(resamples):
        drawn[:] = 0
        for place in range(blocks):
            for step in range(block):
                drawn[rank[starts[row, place] + step]] += 1
        at, number = 0, 0
        for pair in range(count):
            left = drawn[pair]
            while left > 0 and number < bins:
                taken = min(left, edges[number + 1] - at)
                x_means[row, number] += taken * x[pair]
                y_means[row, number] += taken * y[pair]
                at += taken
                left -= taken
                if at == edges[number + 1]:
                    number += 1
        for number in range(bins):
            width = edges[number + 1] - edges[number]
            x_means[row, number] /= width
            y_means[row, number] /= width
    return x_means, y_means


@_compiled
def pooled(values: Array, weights: Array) -> Array:
    """Rising sequence that is nearest to the values in weighted squares: pool adjacent violators.

    Args:
        values: float64 [n].
        weights: float64 [n], above zero.

    Returns:
        float64 [n], not falling.

    Complexity: O(n).
    """
    count = len(values)
    level, weight = np.empty(count), np.empty(count)
    first = np.empty(count + 1, dtype=np.int64)
    pools = 0
    for place in range(count):
        level[pools], weight[pools], first[pools] = values[place], weights[place], place
        pools += 1
        while pools > 1 and level[pools - 2] >= level[pools - 1]:
            pools -= 1
            both = weight[pools - 1] + weight[pools]
            level[pools - 1] += (level[pools] - level[pools - 1]) * (weight[pools] / both)
            weight[pools - 1] = both
    first[pools] = count
    fitted = np.empty(count)
    for pool in range(pools):
        fitted[first[pool] : first[pool + 1]] = level[pool]
    return fitted


@_compiled
def follow(
    wanted: Array,
    moments: Index,
    start: float,
    remembered: float,
    tolerance: float,
    rounding: float,
) -> tuple[Array, int, float]:
    """Follow a ratio rule, decision by decision.

    Args:
        wanted: float64 [decisions], instances that would bring the signal to its target.
        moments: int64 [decisions], when each decision is made, in decision intervals.
        start: instances before the first decision.
        remembered: intervals after which a change is no longer undone but answered.
        tolerance: share of the count by which a wish may differ without an order.
        rounding: part of an instance that is not worth another one.

    Returns:
        float64 [decisions], 1 where a change undid the one before; how many changes; mean count.
    """
    flaps = np.zeros(len(wanted))
    instances, total, since = start, 0.0, 0
    changes, before, moment = 0, 0, 0
    for at in range(len(wanted)):
        wish = wanted[at]
        if instances * (1 - tolerance) <= wish <= instances * (1 + tolerance):
            continue
        new = max(1.0, ceil(wish - rounding))
        if new == instances:
            continue
        way = 1 if new > instances else -1
        if way == -before and moments[at] - moment < remembered:
            flaps[at] = 1.0
        total += instances * (at - since)
        instances, before, moment, since = new, way, moments[at], at
        changes += 1
    total += instances * (len(wanted) - since)
    return flaps, changes, total / max(len(wanted), 1)


@_compiled
def counted(drawn: npt.NDArray[np.int32], blocks: int) -> Array:
    """How often each block is drawn.

    Args:
        drawn: int32 [resamples, draws], 0 to `blocks` - 1.
        blocks: number of blocks.

    Returns:
        float64 [resamples, blocks].
    """
    counts = np.zeros((drawn.shape[0], blocks))
    for row in range(drawn.shape[0]):
        for place in range(drawn.shape[1]):
            counts[row, drawn[row, place]] += 1.0
    return counts


@_compiled
def drawn_middles(
    ranked: Array, ids: Index, last: Index, drawn: Array
) -> tuple[Array, Array, Array, Array]:
    """Where the middle of each resample of blocks lies among values in order.

    Args:
        ranked: float64 [n], in order.
        ids: int64 [n], block of each value.
        last: int64 [steps], rising, ranks at which the middle is sought; the last is n - 1.
        drawn: float64 [blocks, resamples], how often each block is drawn.

    Returns:
        Four float64 [resamples]: the value at the first of these ranks that half of what is drawn does not
        exceed, how many are drawn up to it, their sum, and the sum of all.

    Complexity: O(n resamples), many resamples in one instruction.
    """
    blocks, resamples = drawn.shape
    size_of, sum_of = np.zeros(blocks), np.zeros(blocks)
    for value in range(len(ids)):
        size_of[ids[value]] += 1.0
        sum_of[ids[value]] += ranked[value]
    total, whole = np.zeros(resamples), np.zeros(resamples)
    for block in range(blocks):
        total += size_of[block] * drawn[block]
        whole += sum_of[block] * drawn[block]
    number, sums = np.zeros(resamples), np.zeros(resamples)
    middle, reached, under = np.empty(resamples), np.full(resamples, -1.0), np.zeros(resamples)
    first, open_draws = 0, resamples
    for step in range(len(last)):
        if open_draws == 0:
            break
        for value in range(first, last[step] + 1):
            row, size = drawn[ids[value]], ranked[value]
            for draw in range(resamples):
                number[draw] += row[draw]
                sums[draw] += row[draw] * size
        first = last[step] + 1
        for draw in range(resamples):
            if reached[draw] < 0 and number[draw] * 2 >= total[draw]:
                middle[draw] = ranked[last[step]]
                reached[draw], under[draw] = number[draw], sums[draw]
                open_draws -= 1
    return middle, reached, under, whole


@_compiled
def block_products(x: Array, y: Array, used: Array, reach: int, edges: Index) -> Array:
    """Sums over blocks of ticks of x at every lag, its square, its product with the value before, and with y.

    Args:
        x: float64 [n].
        y: float64 [n].
        used: float64 [n], 1 where a tick takes part, else 0.
        reach: largest lag.
        edges: int64 [blocks + 1], first tick of each block, at least `reach` from both ends.

    Returns:
        float64 [blocks, 4, 2 reach + 1], the lag rising from -reach.
    """
    blocks, lags = len(edges) - 1, 2 * reach + 1
    square, neighbour = x * x, np.empty_like(x)
    neighbour[0] = 0.0
    neighbour[1:] = x[1:] * x[:-1]
    found = np.empty((blocks, 4, lags))
    sums = np.empty((4, lags))
    for block in range(blocks):
        sums[:] = 0.0
        for tick in range(edges[block], edges[block + 1]):
            if used[tick] == 0:
                continue
            first, height = tick - reach, y[tick]
            for place in range(lags):
                sums[0, place] += x[first + place]
                sums[1, place] += square[first + place]
                sums[2, place] += neighbour[first + place]
                sums[3, place] += x[first + place] * height
        found[block] = sums[:, ::-1]
    return found


@_compiled
def lag_products(values: Array, first: int, further: int) -> Array:
    """Sums of products with the value `lag` before, for lags `first` to `further` - 1.

    Args:
        values: float64 [n].
        first: least lag, >= 0.
        further: one more than the largest, at most n.

    Returns:
        float64 [further - first].

    Complexity: O(n lags), many lags in one instruction.
    """
    lags = further - first
    sums = np.zeros(lags)
    for place in range(first, min(further - 1, len(values))):
        for lag in range(first, place + 1):
            sums[lag - first] += values[place] * values[place - lag]
    for place in range(further - 1, len(values)):
        value, begin = values[place], place - first
        for lag in range(lags):
            sums[lag] += value * values[begin - lag]
    return sums


@_compiled
def rest_middles(ordered: Array, places: Index, spans: Index, count: int, below: Index) -> Array:
    """Median of a series without a span, for each span, from the values around its middle.

    Args:
        ordered: float64 [m], those values in order.
        places: int64 [m], where each stands in the series.
        spans: int64 [k, 2], first position that is taken out, and one past the last.
        count: values of the series.
        below: int64 [k], values under all of `ordered` that stay.

    Returns:
        float64 [k]; NaN where nothing is left.
    """
    result = np.full(len(spans), np.nan)
    for span in range(len(spans)):
        first, end = spans[span]
        left = count - (end - first)
        if left < 1:
            continue
        middle = (left - 1) // 2 - below[span]
        seen, low = -1, 0.0
        for rank in range(len(ordered)):
            if first <= places[rank] < end:
                continue
            seen += 1
            if seen == middle:
                low = ordered[rank]
                if left % 2:
                    result[span] = low
                    break
            elif seen == middle + 1:
                result[span] = (low + ordered[rank]) / 2
                break
    return result


@_compiled
def lag_peaks(sums: Array, totals: Array, sign: float) -> Index:
    """Lag with the largest correlation of each resample.

    Args:
        sums: float64 [resamples, 4, lags], of x, x squared, x with its neighbour (not looked at) and x y.
        totals: float64 [resamples, 3], pairs, sum of y and of y squared.
        sign: 1 if y rises with x, -1 if it falls.

    Returns:
        int64 [resamples], the first of equals; 0 where no lag has a variance.
    """
    resamples, _, lags = sums.shape
    peaks = np.zeros(resamples, dtype=np.int64)
    for row in range(resamples):
        n = max(totals[row, 0], 1.0)
        y = totals[row, 1]
        best = -np.inf
        for lag in range(lags):
            x, xx = sums[row, 0, lag], sums[row, 1, lag]
            own = xx - x * x / n
            if own <= 1e-12 * abs(xx):
                continue
            shared = sign * (sums[row, 3, lag] - x * y / n) / np.sqrt(own)
            if shared > best:
                best, peaks[row] = shared, lag
    return peaks
