"""What does the signal do as load grows?

How straight the response is, where it bends, and whether the way up differs from the way down.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from signals.catalog.spec import Direction
from signals.schema import Estimate
from signals.series.grid import ticks_in
from signals.series.smooth import block_means
from signals.study.association import is_constant
from signals.study.bootstrap import percentile_interval
from signals.study.monotone import fit_monotone

__all__ = [
    "BINS",
    "KNEE_FACTOR",
    "Bins",
    "bin_edges",
    "bin_means",
    "drawn_means",
    "hysteresis",
    "knee",
    "linearity",
    "mean_width",
    "means_of_draws",
    "smooth_pairs",
]

Array = npt.NDArray[np.float64]
Index = npt.NDArray[np.int64]
Chosen = Callable[[int], Index]

BINS = 24
_MEAN_S = 900.0
_FEWEST_PER_CURVE = 20
_RESAMPLES = 400
_BLOCK = 4
"""15-minute means of a block of the bootstrap: one hour."""
_BREAKS = 50
_KNEE_P = 0.01
KNEE_FACTOR = 2.0
"""Slopes that differ by less make no knee."""


@dataclass(frozen=True)
class Bins:
    """Means of bins that hold equally many 15-minute means, in order of load.

    Attributes:
        reference: float64 [bins], mean load or load per instance.
        signal: float64 [bins], mean signal.
        count: int64 [bins], 15-minute means in each.
    """

    reference: Array
    signal: Array
    count: npt.NDArray[np.int64]


def mean_width(count: int, tick_s: float) -> int:
    """Ticks of a 15-minute mean; fewer in short series, so that two fall into each bin.

    Args:
        count: number of ticks.
        tick_s: grid width, seconds.

    Returns:
        Ticks, 1 or more.
    """
    return max(1, min(ticks_in(_MEAN_S, tick_s), count // (2 * BINS)))


def smooth_pairs(reference: Array, signal: Array, tick_s: float) -> tuple[Array, Array]:
    """15-minute means of both, over the ticks on which both have values, in time order.

    Args:
        reference: float64 [n], NaN where missing.
        signal: float64 [n], NaN where missing.
        tick_s: grid width, seconds.

    Returns:
        Two float64 arrays of equal length without NaN.
    """
    both = np.isfinite(reference) & np.isfinite(signal)
    width = mean_width(len(reference), tick_s)
    x = block_means(np.where(both, reference, np.nan), width)
    y = block_means(np.where(both, signal, np.nan), width)
    kept = np.isfinite(x) & np.isfinite(y)
    return x[kept], y[kept]


def bin_means(reference: Array, signal: Array, tick_s: float) -> Bins | None:
    """Mean signal in 24 bins of load.

    Args:
        reference: float64 [n], NaN where missing.
        signal: float64 [n], NaN where missing.
        tick_s: grid width, seconds.

    Returns:
        The bins; None with fewer than 24 means.
    """
    x, y = smooth_pairs(reference, signal, tick_s)
    if len(x) < BINS:
        return None
    order = np.argsort(x, kind="stable")
    edges = bin_edges(len(x))
    count = np.diff(edges)
    return Bins(
        np.add.reduceat(x[order], edges[:-1]) / count,
        np.add.reduceat(y[order], edges[:-1]) / count,
        count,
    )


def drawn_means(
    x: Array, y: Array, chosen: Chosen, rng: np.random.Generator
) -> tuple[Array, Array]:
    """Means of bins of resamples of 15-minute means, drawn in blocks of an hour.

    Args:
        x: float64 [n], mean loads in time order, at least 24.
        y: float64 [n], mean signals.
        chosen: where the bins begin and end in a resample in order of load.
        rng: source of randomness.

    Returns:
        Two float64 [resamples, bins].
    """
    block = min(_BLOCK, len(x))
    starts = rng.integers(0, len(x) - block + 1, size=(_RESAMPLES, len(x) // block))
    return means_of_draws(x, y, starts, block, chosen(starts.shape[1] * block))


def means_of_draws(
    x: Array, y: Array, starts: Index, block: int, edges: Index
) -> tuple[Array, Array]:
    """Means of bins of resamples in order of load.

    Args:
        x: float64 [n], loads in time order.
        y: float64 [n], signals.
        starts: int64 [resamples, blocks], where each drawn block begins.
        block: pairs of a block.
        edges: int64 [bins + 1], where each bin begins in a resample in order, and where the last ends.

    Returns:
        Two float64 [resamples, bins].
    """
    from signals.study.kernels import drawn_bins

    order = np.argsort(x, kind="stable")
    rank = np.empty(len(x), dtype=np.int64)
    rank[order] = np.arange(len(x))
    return drawn_bins(starts, block, rank, x[order], y[order], edges)


def bin_edges(count: int) -> npt.NDArray[np.int64]:
    """Where each of 24 bins of equal count begins, and where the last ends.

    Args:
        count: values in order, >= 24.

    Returns:
        int64 [25].
    """
    return np.linspace(0, count, BINS + 1).astype(np.int64)


def linearity(
    reference: Array, signal: Array, bins: Bins, tick_s: float, *, rng: np.random.Generator
) -> Estimate:
    """Share of the bin means' variance that a straight line explains.

    Args:
        reference: float64 [n], load or load per instance, NaN where missing.
        signal: float64 [n], NaN where missing.
        bins: their 24 bin means.
        tick_s: grid width, seconds.
        rng: source of randomness of the interval.

    Returns:
        In [0, 1]; None for a constant signal.
    """
    if is_constant(bins.signal) or is_constant(bins.reference):
        return Estimate(None, determined=False, reason="constant series")
    drawn = drawn_means(*smooth_pairs(reference, signal, tick_s), bin_edges, rng)
    interval = percentile_interval(_straightness(*drawn))
    value = float(_straightness(bins.reference[None], bins.signal[None])[0])
    low, high = interval if interval is not None else (None, None)
    return Estimate(value, low, high)


def _straightness(x: Array, y: Array) -> Array:
    """For one straight line the explained share is the squared correlation; row by row."""
    x, y = x - x.mean(axis=1, keepdims=True), y - y.mean(axis=1, keepdims=True)
    power = (x * x).sum(axis=1) * (y * y).sum(axis=1)
    fine = power > 0
    share = (x * y).sum(axis=1) ** 2 / np.where(fine, power, 1.0)
    return np.where(fine, np.minimum(share, 1.0), np.nan)


def hysteresis(
    reference: Array,
    signal: Array,
    rising: npt.NDArray[np.bool_],
    falling: npt.NDArray[np.bool_],
    span: float,
    direction: Direction,
) -> Estimate:
    """Mean difference between the response on rising and on falling load, over the response's span.

    Args:
        reference: float64 [n], NaN where missing.
        signal: float64 [n], NaN where missing.
        rising: bool [n], ticks on rising load.
        falling: bool [n], ticks on falling load.
        span: the response's span, in the signal's unit.
        direction: the catalog's word.

    Returns:
        Ratio, negative if the signal is lower on the way up; None where the two never meet.
    """
    if not span > 0:
        return Estimate(None, determined=False, reason="the signal does not respond to load")
    known = np.isfinite(reference) & np.isfinite(signal)
    up, down = known & rising, known & falling
    if up.sum() < _FEWEST_PER_CURVE or down.sum() < _FEWEST_PER_CURVE:
        return Estimate(None, determined=False, reason="load hardly rises or falls")
    low = max(np.quantile(reference[part], 0.05) for part in (up, down))
    high = min(np.quantile(reference[part], 0.95) for part in (up, down))
    on_rise = fit_monotone(reference[up], signal[up], direction)
    on_fall = fit_monotone(reference[down], signal[down], direction)
    if on_rise is None or on_fall is None or not high > low:
        return Estimate(None, determined=False, reason="rising and falling load never meet")
    where = np.linspace(low, high, 50)
    return Estimate(float(np.mean(on_rise.at(where) - on_fall.at(where))) / span)


def knee(reference: Array, signal: Array, tick_s: float) -> Estimate:
    """Where the response bends: the break of the best two joined straight lines.

    Args:
        reference: float64 [n], NaN where missing.
        signal: float64 [n], NaN where missing.
        tick_s: grid width, seconds.

    Returns:
        Load at the break; None unless the slopes differ by a factor of two, the second line is worth its
        coefficients at 1 %, and the two lines leave less than a curve of the third degree does, which has as many
        coefficients and no break. `extra`: `slope_below`, `slope_above`, `p_value`, also where the bend is smooth.
    """
    from scipy.special import fdtrc

    x, y = smooth_pairs(reference, signal, tick_s)
    if len(x) < BINS or is_constant(x) or is_constant(y):
        return Estimate(None, determined=False, reason="too few ticks or a constant")
    breaks = np.quantile(x, np.linspace(0.05, 0.95, _BREAKS))
    line = np.stack((np.ones_like(x), x), axis=1)
    whole = _squares(line, y)
    hinges = np.maximum(x - breaks[:, None], 0.0)
    best = int(np.argmax(_gains(line, hinges, whole[2])))
    rest, weights, residual = _squares(np.column_stack((line, hinges[best])), y)
    n_eff = _worth(residual)
    freedom = n_eff - 4
    below, above = float(weights[1]), float(weights[1] + weights[2])
    gain = max(whole[0] - rest, 0.0) / 2
    p_value = 1.0
    if freedom > 0:
        p_value = float(fdtrc(2, freedom, gain / (rest / freedom))) if rest > 0 else 0.0
    small, large = sorted((abs(below), abs(above)))
    extra = {"slope_below": below, "slope_above": above, "p_value": p_value}
    if p_value >= _KNEE_P or large < KNEE_FACTOR * small:
        return Estimate(None, reason="no knee", extra=extra)
    if _squares(_curve(x), y)[0] <= rest:
        return Estimate(None, reason="it bends smoothly, without a knee", extra=extra)
    return Estimate(float(breaks[best]), extra=extra)


def _curve(x: Array) -> Array:
    """Powers of x up to the third, on a scale on which none is lost beside the others."""
    scaled = (x - x.mean()) / np.ptp(x)
    return np.stack([scaled**power for power in range(4)], axis=1)


def _squares(basis: Array, y: Array) -> tuple[float, Array, Array]:
    """Residual sum of squares scaled to independent values, the weights, the residuals."""
    weights = np.linalg.lstsq(basis, y, rcond=None)[0]
    residual = y - basis @ weights
    return float(residual @ residual), np.asarray(weights, dtype=np.float64), residual


def _gains(line: Array, hinges: Array, residual: Array) -> Array:
    """Squares that each hinge, [breaks, n], takes away from what a line leaves."""
    across = np.linalg.qr(line)[0]
    bent = hinges - (hinges @ across) @ across.T
    size = np.maximum((bent * bent).sum(axis=1), np.finfo(float).tiny)
    return np.asarray((bent @ residual) ** 2 / size, dtype=np.float64)


def _worth(residual: Array) -> float:
    """Independent values that autocorrelated residuals are worth."""
    power = float(residual @ residual)
    a = float(residual[1:] @ residual[:-1]) / power if power > 0 else 0.0
    return len(residual) * (1 - a) / (1 + a) if -1 < a < 1 else float(len(residual))
