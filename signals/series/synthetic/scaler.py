"""A closed loop: a scaler that holds load per instance near a target, and so hides what load does."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

__all__ = ["HeldFleet", "hold_load"]

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class HeldFleet:
    """What a scaler made of a load.

    Attributes:
        count: float64 [n], instances that serve in each tick, whole numbers.
        per_instance: float64 [n], load over them.
        changes: int64 [k], ticks at which the count differs from the tick before: there load per instance
            jumps although load does not, which is the experiment that tells what a signal follows.
    """

    count: Array
    per_instance: Array
    changes: npt.NDArray[np.int64]


def hold_load(
    load: Array,
    target: float,
    *,
    tolerance: float = 0.1,
    every: int = 1,
    delay: int = 0,
) -> HeldFleet:
    """Scale as a ratio rule does: order ceil(load / target) when load per instance is off by more than a tolerance.

    Args:
        load: float64 [n], above zero.
        target: load per instance that the scaler wants.
        tolerance: share of the target within which it orders nothing.
        every: ticks between decisions, at least 1.
        delay: ticks from an order until the fleet has the ordered size.

    Returns:
        The fleet, of the right size at the first tick and of one instance at least.
    """
    ordered = _orders(load, target, tolerance, every)
    late = np.minimum(delay, len(load))
    count = np.concatenate([np.full(late, ordered[0]), ordered[: len(load) - late]])
    changes = np.flatnonzero(np.diff(count)) + 1
    return HeldFleet(count, load / count, changes)


def _orders(load: Array, target: float, tolerance: float, every: int) -> Array:
    """Size that was ordered last, float64 [n]."""
    ordered = np.empty(len(load))
    size = max(1.0, float(np.ceil(load[0] / target - 1e-9)))
    for tick, now in enumerate(load):
        if tick % every == 0 and abs(now / (size * target) - 1) > tolerance:
            size = max(1.0, float(np.ceil(now / target - 1e-9)))
        ordered[tick] = size
    return ordered
