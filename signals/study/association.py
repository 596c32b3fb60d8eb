"""Does the signal go with load, and could that be chance?

Series whose neighbours are alike hold fewer independent pairs than ticks; p-values and intervals count the
effective ones.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from signals.schema import Estimate
from signals.series.align import pairs_at_lag
from signals.series.grid import whole_days
from signals.series.smooth import daily_shape
from signals.study.significance import (
    bartlett_size,
    fisher_interval,
    independent_pairs,
    pearson_p_value,
)

__all__ = [
    "is_constant",
    "partial",
    "pearson",
    "spearman",
]

Array = npt.NDArray[np.float64]


def pearson(load: Array, signal: Array, lag: int = 0) -> Estimate:
    """Linear association at a lag.

    Args:
        load: float64 [n], NaN where missing.
        signal: float64 [n] on the same ticks, NaN where missing.
        lag: ticks by which the signal trails load.

    Returns:
        Correlation in [-1, 1] with Fisher's interval; None for a constant. `extra`: `pairs`, `n_eff`,
        `p_value`, `lag_ticks`.
    """
    return _associate(*pairs_at_lag(load, signal, lag), lag)


def spearman(load: Array, signal: Array, lag: int = 0) -> Estimate:
    """Monotone association at a lag: Pearson's correlation of the ranks.

    Args:
        load: float64 [n], NaN where missing.
        signal: float64 [n] on the same ticks, NaN where missing.
        lag: ticks by which the signal trails load.

    Returns:
        As `pearson`.
    """
    x, y = pairs_at_lag(load, signal, lag)
    return _associate(_ranks(x), _ranks(y), lag)


def _ranks(values: Array) -> Array:
    """Ranks from 1, equal values sharing their mean rank."""
    _, place, sizes = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(sizes)
    return np.asarray((last - (sizes - 1) / 2)[place], dtype=np.float64)


def partial(load: Array, signal: Array, tick_s: float, lag: int = 0) -> Estimate:
    """Linear association of what is left of both after the shape of the day.

    Args:
        load: float64 [n], NaN where missing.
        signal: float64 [n] on the same ticks, NaN where missing.
        tick_s: grid width, seconds.
        lag: ticks by which the signal trails load.

    Returns:
        As `pearson`; None with fewer than three whole days. Of D days one went into the shape, so that pairs
        count for (D - 1) / D. `extra` also: `days`.
    """
    days = whole_days(len(load), tick_s)
    shapes = daily_shape(load, tick_s), daily_shape(signal, tick_s)
    if shapes[0] is None or shapes[1] is None:
        return Estimate(None, determined=False, reason="fewer than three whole days")
    left = _beyond(load, shapes[0]), _beyond(signal, shapes[1])
    estimate = _associate(*pairs_at_lag(*left, lag), lag, share=(days - 1) / days)
    return replace(estimate, extra={**estimate.extra, "days": days})


def _beyond(values: Array, shape: Array) -> Array:
    """What a shape leaves; exactly nothing where only rounding is left."""
    rest = values - shape
    known = np.isfinite(rest)
    if not known.any():
        return rest
    rounding = 1e-12 * float(np.abs(values[known]).max())
    return np.where(known & (np.abs(rest) <= rounding), 0.0, rest)


def _associate(x: Array, y: Array, lag: int, share: float = 1.0) -> Estimate:
    if len(x) < 3:
        return Estimate(None, determined=False, reason="fewer than three pairs")
    if is_constant(x) or is_constant(y):
        return Estimate(
            None,
            determined=False,
            reason="constant series",
            extra={"pairs": len(x), "lag_ticks": lag},
        )
    r = float(np.clip(np.corrcoef(x, y)[0, 1], -1.0, 1.0))
    # residuals of a shape have no mean left to fit: no pairs are taken off for it, and the test loses one fewer
    n_eff = share * bartlett_size(x, y) if share < 1 else independent_pairs(x, y)
    for_test = n_eff + 1 if share < 1 else n_eff
    low, high = fisher_interval(x, y, r, share=share)
    extra = {
        "pairs": len(x),
        "n_eff": n_eff,
        "p_value": pearson_p_value(r, for_test),
        "lag_ticks": lag,
    }
    return Estimate(r, low, high, extra=extra)


def is_constant(values: Array) -> bool:
    """Whether a series never moves by more than rounding.

    Args:
        values: float64 [n]; NaN are left out.

    Returns:
        True also for a series without a value.
    """
    known = values[np.isfinite(values)]
    if not len(known):
        return True
    return float(np.ptp(known)) <= 1e-12 * float(np.abs(known).max())
