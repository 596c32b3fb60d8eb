"""Kubernetes HorizontalPodAutoscaler, autoscaling/v2, on any signal.

The rules themselves are in `signals.policies.hpa_rules`; this file reads the signals, keeps one memory per
scaled pool, and lets the other pool follow. An instance counts as a pod: ready ones are Running and Ready,
starting ones are pods without a sample.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from signals.policies.choice import ParameterValue, PolicyContext, PolicyEntry
from signals.policies.hpa_rules.metric import Metric
from signals.policies.hpa_rules.parameters import PARAMETERS
from signals.policies.hpa_rules.proposal import combine
from signals.policies.hpa_rules.rates import ScaleEvent, limit_change, still_counted
from signals.policies.hpa_rules.settings import HpaSettings, check_settings, read_settings
from signals.policies.hpa_rules.stabilise import Recommendation, stabilise, still_remembered
from signals.policies.policy import (
    Decision,
    Observation,
    PolicySpec,
    PoolState,
    Reason,
    SignalRequest,
)
from signals.policies.ratio import follow, other_pool, ratio_text

__all__ = ["ENTRY", "SPEC", "Hpa", "PoolMemory"]

SPEC = PolicySpec(
    name="hpa",
    title="Kubernetes HPA",
    summary="The v2 controller: ratio of a signal to its target, tolerance, stabilisation windows and "
    "rate policies; a pooled signal scales its pool and the other follows, a bare one scales each pool.",
    parameters=PARAMETERS,
    source="Kubernetes HorizontalPodAutoscaler v2 (replica calculator with tolerances per direction)",
)


@dataclass(frozen=True, slots=True)
class PoolMemory:
    """What the controller remembers of one pool: recommendations before stabilisation, and changes."""

    recommendations: tuple[Recommendation, ...] = ()
    events: tuple[ScaleEvent, ...] = ()


@dataclass(frozen=True, slots=True)
class Hpa:
    """The controller.

    Attributes:
        settings: tolerances, windows and rate policies.
        metrics: what is read for each scaled pool.
        pd_ratio: how the other pool follows; None if it does not.
        held: counts of pools that stand still.
    """

    settings: HpaSettings
    metrics: Mapping[str, tuple[Metric, ...]]
    pd_ratio: tuple[int, int] | None
    held: Mapping[str, int] = field(default_factory=dict)

    @property
    def interval_s(self) -> float:
        """The controller's sync period, seconds."""
        return self.settings.interval_s

    @property
    def requests(self) -> tuple[SignalRequest, ...]:
        """One request for each metric of each scaled pool."""
        return tuple(dict.fromkeys(m.request for pool in self.metrics.values() for m in pool))

    def start(self) -> dict[str, PoolMemory]:
        """Nothing recommended yet."""
        return {pool: PoolMemory() for pool in self.metrics}

    def decide(
        self, observation: Observation, memory: Mapping[str, PoolMemory]
    ) -> tuple[Decision, dict[str, PoolMemory]]:
        """One sync of every scaled pool; then the other pool follows."""
        desired: dict[str, int] = dict(self.held)
        reasons: dict[str, Reason] = dict.fromkeys(self.held, Reason.STATIC)
        targets: dict[str, float] = {}
        after: dict[str, PoolMemory] = {}
        for pool, metrics in self.metrics.items():
            desired[pool], reasons[pool], after[pool] = self._sync(
                observation, pool, metrics, memory[pool]
            )
            for metric in metrics:
                targets[metric.name] = metric.comparable(observation.pools[pool])
            other = other_pool(pool)
            if self.pd_ratio and other and other in observation.pools:
                desired[other] = follow(desired[pool], pool, self.pd_ratio)
                reasons[other] = Reason.FOLLOWS_RATIO
        return Decision(desired, reasons, targets), after

    def _sync(
        self,
        observation: Observation,
        pool: str,
        metrics: tuple[Metric, ...],
        memory: PoolMemory,
    ) -> tuple[int, Reason, PoolMemory]:
        state = observation.pools[pool]
        outside = _outside(state)
        if outside is not None:
            count, reason = outside
            return count, reason, self._remember(memory, observation.now_s, state, None, count)
        proposals = [
            metric.proposal(observation.readings[metric.request], state, self.settings.rules)
            for metric in metrics
        ]
        raw = combine(proposals, current=state.desired)
        if raw is None:
            return state.desired, Reason.MISSING_SIGNAL, memory
        count, reason = self._pace(raw, state, observation.now_s, memory)
        return count, reason, self._remember(memory, observation.now_s, state, raw, count)

    def _pace(
        self, raw: int, state: PoolState, now_s: float, memory: PoolMemory
    ) -> tuple[int, Reason]:
        rules = self.settings
        # the controller starts by recommending the count that it finds
        past = memory.recommendations or (Recommendation(now_s, state.desired),)
        stable = stabilise(
            raw,
            past,
            current=state.desired,
            now_s=now_s,
            up_window_s=rules.up_window_s,
            down_window_s=rules.down_window_s,
        )
        paced = limit_change(
            stable,
            current=state.desired,
            now_s=now_s,
            events=memory.events,
            up=rules.up,
            up_select=rules.up_select,
            down=rules.down,
            down_select=rules.down_select,
        )
        count = min(max(paced, state.min_instances), state.max_instances)
        return count, _reason(raw, stable, paced, count, state.desired)

    def _remember(
        self, memory: PoolMemory, now_s: float, state: PoolState, raw: int | None, count: int
    ) -> PoolMemory:
        rules = self.settings
        past = memory.recommendations or (Recommendation(now_s, state.desired),)
        events = memory.events
        if raw is not None:
            past = (*past, Recommendation(now_s, raw))
        if count != state.desired:
            events = (*events, ScaleEvent(now_s, count - state.desired))
        longest_s = max(rules.up_window_s, rules.down_window_s, rules.interval_s)
        periods = [policy.period_s for policy in (*rules.up, *rules.down)]
        return PoolMemory(
            still_remembered(past, now_s=now_s, longest_window_s=longest_s),
            still_counted(events, now_s=now_s, longest_period_s=max(periods, default=0.0)),
        )


def _outside(state: PoolState) -> tuple[int, Reason] | None:
    if state.desired > state.max_instances:
        return state.max_instances, Reason.CAPPED_MAX
    if state.desired < state.min_instances:
        return state.min_instances, Reason.CAPPED_MIN
    return None


def _reason(raw: int, stable: int, paced: int, count: int, current: int) -> Reason:
    if count != current:
        return Reason.SCALE_UP if count > current else Reason.SCALE_DOWN
    if raw == current:
        return Reason.WITHIN_TOLERANCE
    if stable == current:
        return Reason.STABILISED
    if paced == current:
        return Reason.RATE_LIMITED
    return Reason.CAPPED_MAX if raw > current else Reason.CAPPED_MIN


def _resolve(
    params: Mapping[str, ParameterValue], context: PolicyContext
) -> dict[str, ParameterValue]:
    values = dict(params)
    if values["pd_ratio"] is None:
        values["pd_ratio"] = ratio_text(context.pd_ratio)
    kinds = {kind for _, _, kind, _ in read_settings(params).signals}
    if values["type"] == "auto" and len(kinds) == 1:
        values["type"] = kinds.pop()
    return values


def _build(params: Mapping[str, ParameterValue], context: PolicyContext) -> Hpa:
    settings = read_settings(params)
    pools = tuple(context.peak)
    metrics = settings.metrics_of(pools)
    others = [pool for pool in pools if pool not in metrics]
    if params["other"] == "static":
        return Hpa(settings, metrics, None, {pool: context.peak[pool] for pool in others})
    return Hpa(settings, metrics, settings.pd_ratio if others else None)


def _initial(params: Mapping[str, ParameterValue], context: PolicyContext) -> dict[str, int]:
    if params["other"] != "static":
        return {}
    scaled = read_settings(params).metrics_of(tuple(context.peak))
    return {pool: count for pool, count in context.peak.items() if pool not in scaled}


ENTRY = PolicyEntry(SPEC, _resolve, _build, check_settings, _initial)
