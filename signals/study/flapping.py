"""How often would a ratio rule on this signal change its mind?

The rule is played over the recorded signal: it orders instances so that the signal returns to its target,
leaves them alone inside a tolerance of 10 %, and rounds up. A flap is a change of the count that undoes the one
before it within 15 minutes.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, log

import numpy as np
import numpy.typing as npt

from signals.schema import Estimate, Scope
from signals.series.grid import ticks_in
from signals.study.bootstrap import block_length, block_number, draw_counts, percentile_interval
from signals.study.capacity import ASSUMED_FLEET
from signals.study.panel import DECISION_S

__all__ = ["flap_rate"]

Array = npt.NDArray[np.float64]

_TOLERANCE = 0.1
_REMEMBERED_S = 900.0
_ROUNDING = 1e-9
_NEVER = -log(0.025)
"""Events in a span that are still compatible with seeing none, at the upper end of a 95 % interval."""
_FEWEST = 20
_RESAMPLES = 200


@dataclass(frozen=True)
class _Orders:
    """What the rule did at each decision that had a value.

    Attributes:
        flaps: float64 [decisions], 1 where a change undid the one before.
        changes: orders that differ from the count before.
        mean_count: instances ordered, mean over the decisions.
    """

    flaps: Array
    changes: int
    mean_count: float


def flap_rate(
    signal: Array,
    ready: Array | None,
    tick_s: float,
    *,
    scope: Scope,
    rng: np.random.Generator,
) -> Estimate:
    """Flaps per hour of a ratio rule that decides once a minute.

    Args:
        signal: float64 [n] decision values, NaN where missing.
        ready: float64 [n], instances that serve; None if unknown.
        tick_s: grid width, seconds.
        scope: `total` or `average`; an average times the ready count is the demand.
        rng: source of randomness of the interval.

    Returns:
        Flaps per hour of decisions with a value, with an interval from blocks of decisions (without a flap up to
        3.7 in the whole span). None if the rule never orders a change. `extra`: `flaps`, `changes`, `hours`, `target` (median signal per ready
        instance, in the signal's unit), `mean_count` (instances ordered), `fleet_known`. Without a recorded
        count the target is chosen so that the 95th percentile of the signal takes 10 instances.

    Complexity: O(n), one step of plain arithmetic a decision.
    """
    step = ticks_in(DECISION_S, tick_s)
    moments = slice(step - 1, None, step)
    demand, target, start = _demand(
        signal[moments], None if ready is None else ready[moments], scope
    )
    known = np.flatnonzero(np.isfinite(demand))
    if len(known) < _FEWEST:
        return Estimate(None, determined=False, reason="too few decisions with a value")
    if not target > 0:
        return Estimate(None, determined=False, reason="its usual value is not above zero")
    apart_s = step * tick_s
    orders = _play(demand[known] / target, known, start, _REMEMBERED_S / apart_s)
    hours = len(known) * apart_s / 3600
    flaps = int(orders.flaps.sum())
    extra: dict[str, float | int | bool] = {
        "flaps": flaps,
        "changes": orders.changes,
        "hours": hours,
        "target": target,
        "mean_count": orders.mean_count,
        "fleet_known": ready is not None,
    }
    if not orders.changes:
        return Estimate(None, reason="a ratio rule on it never orders a change", extra=extra)
    if not flaps:
        return Estimate(0.0, 0.0, _NEVER / hours, extra=extra)
    return Estimate(flaps / hours, *_interval(orders.flaps, apart_s, rng), extra=extra)


def _demand(signal: Array, ready: Array | None, scope: Scope) -> tuple[Array, float, float]:
    """Signal of the whole pool at each decision, its target per instance, and the count at the start."""
    known = np.isfinite(signal)
    if ready is None:
        target = float(np.quantile(signal[known], 0.95)) / ASSUMED_FLEET if known.any() else 0.0
        first = float(signal[known][0]) / target if target > 0 else 1.0
        return signal, target, max(1.0, ceil(first - _ROUNDING))
    serving = known & (ready > 0)
    fleet = np.where(serving, ready, np.nan)
    demand = np.where(serving, signal, np.nan) * (fleet if scope == "average" else 1.0)
    if not serving.any():
        return demand[:0], 0.0, 1.0
    return demand, float(np.median((demand / fleet)[serving])), float(fleet[serving][0])


def _play(
    wanted: Array, moments: npt.NDArray[np.int64], start: float, remembered: float
) -> _Orders:
    """Follow the rule.

    Args:
        wanted: float64 [decisions], instances that would bring the signal to its target.
        moments: int64 [decisions], when each decision is made, in decision intervals.
        start: instances before the first decision.
        remembered: intervals after which a change is no longer undone but answered.

    Returns:
        Flaps and counts.
    """
    from signals.study.kernels import follow

    return _Orders(*follow(wanted, moments, start, remembered, _TOLERANCE, _ROUNDING))


def _interval(
    flaps: Array, apart_s: float, rng: np.random.Generator
) -> tuple[float | None, float | None]:
    ids = block_number(len(flaps), block_length(flaps, len(flaps)))
    blocks = int(ids[-1]) + 1
    counts = draw_counts(blocks, rng, _RESAMPLES)
    drawn = counts @ np.bincount(ids, weights=flaps, minlength=blocks)
    hours = counts @ np.bincount(ids, minlength=blocks) * apart_s / 3600
    interval = percentile_interval(drawn / hours)
    return interval if interval is not None else (None, None)
