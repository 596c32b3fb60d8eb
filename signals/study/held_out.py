"""Which ticks an error is counted on, and which ticks what is judged there may be learned from."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from signals.series.grid import BLOCK_FOLDS, Fold, folds, ticks_in
from signals.study.rest_median import medians_of_rest

__all__ = [
    "FEWEST",
    "GAP_S",
    "IDLE",
    "LEAST_SPAN_S",
    "errors_by_rest",
    "fold_bounds",
    "judged_ticks",
    "training_folds",
]

Array = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
Ticks = npt.NDArray[np.int64]

GAP_S = 900.0
"""Least time between ticks that are learned from and those that are judged, seconds."""
LEAST_SPAN_S = GAP_S * BLOCK_FOLDS / (BLOCK_FOLDS - 1)
"""A record that is no longer leaves nothing to learn from beside its first or last block, seconds."""
IDLE = 0.05
"""Share of the 95th percentile of load under which a tick is idle and no error is counted."""
FEWEST = 20
"""Ticks that it takes to learn from, or to judge."""


def judged_ticks(reference: Array, signal: Array, load: Array) -> tuple[Mask, float]:
    """Ticks with values and enough load.

    Args:
        reference: float64 [n], load or load per instance, NaN where missing.
        signal: float64 [n], NaN where missing.
        load: float64 [n], total load, NaN where missing.

    Returns:
        bool [n], and the 95th percentile of load (NaN without a load).
    """
    known = load[np.isfinite(load)]
    top = float(np.quantile(known, 0.95)) if len(known) else float("nan")
    with np.errstate(invalid="ignore"):
        busy = (load >= IDLE * top) & (load > 0) & (reference > 0)
    return busy & np.isfinite(reference) & np.isfinite(signal), top


def training_folds(
    count: int, tick_s: float, lag_ticks: float, judged: Mask
) -> list[tuple[Fold, Mask]]:
    """Folds whose training and held-out part both hold judged ticks.

    Args:
        count: number of ticks.
        tick_s: grid width, seconds.
        lag_ticks: the signal's lag, which widens the gap between the parts.
        judged: bool [count].

    Returns:
        Each with the judged ticks of its training part.
    """
    gap = _gap(tick_s, lag_ticks)
    parts = [(fold, fold.train & judged) for fold in folds(count, tick_s, gap)]
    return [
        (fold, train)
        for fold, train in parts
        if judged[fold.first : fold.last].any() and train.sum() >= FEWEST
    ]


def _gap(tick_s: float, lag_ticks: float) -> int:
    return int(np.ceil(max(abs(lag_ticks), ticks_in(GAP_S, tick_s))))


def fold_bounds(count: int, tick_s: float, lag_ticks: float) -> Ticks:
    """Where each fold is judged, and where nothing is learned for it.

    Args:
        count: number of ticks.
        tick_s: grid width, seconds.
        lag_ticks: the signal's lag, which widens the gap between the parts.

    Returns:
        int64 [folds, 4]: begin of what is not learned from, of what is judged, and the ends of both.
    """
    gap = _gap(tick_s, lag_ticks)
    parts = folds(count, tick_s, gap)
    return np.array([(part.first - gap, part.first, part.last, part.last + gap) for part in parts])


def errors_by_rest(values: Array, ticks: Ticks, bounds: Ticks) -> Array:
    """Values less the median of those that may be learned from.

    Args:
        values: float64 [m], no NaN.
        ticks: int64 [m], when, rising.
        bounds: from `fold_bounds`.

    Returns:
        float64 [m]; NaN in folds with too few values to learn from.
    """
    places = np.searchsorted(ticks, bounds)
    targets = medians_of_rest(values, places[:, [0, 3]])
    errors = np.full(len(values), np.nan)
    for target, (start, first, last, end) in zip(targets, places.tolist(), strict=True):
        if len(values) - (end - start) >= FEWEST:
            errors[first:last] = values[first:last] - target
    return errors
