"""Block bootstrap: how long blocks must be, how often each is drawn, what interval follows.

Ticks that follow each other are alike, so whole blocks are drawn instead of single ticks.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from signals.study.significance import autocorrelation

__all__ = [
    "RESAMPLES",
    "block_length",
    "block_number",
    "draw_counts",
    "drawn_medians",
    "percentile_interval",
    "politis_white",
]

RESAMPLES = 1_000
_DIRECT_LIMIT = 5_000_000
"""Products up to which they are summed one by one; beyond, a transform is faster."""
_AT_ONCE = 24
"""Lags that are looked at together."""
_RANKS = 1_024
"""Steps of the ranks at which a drawn median is sought: finer than any interval needs."""


def politis_white(values: npt.NDArray[np.float64]) -> float:
    """Block length that suits a series in the circular block bootstrap.

    Args:
        values: float64 [n], no NaN.

    Returns:
        Ticks, not rounded, at least 0; 1.0 for a constant or for fewer than 10 values.

    Complexity: O(n^1.5) up to 5 million products, then O(n log n).
    Source: Politis and White 2004, with the correction of Patton, Politis and White 2009.
    """
    count = len(values)
    centred = values - values.mean() if count else values
    if count < 10 or not np.any(np.abs(centred) > 1e-12 * (1 + np.abs(values))):
        return 1.0
    quiet = max(5, int(np.log10(count)))
    reach = int(np.ceil(np.sqrt(count))) + quiet
    reach = min(reach, count - 2)
    limit = 2 * np.sqrt(np.log10(count) / count)
    squares = np.concatenate(([0.0], np.cumsum(centred**2)))
    cut, products = None, np.zeros(0)
    # most series are quiet soon: no more lags are looked at than it takes to tell
    while cut is None and len(products) <= reach:
        further = min(reach + 1, len(products) + _AT_ONCE)
        products = _lagged_products(centred, products, further)
        lags = np.arange(further)
        late, early = squares[count] - squares[lags + 1], squares[count - lags - 1]
        size = np.abs(products) / np.sqrt(np.maximum(late * early, np.finfo(float).tiny))
        cut = _first_quiet(size, quiet, limit)
    bandwidth = min(2 * max(cut, 1), reach) if cut is not None else reach
    products = _lagged_products(centred, products, bandwidth + 1)
    inner = np.arange(1, bandwidth + 1)
    taper = np.where(inner / bandwidth <= 0.5, 1.0, 2 * (1 - inner / bandwidth))
    covariance = products / count
    slope = 2 * np.sum(taper * inner * covariance[inner])
    long_run = covariance[0] + 2 * np.sum(taper * covariance[inner])
    if long_run == 0:
        return 1.0
    length = (2 * slope**2 / (4 / 3 * long_run**2)) ** (1 / 3) * count ** (1 / 3)
    return float(min(length, np.ceil(min(3 * np.sqrt(count), count / 3))))


def _lagged_products(
    centred: npt.NDArray[np.float64], known: npt.NDArray[np.float64], further: int
) -> npt.NDArray[np.float64]:
    """Sums of products with the value `lag` before, for lags 0 to `further` - 1, of which some are known."""
    from signals.study.kernels import lag_products

    count = len(centred)
    if further <= len(known):
        return known
    if count * further > _DIRECT_LIMIT:
        return autocorrelation(centred, further - 1) * float(centred @ centred)
    return np.concatenate((known, lag_products(centred, len(known), further)))


def _first_quiet(size: npt.NDArray[np.float64], run: int, limit: float) -> int | None:
    """Index at which `run` consecutive correlations under the limit begin; None if there are none."""
    small = np.concatenate(([0], np.cumsum(size < limit)))
    # a run that ends with the last lag is no run: what follows it is not known
    whole = small[run:-1] - small[: -run - 1] == run
    first = int(np.argmax(whole)) if whole.any() else -1
    return first if first >= 0 else None


def block_length(score: npt.NDArray[np.float64], count: int) -> int:
    """Ticks of a block for an estimate whose score series is known.

    Args:
        score: float64 [m], each tick's pull on the estimate; NaN are left out.
        count: ticks of the series.

    Returns:
        The larger of the cube root of `count` and twice the Politis-White length, at most a twentieth
        of `count`, at least 1.
    """
    wanted = max(count ** (1 / 3), 2 * politis_white(score[np.isfinite(score)]))
    return max(1, round(float(min(wanted, count / 20))))


def draw_counts(
    blocks: int, rng: np.random.Generator, resamples: int = RESAMPLES
) -> npt.NDArray[np.float64]:
    """How often each block is drawn in each resample of as many blocks.

    Args:
        blocks: number of blocks, >= 1.
        rng: source of randomness.
        resamples: number of resamples.

    Returns:
        float64 [resamples, blocks]; each row sums to `blocks`.
    """
    from signals.study.kernels import counted

    return counted(rng.integers(0, blocks, size=(resamples, blocks), dtype=np.int32), blocks)


def drawn_medians(
    values: npt.NDArray[np.float64], ids: npt.NDArray[np.int64], counts: npt.NDArray[np.float64]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Median, and mean distance from it, of each resample.

    Args:
        values: float64 [n], no NaN.
        ids: int64 [n], block of each value, 0 to blocks - 1.
        counts: float64 [resamples, blocks], how often each block is drawn.

    Returns:
        Two float64 [resamples], NaN where no value is drawn; the median is exact up to 1,024 values, else
        within n / 1,024 ranks.

    Complexity: O(n log n + resamples n), many resamples at a time.
    """
    from signals.study.kernels import drawn_middles

    count = len(values)
    order = np.argsort(values)
    steps = min(count, _RANKS)
    last = np.flatnonzero(np.diff(np.arange(count) * steps // count, append=steps))
    drawn = np.ascontiguousarray(counts.T)
    middle, reached, under, whole = drawn_middles(values[order], ids[order], last, drawn)
    total = counts @ np.bincount(ids, minlength=counts.shape[1])
    distance = middle * (2 * reached - total) - 2 * under + whole
    return np.where(total > 0, middle, np.nan), np.maximum(distance, 0.0) / np.maximum(total, 1.0)


def block_number(count: int, block: int) -> npt.NDArray[np.int64]:
    """Block of each of `count` values; a last block that is not full joins the one before it.

    Args:
        count: number of values, >= 1.
        block: values of a block, >= 1.

    Returns:
        int64 [count], 0 to blocks - 1.
    """
    return np.minimum(np.arange(count) // block, max(1, count // block) - 1)


def percentile_interval(draws: npt.NDArray[np.float64]) -> tuple[float, float] | None:
    """The middle 95 % of the draws.

    Args:
        draws: float64 [resamples], NaN where a resample gave nothing.

    Returns:
        2.5th and 97.5th percentile; None if more than a tenth of the draws is missing.
    """
    known = draws[np.isfinite(draws)]
    if len(known) < 0.9 * len(draws) or not len(known):
        return None
    known = np.sort(known)
    return _quantile(known, 0.025), _quantile(known, 0.975)


def _quantile(ordered: npt.NDArray[np.float64], share: float) -> float:
    """Straight between the two nearest of values in order; what `np.quantile` says, at a tenth of its cost."""
    place = share * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    low, high = float(ordered[below]), float(ordered[above])
    return low + (high - low) * (place - below)
