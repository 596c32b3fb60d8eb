"""What to do with a pool: the signal to scale on, over which window, at which value, and why not the next best."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import expm1
from typing import Literal

import numpy as np

from signals.schema import SERVICE_POOL, Estimate, Panel, pooled_name
from signals.study.bend import GUARDS
from signals.study.headline import guard_rails, recommended
from signals.study.limits import limits
from signals.study.panel import DECISION_S, observe
from signals.study.score import LoadChoice, Remark, SignalScore, Verdict
from signals.study.target import operating_target
from signals.study.verdict import blocks_recommendation

__all__ = ["Control", "MetricType", "Recommendation", "RunnerUp", "recommend"]

Control = Literal["ratio_rule", "guard_rail", "none"]
MetricType = Literal["AverageValue", "Value"]
Loss = Literal["tie", "capacity_error", "condition", "verdict"]

_RAILS = 3
_WORST = 5.0
_NOTHING = Estimate(None, determined=False, reason="no signal to set a target for")


@dataclass(frozen=True, slots=True)
class RunnerUp:
    """The signal that came second, and why.

    Attributes:
        signal: `pool:signal`.
        verdict: its class.
        lost_by: `tie` (neither error can be told from the other), `capacity_error` (its own is larger),
            `condition` (it makes a ratio rule order wrongly when it matters), `verdict` (no ratio rule fits it).
        text: a plain sentence with the figures.
    """

    signal: str
    verdict: Verdict
    lost_by: Loss
    text: str


@dataclass(frozen=True)
class Recommendation:
    """What to scale one pool on, and at which value.

    Attributes:
        pool: the pool.
        signal: `pool:signal`; None if nothing fits a ratio rule.
        verdict: class of the signal; None without one.
        accepted: conditions of the signal that one accepts with it although they make a ratio rule order wrongly
            when it matters; empty for a clean recommendation.
        control: `ratio_rule`; without a signal `guard_rail` if something can at least step in on excess, or `none`.
        metric_type: how a ratio rule reads the signal: `AverageValue` for a total (over target times instances),
            `Value` for an average over instances (over target); None without a signal.
        window_s: width of the average to take of the signal, seconds.
        promql: the query that implements it; empty if there is none.
        target: value of the signal to hold, with its 95 % band; `extra` as `operating_target` says.
        unit: of the target.
        per: whether the target is that of one ready `instance`, or of the whole `pool` since its instances are
            unknown.
        runner_up: the next best signal; None if there is none.
        guard_rails: signals for a step on excess beside the rule, best known first.
        limits: what the target does not know.
        reason: why there is no signal; empty with one.
    """

    pool: str
    signal: str | None
    verdict: Verdict | None
    accepted: tuple[Remark, ...]
    control: Control
    metric_type: MetricType | None
    window_s: float | None
    promql: str
    target: Estimate
    unit: str
    per: Literal["instance", "pool"]
    runner_up: RunnerUp | None
    guard_rails: tuple[str, ...]
    limits: tuple[Remark, ...]
    reason: str


def recommend(
    panel: Panel,
    scores: Sequence[SignalScore],
    choices: Mapping[str, LoadChoice],
    *,
    seed: int = 0,
) -> tuple[Recommendation, ...]:
    """Recommend a signal for each pool that serves.

    Args:
        panel: the panel that was scored; queues and latencies are taken from it whether scored or not.
        scores: ranked, in display order.
        choices: the load of each pool.
        seed: of the whole evaluation.

    Returns:
        One for each pool of the scores, in their order; what belongs to the service as a whole is left out where
        anything else is known.
    """
    pools = list(dict.fromkeys(score.column.pool for score in scores))
    serving = [pool for pool in pools if pool != SERVICE_POOL] or pools
    return tuple(
        _for_pool(panel, pool, [s for s in scores if s.column.pool == pool], choices[pool], seed)
        for pool in serving
    )


def _for_pool(
    panel: Panel, pool: str, scores: Sequence[SignalScore], choice: LoadChoice, seed: int
) -> Recommendation:
    best = recommended(scores) or next(filter(_fits, scores), None)
    rails = tuple(guard_rails(scores)[:_RAILS])
    if best is None:
        return Recommendation(
            pool,
            signal=None,
            verdict=None,
            accepted=(),
            control="guard_rail" if rails else "none",
            metric_type=None,
            window_s=None,
            promql="",
            target=_NOTHING,
            unit="",
            per="instance",
            runner_up=None,
            guard_rails=rails,
            limits=(),
            reason=_why_none(scores),
        )
    total = best.column.scope == "total"
    window = best.measures.get("suggested_window_s", _NOTHING)
    target = _target(panel, best, choice, seed)
    return Recommendation(
        pool,
        signal=best.signal,
        verdict=best.verdict,
        accepted=tuple(c for c in best.conditions if blocks_recommendation(c)),
        control="ratio_rule",
        metric_type="AverageValue" if total else "Value",
        window_s=DECISION_S if window.value is None else window.value,
        promql=str(window.extra.get("promql", "")),
        target=target,
        unit=best.column.unit,
        per="pool" if total and choice.ready_column is None else "instance",
        runner_up=_runner_up(best, scores),
        guard_rails=rails,
        limits=limits(best, choice, target),
        reason="",
    )


def _fits(score: SignalScore) -> bool:
    return score.verdict == "proportional" and score.rank is not None


def _why_none(scores: Sequence[SignalScore]) -> str:
    own = next((s for s in scores if s.identity and s.verdict == "proportional"), None)
    if own is not None:
        return (
            f"nothing beside {own.signal} moves in proportion to load, and that is the load itself: "
            "what it is worth cannot be told from itself"
        )
    if all(s.verdict == "insufficient_data" for s in scores):
        return "too little data for a verdict on any of its signals"
    if unknown := sum(s.verdict == "insufficient_data" for s in scores):
        return (
            f"too little data for a verdict on {unknown} of its {len(scores)} signals, and none of the others "
            "moves in proportion to load"
        )
    return "none of its signals moves in proportion to load: a ratio rule has nothing to steer by"


def _target(panel: Panel, best: SignalScore, choice: LoadChoice, seed: int) -> Estimate:
    columns = (panel.column(pooled_name(choice.pool, name)) for name in GUARDS)
    rng = np.random.default_rng((seed, zlib.crc32(f"target {best.signal}".encode())))
    return operating_target(
        observe(panel, best.column, choice),
        [observe(panel, column, choice) for column in columns if column is not None],
        rng=rng,
    )


def _runner_up(best: SignalScore, scores: Sequence[SignalScore]) -> RunnerUp | None:
    """The best ranked of the other proportional signals, else of those that are guard rails."""
    others = [s for s in scores if s is not best and s.rank is not None and not _same(s, best)]
    for verdict in ("proportional", "feedback"):
        second = next((s for s in others if s.verdict == verdict), None)
        if second is not None:
            lost_by, text = _loss(best, second)
            return RunnerUp(second.signal, second.verdict, lost_by, text)
    return None


def _same(one: SignalScore, other: SignalScore) -> bool:
    return bool(one.column.sources) and one.column.sources == other.column.sources


def _loss(best: SignalScore, second: SignalScore) -> tuple[Loss, str]:
    mine, its = best.measures["capacity_error"], second.measures["capacity_error"]
    if second.verdict != "proportional":
        return "verdict", f"no ratio rule fits it: {_sentence(second.reasons)}"
    figures = f"capacity error {_percent(its)} against {_percent(mine)}"
    blocking = [c for c in second.conditions if blocks_recommendation(c)]
    if blocking and not any(map(blocks_recommendation, best.conditions)):
        smaller = (its.value or 0.0) < (mine.value or 0.0)
        link = "its capacity error is smaller" if smaller else "its capacity error is no smaller"
        return (
            "condition",
            f"{_sentence(blocking)} ({link}: {_percent(its)} against {_percent(mine)})",
        )
    beside = [c for c in second.conditions if c.code not in {o.code for o in best.conditions}]
    more = f"; {_sentence(beside)}" if beside else ""
    if _within(mine, its) or _within(its, mine):
        return "tie", f"a tie: {figures}, a difference within their intervals{more}"
    return "capacity_error", f"larger {figures}{more}"


def _within(one: Estimate, other: Estimate) -> bool:
    """Whether the value of one lies in the interval of the other."""
    ends = (one.value, other.low, other.high)
    value, low, high = ends
    return value is not None and low is not None and high is not None and low <= value <= high


def _sentence(remarks: Sequence[Remark]) -> str:
    return remarks[0].text.rstrip(".") if remarks else "of its verdict"


def _percent(error: Estimate) -> str:
    return "unknown" if error.value is None else f"{expm1(min(error.value, _WORST)) * 100:.2g} %"
