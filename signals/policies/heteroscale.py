"""HeteroScale: decode tokens/s sizes decode, prefill follows by the P/D ratio, latency is a guard rail.

Algorithms 2 (proportional control) and 3 (negative feedback) of the paper, which leaves its constants out;
each default below says whose it is.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from signals.policies.choice import TEXT_UNIT, ParameterValue, PolicyContext, PolicyEntry
from signals.policies.policy import (
    Decision,
    Observation,
    Parameter,
    PolicySpec,
    PoolState,
    Reading,
    Reason,
    SignalRequest,
)
from signals.policies.ratio import follow, parse_ratio, ratio_text
from signals.schema import pooled_name

__all__ = ["ENTRY", "SPEC", "HeteroScale", "Memory"]

_OWN = "own choice"
_SD = "splitwise-DRL's re-implementation"

SPEC = PolicySpec(
    name="heteroscale",
    title="HeteroScale",
    summary="Decode tokens/s over a target per instance sizes decode; prefill follows by the P/D ratio; "
    "TTFT and inter-token latency step both up when an objective is endangered.",
    parameters=(
        Parameter(
            "target",
            "tokens/s",
            None,
            "decode tokens/s per decode instance; load_ratio of the pressure test's figure if absent",
            1.0,
            1e7,
        ),
        Parameter(
            "load_ratio",
            "ratio",
            0.85,
            f"share of an instance's sustainable rate to aim at ({_SD}: 0.7 to 0.88)",
            0.05,
            1.5,
        ),
        Parameter("theta_out", "ratio", 0.1, f"grow above 1 + theta_out ({_SD})", 0.0, 2.0),
        Parameter(
            "theta_in",
            "ratio",
            0.2,
            f"shrink below 1 - theta_in ({_SD}: 0.1, later 0.2)",
            0.0,
            0.95,
        ),
        Parameter(
            "cooldown_out", "s", 180.0, f"pause after growing, before growing ({_SD})", 0, 86400
        ),
        Parameter(
            "cooldown_in", "s", 600.0, f"pause after any change, before shrinking ({_SD})", 0, 86400
        ),
        Parameter(
            "max_out",
            "ratio",
            1.0,
            f"largest growth of one step, of the count ({_OWN})",
            0.01,
            10.0,
        ),
        Parameter(
            "max_in", "ratio", 0.3, f"largest cut of one step, of the count ({_OWN})", 0.01, 1.0
        ),
        Parameter("pd_ratio", TEXT_UNIT, None, "P/D, such as 3/5; the pressure test's if absent"),
        Parameter(
            "guard",
            "",
            "on",
            "step up on latency (the paper's safety net) or not",
            choices=("on", "off"),
        ),
        Parameter(
            "guard_quantile",
            "",
            "p90",
            f"quantile that the guard holds to the objective ({_OWN}; {_SD}: p99)",
            choices=("mean", "p50", "p90", "p99"),
        ),
        Parameter(
            "moderate", "ratio", 1.1, f"latency over objective: moderate excess ({_SD})", 0.1, 10.0
        ),
        Parameter(
            "severe", "ratio", 1.2, f"latency over objective: severe excess ({_SD})", 0.1, 10.0
        ),
        Parameter(
            "step_moderate", "ratio", 0.1, "growth at moderate excess (paper's example)", 0.0, 2.0
        ),
        Parameter(
            "step_severe", "ratio", 0.2, "growth at severe excess (paper's example)", 0.0, 2.0
        ),
        Parameter("window", "s", 120.0, f"window of every signal ({_OWN})", 15.0, 3600.0),
        Parameter("interval", "s", 30.0, f"time between decisions ({_SD})", 1.0, 3600.0),
        Parameter("max_age", "s", 120.0, f"older data count as missing ({_OWN})", 15.0, 3600.0),
    ),
    source="HeteroScale, arXiv 2508.19559, Algorithms 2 and 3; constants as noted per parameter",
)


@dataclass(frozen=True, slots=True)
class Memory:
    """When it last grew and when it last changed, seconds; None for never."""

    grew_s: float | None = None
    changed_s: float | None = None


@dataclass(frozen=True, slots=True)
class _Wish:
    decode: int
    reason: Reason


@dataclass(frozen=True, slots=True)
class HeteroScale:
    """Proportional control on decode tokens/s with a latency guard.

    Attributes:
        params: every parameter's value.
        target_tps: decode tokens/s per decode instance.
        pd_ratio: prefill to decode.
        objectives_s: latency objective by guarded signal.
    """

    params: Mapping[str, Any]
    target_tps: float
    pd_ratio: tuple[int, int]
    objectives_s: Mapping[SignalRequest, float]

    @property
    def interval_s(self) -> float:
        """Time between decisions, seconds."""
        return float(self.params["interval"])

    @property
    def requests(self) -> tuple[SignalRequest, ...]:
        """Decode tokens/s, and the guarded latencies."""
        return (self._throughput, *self.objectives_s)

    @property
    def _throughput(self) -> SignalRequest:
        return SignalRequest("decode_tps", "decode", self.params["window"])

    def start(self) -> Memory:
        """It does not know when it last changed anything, and takes it to be the start."""
        return Memory(changed_s=0.0)

    def decide(self, observation: Observation, memory: Memory) -> tuple[Decision, Memory]:
        """Size decode from its tokens/s, let latency veto or step up, then let prefill follow."""
        decode = observation.pools["decode"]
        wish = self._within_pace(self._wish(observation), decode, observation.now_s, memory)
        prefill = follow(wish.decode, "decode", self.pd_ratio)
        moved = wish.decode != decode.desired
        decision = Decision(
            desired={"decode": wish.decode, "prefill": prefill},
            reasons={"decode": wish.reason, "prefill": Reason.FOLLOWS_RATIO},
            targets=self._targets(decode),
        )
        if not moved:
            return decision, memory
        grew = observation.now_s if wish.decode > decode.desired else memory.grew_s
        return decision, Memory(grew, observation.now_s)

    def _wish(self, observation: Observation) -> _Wish:
        decode = observation.pools["decode"]
        guard = self._guard(observation, decode.desired)
        proportional = self._proportional(observation.readings[self._throughput], decode.desired)
        if guard is None:
            return proportional
        # an endangered objective may only add to what load asks for
        return max(proportional, guard, key=lambda wish: wish.decode)

    def _proportional(self, reading: Reading, current: int) -> _Wish:
        if reading.value is None:
            return _Wish(current, Reason.MISSING_SIGNAL)
        if (reading.age_s or 0.0) > self.params["max_age"]:
            return _Wish(current, Reason.STALE_SIGNAL)
        needed = reading.value / self.target_tps
        change = needed / max(1, current)
        if change > 1.0 + self.params["theta_out"]:
            largest = math.floor(current * (1.0 + self.params["max_out"]))
            return _Wish(min(math.ceil(needed), max(current + 1, largest)), Reason.SCALE_UP)
        if change < 1.0 - self.params["theta_in"]:
            smallest = math.ceil(current * (1.0 - self.params["max_in"]))
            wanted = max(math.ceil(needed), min(current - 1, smallest), 1)
            if wanted < current:
                return _Wish(wanted, Reason.SCALE_DOWN)
        return _Wish(current, Reason.WITHIN_TOLERANCE)

    def _guard(self, observation: Observation, current: int) -> _Wish | None:
        excess = 0.0
        for request, objective_s in self.objectives_s.items():
            reading = observation.readings[request]
            fresh = reading.value is not None and (reading.age_s or 0.0) <= self.params["max_age"]
            if fresh and reading.value is not None:
                excess = max(excess, reading.value / objective_s)
        if excess >= self.params["severe"]:
            return _Wish(
                math.ceil(current * (1.0 + self.params["step_severe"])), Reason.LATENCY_GUARD
            )
        if excess >= self.params["moderate"]:
            step = 1.0 + self.params["step_moderate"]
            return _Wish(math.ceil(current * step), Reason.LATENCY_GUARD)
        return None

    def _within_pace(self, wish: _Wish, decode: PoolState, now_s: float, memory: Memory) -> _Wish:
        if (
            wish.decode > decode.desired
            and _since(memory.grew_s, now_s) < self.params["cooldown_out"]
        ):
            return _Wish(decode.desired, Reason.COOLDOWN)
        if (
            wish.decode < decode.desired
            and _since(memory.changed_s, now_s) < self.params["cooldown_in"]
        ):
            return _Wish(decode.desired, Reason.COOLDOWN)
        limited = min(max(wish.decode, decode.min_instances), decode.max_instances)
        if limited < wish.decode:
            return _Wish(limited, Reason.CAPPED_MAX)
        return _Wish(limited, Reason.CAPPED_MIN if limited > wish.decode else wish.reason)

    def _targets(self, decode: PoolState) -> dict[str, float]:
        latency = {pooled_name(r.pool, r.signal): s for r, s in self.objectives_s.items()}
        return {"decode:decode_tps": self.target_tps * decode.desired, **latency}


def _since(then_s: float | None, now_s: float) -> float:
    return math.inf if then_s is None else now_s - then_s


def _resolve(
    params: Mapping[str, ParameterValue], context: PolicyContext
) -> dict[str, ParameterValue]:
    values: dict[str, Any] = dict(params)
    if values["target"] is None:
        values["target"] = values["load_ratio"] * context.per_instance["decode"]
    if values["pd_ratio"] is None:
        values["pd_ratio"] = ratio_text(context.pd_ratio)
    return values


def _build(params: Mapping[str, ParameterValue], context: PolicyContext) -> HeteroScale:
    values: dict[str, Any] = dict(params)
    ratio = parse_ratio(values["pd_ratio"], where="heteroscale, pd_ratio")
    guarded = (("ttft", "prefill", context.slo.ttft_s), ("itl", "decode", context.slo.tpot_s))
    objectives = {
        SignalRequest(f"{name}_{values['guard_quantile']}", pool, values["window"]): objective_s
        for name, pool, objective_s in guarded
        if values["guard"] == "on"
    }
    return HeteroScale(values, values["target"], ratio, objectives)


def _check(params: Mapping[str, ParameterValue]) -> None:
    ratio = params["pd_ratio"]
    if isinstance(ratio, str):
        parse_ratio(ratio, where="heteroscale, pd_ratio")


def _initial(_params: Mapping[str, ParameterValue], _context: PolicyContext) -> dict[str, int]:
    return {}


ENTRY = PolicyEntry(SPEC, _resolve, _build, _check, _initial)
