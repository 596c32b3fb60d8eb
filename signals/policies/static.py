"""Static provisioning: the same instances all day."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from signals.policies.choice import ParameterValue, PolicyContext, PolicyEntry
from signals.policies.policy import (
    Decision,
    Observation,
    Parameter,
    PolicySpec,
    Reason,
    SignalRequest,
)

__all__ = ["ENTRY", "SPEC", "Static"]

SPEC = PolicySpec(
    name="static",
    title="Static",
    summary="Holds one size all day: what the busiest part of the workload needs, unless sizes are given.",
    parameters=(
        Parameter(
            "prefill",
            "count",
            None,
            "prefill instances; the pressure test's peak if absent",
            1,
            4096,
        ),
        Parameter(
            "decode", "count", None, "decode instances; the pressure test's peak if absent", 1, 4096
        ),
    ),
    source="peak provisioning, the baseline that every scaler is compared with",
)


@dataclass(frozen=True, slots=True)
class Static:
    """A constant.

    Attributes:
        counts: instances by pool.
        interval_s: time between records, seconds.
        requests: nothing; it reads no signal.
    """

    counts: Mapping[str, int]
    interval_s: float = 60.0
    requests: tuple[SignalRequest, ...] = ()

    def start(self) -> None:
        """No memory."""

    def decide(self, observation: Observation, memory: None) -> tuple[Decision, None]:
        """Ask for the same counts again, whatever is observed."""
        pools = [pool for pool in self.counts if pool in observation.pools]
        desired = {pool: self.counts[pool] for pool in pools}
        return Decision(desired, dict.fromkeys(pools, Reason.STATIC)), memory


def _resolve(
    params: Mapping[str, ParameterValue], context: PolicyContext
) -> dict[str, ParameterValue]:
    peak = {pool: context.peak.get(pool) for pool in params}
    return {pool: peak[pool] if count is None else count for pool, count in params.items()}


def _counts(params: Mapping[str, ParameterValue], context: PolicyContext) -> dict[str, int]:
    counts = _resolve(params, context)
    return {pool: n for pool in context.peak if isinstance(n := counts.get(pool), int)}


def _build(params: Mapping[str, ParameterValue], context: PolicyContext) -> Static:
    return Static(_counts(params, context))


def _check(_params: Mapping[str, ParameterValue]) -> None:
    """Any two counts go together."""


ENTRY = PolicyEntry(SPEC, _resolve, _build, _check, _counts)
