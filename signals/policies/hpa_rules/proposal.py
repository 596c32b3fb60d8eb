"""How many pods does one metric ask for, before stabilisation and rate limits?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

__all__ = [
    "PodSamples",
    "Tolerance",
    "ToleranceTest",
    "average_value_proposal",
    "combine",
    "milli",
    "pods_proposal",
    "value_proposal",
]

ToleranceTest = Literal["range", "abs"]


def milli(value: float) -> int:
    """A quantity in thousandths, as the metrics API carries it: rounded up."""
    # rounded first, because 0.29 * 1000 is 290.00000000000006 in floating point
    return math.ceil(round(value * 1000.0, 6))


@dataclass(frozen=True, slots=True)
class Tolerance:
    """How far from 1 a ratio may be without a change.

    Attributes:
        up: above 1.
        down: below 1.
        test: `range` is 1 - down <= ratio <= 1 + up, the present form; `abs` is |1 - ratio| <= up (or
            down), the older one. They differ where the ratio is exactly on the edge.
    """

    up: float = 0.1
    down: float = 0.1
    test: ToleranceTest = "range"

    def holds(self, ratio: float) -> bool:
        """True if the ratio asks for no change."""
        if self.test == "range":
            return 1.0 - self.down <= ratio <= 1.0 + self.up
        return abs(1.0 - ratio) <= (self.up if ratio > 1.0 else self.down)


@dataclass(frozen=True, slots=True)
class PodSamples:
    """The pods behind a Pods metric.

    Attributes:
        ready_milli: one sample in thousandths for each ready pod that has one.
        unready: pods that are pending: no place or no image yet.
        missing: running pods without a sample, such as an engine that still loads its weights.
    """

    ready_milli: tuple[int, ...]
    unready: int = 0
    missing: int = 0


def value_proposal(
    value_milli: int, target_milli: int, *, current: int, ready: int, tolerance: Tolerance
) -> int:
    """Object or External metric with type Value: the ratio applies to the ready pods.

    Args:
        value_milli: the metric, thousandths.
        target_milli: its target, thousandths, > 0.
        current: pods asked for at present.
        ready: pods that are Running and Ready.
        tolerance: when to hold.

    Returns:
        Pods; `current` within tolerance.
    """
    ratio = value_milli / target_milli
    if current == 0:
        return math.ceil(ratio)
    if tolerance.holds(ratio):
        return current
    return math.ceil(ratio * ready)


def average_value_proposal(
    total_milli: int, target_milli: int, *, status: int, tolerance: Tolerance
) -> int:
    """Object or External metric with type AverageValue: a total shared out among pods.

    Pods that still start are in the divisor, so a total does not order them twice.

    Args:
        total_milli: the metric summed over its series, thousandths.
        target_milli: share of one pod, thousandths, > 0.
        status: pods that exist, ready or not.
        tolerance: when to hold.

    Returns:
        Pods; `status` within tolerance.
    """
    if status > 0 and tolerance.holds(total_milli / (target_milli * status)):
        return status
    return math.ceil(total_milli / target_milli)


def pods_proposal(
    samples: PodSamples, target_milli: int, *, current: int, tolerance: Tolerance
) -> int | None:
    """Pods metric: the average over pods, with unready and missing ones filled in cautiously.

    Args:
        samples: what is known of the pods.
        target_milli: target of one pod, thousandths, > 0.
        current: pods asked for at present.
        tolerance: when to hold.

    Returns:
        Pods; None if no ready pod has a sample.
    """
    if not samples.ready_milli:
        return None
    ratio = _ratio(samples.ready_milli, target_milli)
    counts_unready = samples.unready > 0 and ratio > 1.0
    if samples.missing == 0 and not counts_unready:
        if tolerance.holds(ratio):
            return current
        return math.ceil(ratio * len(samples.ready_milli))
    filled = _filled(samples, ratio, target_milli)
    again = _ratio(filled, target_milli)
    flipped = (ratio < 1.0 < again) or (again < 1.0 < ratio)
    if tolerance.holds(again) or flipped:
        return current
    proposal = math.ceil(again * len(filled))
    opposite = (again < 1.0 and proposal > current) or (again > 1.0 and proposal < current)
    return current if opposite else proposal


def combine(proposals: Sequence[int | None], *, current: int) -> int | None:
    """The largest proposal wins; a metric without an answer forbids scaling down.

    Args:
        proposals: one per metric; None for a metric that could not be read.
        current: pods asked for at present.

    Returns:
        Pods; None if nothing can be said.
    """
    valid = [p for p in proposals if p is not None]
    if not valid:
        return None
    wanted = max(valid)
    if len(valid) < len(proposals) and wanted < current:
        return None
    return wanted


def _filled(samples: PodSamples, ratio: float, target_milli: int) -> tuple[int, ...]:
    filled = samples.ready_milli
    if ratio < 1.0:
        filled += (target_milli,) * samples.missing
    elif ratio > 1.0:
        filled += (0,) * samples.missing + (0,) * samples.unready
    return filled


def _ratio(samples_milli: tuple[int, ...], target_milli: int) -> float:
    # the average is an integer division, and only then a ratio
    return (sum(samples_milli) // len(samples_milli)) / target_milli
