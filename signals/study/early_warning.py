"""Does a signal reach its limit before latency rises?

Correlation cannot say it: a cache that fills is as high after the rise as before. What counts is the order of
two events, and whether they would fall in that order by chance.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from signals.catalog import find_signal
from signals.schema import SERVICE_POOL, Finding, Panel, PanelColumn, pooled_name
from signals.series.grid import ticks_in
from signals.series.smooth import trailing_mean

__all__ = ["EarlyWarning", "early_warning", "early_warning_note"]

Array = npt.NDArray[np.float64]
Ticks = npt.NDArray[np.int64]

_WARNS = ("kv_usage", "queue_depth", "running", "prefill_backlog_tokens", "gpu_util", "sm_active")
_LATENCIES = ("ttft_p50", "ttft_p90", "ttft_mean", "ttft_p99")
_NEAR_END = 0.9
"""Share of a closed range from which a signal counts as at its limit."""
_RISE = 3.0
"""Latency has risen when it is this many times its level on calm ticks, its 20th percentile."""
_SMOOTH_S = 30.0
_QUIET_S = 60.0
"""An event starts after so long without one."""
_HORIZON_S = 300.0
_FEWEST = 3
_ENOUGH = 5
_LEAST_WARNED = 0.75
_LEAST_RIGHT = 0.5
_SHIFTS = 400
_LEVEL = 0.05


@dataclass(frozen=True, slots=True)
class EarlyWarning:
    """How a signal's way to its limit and the rises of latency follow each other.

    Attributes:
        latency: the latency's column.
        level: of the signal, in its unit.
        latency_level: of the latency, seconds.
        rises: times that latency rose.
        warned: of these, how often the signal was there first, by at most 5 min.
        alarms: times that the signal reached its level while latency was calm.
        leads_s: seconds by which it was first, one for each rise that it warned of.
        p_value: share of circular shifts of the signal against latency that do as well; 1 where it warned of
            fewer than three of four rises, or of fewer than half as many as there were alarms.
    """

    latency: str
    level: float
    latency_level: float
    rises: int
    warned: int
    alarms: int
    leads_s: tuple[float, ...]
    p_value: float


def early_warning(panel: Panel, column: PanelColumn) -> EarlyWarning | None:
    """Hold a signal's upcrossings against the rises of the first time-to-first-token that is known.

    Args:
        panel: the panel.
        column: the signal.

    Returns:
        None for signals that cannot warn, without a latency, or with fewer than three rises.

    The score of a signal is the harmonic mean of the share of rises it warned of and the share of its alarms
    that a rise followed; it is held against up to 400 circular shifts of its events.
    """
    latency = _latency(panel, column)
    if column.signal not in _WARNS or latency is None:
        return None
    tick_s = panel.tick_s
    signal = trailing_mean(_values(panel, column.name), ticks_in(_SMOOTH_S, tick_s))
    waits = _values(panel, latency)
    known = np.isfinite(waits)
    level = _level(signal, column)
    if level is None or not known.any():
        return None
    latency_level = _RISE * float(np.quantile(waits[known], 0.2))
    quiet, horizon = ticks_in(_QUIET_S, tick_s), ticks_in(_HORIZON_S, tick_s)
    high = known & (waits >= latency_level) & (waits > 0)
    rises = _starts(high, quiet)
    reached = _starts(np.isfinite(signal) & (signal >= level), quiet)
    if len(rises) < _FEWEST or not len(reached):
        return None
    leads, alarms, score = _held_against(rises, reached, high, horizon)
    # shifts cost time, and a signal that fails anyway needs none
    fails = len(leads) < _LEAST_WARNED * len(rises) or len(leads) < _LEAST_RIGHT * alarms
    chance = 1.0 if fails else _p_value(rises, reached, high, horizon, score)
    return EarlyWarning(
        latency,
        level,
        latency_level,
        len(rises),
        len(leads),
        alarms,
        tuple(float(lead) * tick_s for lead in leads),
        chance,
    )


def early_warning_note(column: PanelColumn, found: EarlyWarning | None) -> Finding | None:
    """A note that a signal warns of latency, if it does.

    Args:
        column: the signal.
        found: from `early_warning`.

    Returns:
        A finding if it was first at three of four rises at least, one alarm of two at least was right, and
        chance does as well in at most 5 % of shifts; else None.
    """
    if found is None or found.p_value > _LEVEL:
        return None
    shortest, longest = min(found.leads_s), max(found.leads_s)
    few = "; so few rises prove little" if found.rises < _ENOUGH else ""
    return Finding(
        "warns_of_latency",
        "info",
        f"{column.name} reached {found.level:.3g} before {found.latency} rose above "
        f"{found.latency_level:.2g} s at {found.warned} of {found.rises} rises, by {shortest:.0f} to "
        f"{longest:.0f} s ({found.alarms} alarms){few}",
        count=found.warned,
        subject=column.name,
        action="use it as a guard rail: a step when it is exceeded",
    )


def _latency(panel: Panel, column: PanelColumn) -> str | None:
    pools = dict.fromkeys((column.pool, SERVICE_POOL, "prefill", "decode", "unified"))
    names = (pooled_name(pool, latency) for latency in _LATENCIES for pool in pools)
    return next((n for n in names if panel.column(n) is not None and panel.frame[n].count()), None)


def _values(panel: Panel, name: str) -> Array:
    return panel.frame[name].cast(float).to_numpy().astype(np.float64, copy=True)


def _level(signal: Array, column: PanelColumn) -> float | None:
    """Nine tenths of a closed range; else the middle between the 5th and the 95th percentile."""
    known = signal[np.isfinite(signal)]
    if not len(known) or not np.ptp(known):
        return None
    spec = find_signal(column.signal)
    high = None if spec is None or column.unit != spec.unit else spec.valid_range[1]
    if high is not None:
        return _NEAR_END * high
    return float(np.mean(np.quantile(known, (0.05, 0.95))))


def _starts(high: npt.NDArray[np.bool_], quiet: int) -> Ticks:
    """Ticks at which something begins that was not so for `quiet` ticks; not at the very start."""
    on = np.flatnonzero(high)
    if not len(on):
        return on
    before = np.diff(on, prepend=on[0] - quiet - 1)
    starts = on[before > quiet]
    return starts[starts >= quiet]


def _held_against(
    rises: Ticks, reached: Ticks, high: npt.NDArray[np.bool_], horizon: int
) -> tuple[Ticks, int, float]:
    """Leads of the rises that were warned of, alarms raised on calm ticks, and the score."""
    calm = reached[~high[reached]]
    if not len(calm):
        return np.zeros(0, dtype=np.int64), 0, 0.0
    place = np.searchsorted(calm, rises, side="left")
    leads = (rises - calm[np.maximum(place - 1, 0)])[place > 0]
    leads = leads[leads <= horizon]
    place = np.searchsorted(rises, calm, side="right")
    waits = (rises[np.minimum(place, len(rises) - 1)] - calm)[place < len(rises)]
    recall, precision = len(leads) / len(rises), float((waits <= horizon).sum()) / len(calm)
    if not recall or not precision:
        return leads, len(calm), 0.0
    return leads, len(calm), 2 * recall * precision / (recall + precision)


def _p_value(
    rises: Ticks, reached: Ticks, high: npt.NDArray[np.bool_], horizon: int, score: float
) -> float:
    count = len(high)
    shifts = np.unique(np.linspace(horizon, count - horizon, _SHIFTS).astype(np.int64))
    better = sum(
        _held_against(rises, np.sort((reached + shift) % count), high, horizon)[2] >= score
        for shift in shifts
    )
    return (1 + better) / (1 + len(shifts))
