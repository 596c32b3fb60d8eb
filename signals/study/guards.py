"""What can make a good-looking score meaningless.

The load itself in disguise, a scaler that already acts, values that were never seen.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from signals.schema import Estimate, Finding, Panel, PanelColumn, pooled_name
from signals.series.grid import whole_days
from signals.series.recall import remembered
from signals.series.smooth import DAYS_FOR_SHAPE
from signals.study.held_out import LEAST_SPAN_S
from signals.study.response import BINS, smooth_pairs

__all__ = [
    "censoring",
    "clock_unchecked",
    "finer_tick",
    "is_identity",
    "scaler_elasticity",
    "undetermined_lag",
]

Array = npt.NDArray[np.float64]

_CENSORED = ("ttft_", "queue_wait_", "e2e_", "tpot_")
_LATE_WORDS = {
    "ttft_": "requests that still wait for their first token",
    "queue_wait_": "requests that still wait in the queue",
    "e2e_": "requests that have not finished",
    "tpot_": "requests that have not finished",
}


def is_identity(column: PanelColumn, load: PanelColumn) -> bool:
    """Whether signal and load are the same information.

    Args:
        column: the signal.
        load: the load it is held against.

    Returns:
        True for the same column, or for columns computed from the same measurements.
    """
    if column.name == load.name:
        return True
    return bool(column.sources) and set(column.sources) == set(load.sources)


@remembered(4)
def scaler_elasticity(load: Array, ready: Array | None, tick_s: float) -> float | None:
    """How far an existing scaler already follows load: the elasticity of the ready count.

    Args:
        load: float64 [n], NaN where missing.
        ready: float64 [n], instances that serve; None if unknown.
        tick_s: grid width, seconds.

    Returns:
        Slope of ln ready on ln load between the outer sixths of load: 0 for a fixed fleet, 1 for one whose
        load per instance is held flat; None if it cannot be told.
    """
    if ready is None:
        return None
    x, y = smooth_pairs(load, np.where(ready > 0, ready, np.nan), tick_s)
    if len(x) < BINS:
        return None
    order = np.argsort(x, kind="stable")
    few = len(x) // 6
    low, high = order[:few], order[-few:]
    if not x[low].mean() > 0 or not x[high].mean() > x[low].mean():
        return None
    rise = np.log(y[high].mean() / y[low].mean())
    return float(rise / np.log(x[high].mean() / x[low].mean()))


def censoring(panel: Panel, column: PanelColumn) -> Finding | None:
    """A note on latencies: they are known only of the requests that got far enough.

    Args:
        panel: the panel, for the queue of the same pool.
        column: the signal.

    Returns:
        A finding for latencies that are recorded at their end; None for other signals.
    """
    kind = next((prefix for prefix in _CENSORED if column.signal.startswith(prefix)), None)
    if kind is None:
        return None
    queue = panel.column(pooled_name(column.pool, "queue_depth"))
    waiting = 0 if queue is None else int((panel.frame[queue.name] > 0).sum())
    seen = f"; requests waited on {waiting} of {panel.frame.height} ticks" if queue else ""
    return Finding(
        "censored",
        "info",
        f"{_LATE_WORDS[kind]} are missing from {column.name}, so it says too little just when "
        f"the queue grows{seen}",
        count=waiting,
        subject=column.name,
    )


def clock_unchecked(panel: Panel) -> Finding | None:
    """A note that following load and following the clock look alike in so short a span.

    Args:
        panel: the panel.

    Returns:
        A finding with fewer than three whole days; None with more.
    """
    if whole_days(panel.frame.height, panel.tick_s) >= DAYS_FOR_SHAPE:
        return None
    return Finding(
        "clock_unchecked",
        "info",
        "fewer than three whole days: a signal that follows the time of day cannot be told from one "
        "that follows load",
    )


def finer_tick(panel: Panel, needed: int) -> Finding | None:
    """A note that a finer grid gives enough ticks for a verdict, where the data are fine enough.

    Args:
        panel: the panel.
        needed: ticks without which there is no verdict.

    Returns:
        A finding if the grid has too few ticks and every column was sampled at least twice as often; else None.
    """
    sampled_s = max((column.resolution_s for column in panel.columns), default=0.0)
    step_s = max(1, math.ceil(sampled_s))
    ticks = int(panel.frame.height * panel.tick_s / step_s)
    if panel.frame.height >= needed or not sampled_s or 2 * step_s > panel.tick_s:
        return None
    text = (
        f"{panel.frame.height} ticks of {panel.tick_s:g} s are too few for a verdict, but the data are sampled "
        f"every {sampled_s:.3g} s: {ticks} ticks of {step_s} s"
    )
    span_s = panel.frame.height * panel.tick_s
    if span_s <= LEAST_SPAN_S:
        text += (
            f"; they can only show that a signal is unusable, since a ratio rule is judged on more than "
            f"{LEAST_SPAN_S / 60:.0f} min, and the record has {span_s / 60:.3g}"
        )
    return Finding(
        "finer_tick",
        "warning",
        text,
        action=f"evaluate with --tick {step_s}s",
    )


def undetermined_lag(column: PanelColumn, lag: Estimate) -> Finding | None:
    """A note that association was measured at lag 0, because no lag could be settled.

    Args:
        column: the signal.
        lag: its `lag_s`.

    Returns:
        A finding, or None if the lag is determined.
    """
    if lag.determined and lag.value is not None:
        return None
    return Finding(
        "lag_undetermined",
        "info",
        f"the lag of {column.name} is not settled: {lag.reason}",
        subject=column.name,
        action="association is measured at lag 0",
    )
