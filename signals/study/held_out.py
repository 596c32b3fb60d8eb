"""Which ticks an error is counted on, and which ticks what is judged there may be learned from."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from signals.series.grid import Fold, folds, ticks_in

__all__ = ["FEWEST", "GAP_S", "IDLE", "judged_ticks", "training_folds"]

Array = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

GAP_S = 900.0
"""Least time between ticks that are learned from and those that are judged, seconds."""
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
    gap = int(np.ceil(max(abs(lag_ticks), ticks_in(GAP_S, tick_s))))
    parts = [(fold, fold.train & judged) for fold in folds(count, tick_s, gap)]
    return [
        (fold, train)
        for fold, train in parts
        if judged[fold.first : fold.last].any() and train.sum() >= FEWEST
    ]
