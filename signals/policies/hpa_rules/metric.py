"""One metric of the HorizontalPodAutoscaler: from a reading to a proposal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from signals.policies.hpa_rules.proposal import (
    PodSamples,
    Tolerance,
    average_value_proposal,
    milli,
    pods_proposal,
    value_proposal,
)
from signals.policies.policy import PoolState, Reading, SignalRequest
from signals.schema import Scope, pooled_name

__all__ = ["Metric", "MetricRules", "MetricType"]

MetricType = Literal["Value", "AverageValue", "Pods"]


@dataclass(frozen=True, slots=True)
class MetricRules:
    """How readings are judged.

    Attributes:
        tolerance: when a ratio asks for no change.
        starting_is_unready: starting instances are pending pods, not running ones without a sample.
        missing_is_zero: no data mean zero.
        max_age_s: older data count as missing.
    """

    tolerance: Tolerance
    starting_is_unready: bool
    missing_is_zero: bool
    max_age_s: float


@dataclass(frozen=True, slots=True)
class Metric:
    """One metric of one scaled pool.

    Attributes:
        request: the signal to read.
        kind: how the controller turns it into a proposal.
        target: in the signal's unit.
        scope: `total` or `average`, of the signal.
    """

    request: SignalRequest
    kind: MetricType
    target: float
    scope: Scope

    @property
    def name(self) -> str:
        """`pool:signal`."""
        return pooled_name(self.request.pool, self.request.signal)

    def comparable(self, state: PoolState) -> float:
        """The target in terms of the pool's value: a total is compared with target times instances."""
        if self.kind == "Value" or self.scope == "average":
            return self.target
        return self.target * max(1, state.ready + state.starting)

    def proposal(self, reading: Reading, state: PoolState, rules: MetricRules) -> int | None:
        """Instances that this metric asks for; None if it cannot be read."""
        visible = reading
        if reading.value is None or (reading.age_s or 0.0) > rules.max_age_s:
            if not rules.missing_is_zero:
                return None
            visible = Reading(0.0, 0.0)
        tolerance, target = rules.tolerance, milli(self.target)
        if self.kind == "Pods":
            samples = _samples(visible, state, rules)
            return pods_proposal(samples, target, current=state.desired, tolerance=tolerance)
        value = milli(visible.value or 0.0)
        if self.kind == "AverageValue":
            status = state.ready + state.starting
            return average_value_proposal(value, target, status=status, tolerance=tolerance)
        return value_proposal(
            value, target, current=state.desired, ready=state.ready, tolerance=tolerance
        )


def _samples(reading: Reading, state: PoolState, rules: MetricRules) -> PodSamples:
    ready = tuple(milli(value) for _, value in sorted(reading.instances.items()))
    silent = max(0, state.ready + state.starting - len(ready))
    if rules.missing_is_zero:
        return PodSamples(ready + (0,) * max(0, state.ready - len(ready)))
    unready = min(silent, state.starting) if rules.starting_is_unready else 0
    return PodSamples(ready, unready=unready, missing=silent - unready)
