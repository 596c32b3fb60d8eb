"""What a target does not know: said beside every one, with the figures that matter."""

from __future__ import annotations

from signals.schema import Estimate
from signals.study.score import LoadChoice, Remark, SignalScore
from signals.units import format_quantity

__all__ = ["limits"]

_WHOLE_DAYS = 3


def limits(score: SignalScore, choice: LoadChoice, target: Estimate) -> tuple[Remark, ...]:
    """Say what the target rests on and what it cannot tell.

    Args:
        score: of the signal it is for.
        choice: the load it was held against.
        target: from `operating_target`.

    Returns:
        Remarks, the one about latency first; empty without a target.
    """
    if target.value is None:
        return ()
    unit, codes = score.column.unit, {condition.code for condition in score.conditions}
    found = [_objective(target)]
    if score.column.scope == "total" and choice.ready_column is None:
        text = "the number of instances is unknown, so this is for the whole pool: divide it by the instances that served"
        found.append(Remark("whole_pool", text))
    if "closed_loop" in codes:
        text = "a scaler already held load per instance flat, so this repeats what that scaler was set to"
        found.append(Remark("closed_loop", text))
    if choice.kind == "served":
        text = (
            "the load is what was served: at its busiest the fleet may have been short of instances"
        )
        found.append(Remark("served_load", text))
    found.append(_days(target, unit))
    return tuple(found)


def _objective(target: Estimate) -> Remark:
    guard, looked_at = target.extra["guard"], target.extra["guards"]
    if guard is not None:
        text = f"no latency objective is known: whether {guard} turns too far there is yours to say"
    elif looked_at:
        text = (
            f"no latency objective is known: no queue or latency of the pool ({looked_at} looked at) turns "
            "upwards below it, so instances may carry more"
        )
    else:
        text = "neither a queue nor a latency of the pool is known, so nothing tells whether its busiest was healthy"
    return Remark("no_objective", text)


def _days(target: Estimate, unit: str) -> Remark:
    low, high = target.extra.get("day_low"), target.extra.get("day_high")
    if not (isinstance(low, float) and isinstance(high, float)):
        return Remark("few_days", f"fewer than {_WHOLE_DAYS} whole days: other days may be busier")
    ends = f"{format_quantity(low, unit)} and {format_quantity(high, unit)}"
    text = f"the busiest quarter hours of single days lay between {ends}"
    return Remark("days_differ", text)
