"""Rate policies: how far may the count move within a period?"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

__all__ = ["RatePolicy", "ScaleEvent", "Select", "limit_change", "still_counted"]

Select = Literal["Max", "Min", "Disabled"]


@dataclass(frozen=True, slots=True)
class RatePolicy:
    """One allowance.

    Attributes:
        kind: `Pods` or `Percent`.
        amount: pods, or per cent of the count at the start of the period.
        period_s: length of the period, seconds.
    """

    kind: Literal["Pods", "Percent"]
    amount: float
    period_s: float


@dataclass(frozen=True, slots=True)
class ScaleEvent:
    """A change that was made: positive for pods added."""

    at_s: float
    change: int


def limit_change(
    desired: int,
    *,
    current: int,
    now_s: float,
    events: tuple[ScaleEvent, ...],
    up: tuple[RatePolicy, ...],
    up_select: Select,
    down: tuple[RatePolicy, ...],
    down_select: Select,
) -> int:
    """Hold a change to what the rate policies allow.

    `Max` takes the policy that allows the larger change, `Min` the smaller one, `Disabled` forbids it.

    Args:
        desired: pods after stabilisation.
        current: pods asked for at present.
        now_s: time of the decision.
        events: changes made before; what happened within a policy's period counts against it.
        up: policies for growing; none means no limit.
        up_select: how several policies for growing combine.
        down: policies for shrinking; none means no limit.
        down_select: how several policies for shrinking combine.

    Returns:
        Pods, between `current` and `desired`.
    """
    if desired > current:
        if up_select == "Disabled":
            return current
        tops = [_up_to(policy, _start(current, now_s, events, policy)) for policy in up]
        limit = max(tops, default=desired) if up_select == "Max" else min(tops, default=desired)
        return min(desired, max(current, limit))
    if desired < current:
        if down_select == "Disabled":
            return current
        floors = [_down_to(policy, _start(current, now_s, events, policy)) for policy in down]
        limit = (
            min(floors, default=desired) if down_select == "Max" else max(floors, default=desired)
        )
        return max(desired, min(current, limit))
    return desired


def still_counted(
    events: tuple[ScaleEvent, ...], *, now_s: float, longest_period_s: float
) -> tuple[ScaleEvent, ...]:
    """The changes that may still count against a policy at a later decision."""
    return tuple(e for e in events if now_s - e.at_s < longest_period_s)


def _start(current: int, now_s: float, events: tuple[ScaleEvent, ...], policy: RatePolicy) -> int:
    recent = sum(e.change for e in events if now_s - e.at_s < policy.period_s)
    return current - recent


def _up_to(policy: RatePolicy, start: int) -> int:
    if policy.kind == "Pods":
        return start + int(policy.amount)
    return math.ceil(start * (1.0 + policy.amount / 100.0))


def _down_to(policy: RatePolicy, start: int) -> int:
    if policy.kind == "Pods":
        return start - int(policy.amount)
    # towards zero, as an integer conversion does there
    return int(start * (1.0 - policy.amount / 100.0))
