"""The answer in one sentence: what to scale on, and which popular signals to leave alone and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from signals.schema import SERVICE_POOL, Estimate
from signals.study.score import SignalScore, Verdict
from signals.study.verdict import blocks_recommendation
from signals.units import format_quantity

if TYPE_CHECKING:
    from signals.study.recommendation import Recommendation

__all__ = ["aim", "figures", "guard_rails", "headline", "recommended"]

_POPULAR = (
    "gpu_util",
    "ttft_mean",
    "itl_mean",
    "sm_active",
    "kv_usage",
    "queue_depth",
    "ttft_p90",
    "ttft_p99",
    "running",
    "power_w",
)
_MOST_UNUSABLE = 1
_MOST_RAILS = 3


def recommended(scores: Sequence[SignalScore]) -> SignalScore | None:
    """The best proportional signal without a condition that makes it order wrongly when it matters.

    Args:
        scores: ranked, in display order.

    Returns:
        Its score, or None.
    """
    fit = (s for s in scores if s.verdict == "proportional" and s.rank is not None)
    return next((s for s in fit if not any(map(blocks_recommendation, s.conditions))), None)


def headline(scores: Sequence[SignalScore], recommendations: Sequence[Recommendation] = ()) -> str:
    """Say what was found.

    Args:
        scores: ranked, in display order.
        recommendations: with the targets to name; empty to name none.

    Returns:
        One sentence.
    """
    aims = {r.signal: f"; {aim(r)}" for r in recommendations if r.target.value is not None}
    best = _best_of_pools(scores)
    if len(best) > 1:
        pools = (f"{s.column.pool} on {s.column.signal} ({_told(s, aims)})" for s in best)
        first = f"Scale {' and '.join(pools)}"
    elif best:
        first = f"Scale on {best[0].signal}: {_told(best[0], aims)}"
    else:
        first = _second_best(scores, aims)
    told = {s.column.pool for s in best or filter(None, [_closest(scores)])}
    others = [r for r in recommendations if r.pool not in told]
    rest = _warnings(scores)
    return "; ".join((first, *_other_pools(others, aims, scores), *([rest] if rest else []))) + "."


def _other_pools(
    advice: Sequence[Recommendation],
    aims: Mapping[str | None, str],
    scores: Sequence[SignalScore],
) -> list[str]:
    """What is recommended for pools that the first words do not name."""
    known = {s.signal: s for s in scores}
    texts = [
        f"{r.pool} at best on {known[r.signal].column.signal} ({_told(known[r.signal], aims)}), "
        f"but {' and '.join(condition.text for condition in r.accepted)}"
        for r in advice
        if r.signal in known
    ]
    none = [r.pool for r in advice if r.signal is None]
    # where no pool has a signal the first words say so
    if none and any(s.verdict == "proportional" and s.rank is not None for s in scores):
        texts.append(f"nothing to scale {' and '.join(none)} on")
    return texts


def _best_of_pools(scores: Sequence[SignalScore]) -> list[SignalScore]:
    """The recommended signal of each pool that serves; those of the whole service if no pool has one."""
    found = []
    for pool in dict.fromkeys(s.column.pool for s in scores):
        score = recommended([s for s in scores if s.column.pool == pool])
        if score is not None:
            found.append(score)
    return [s for s in found if s.column.pool != SERVICE_POOL] or found


def _told(score: SignalScore, aims: Mapping[str | None, str]) -> str:
    return figures(score) + aims.get(score.signal, "")


def aim(recommendation: Recommendation) -> str:
    """`aim at 465 tokens/s per instance`: the target of a recommendation that has one.

    Args:
        recommendation: of one pool.

    Returns:
        A phrase.
    """
    value = format_quantity(recommendation.target.value, recommendation.unit)
    total = recommendation.metric_type == "AverageValue"
    whole = " for the whole pool" if recommendation.per == "pool" else " per instance"
    return f"aim at {value}{whole if total else ''}"


def _second_best(scores: Sequence[SignalScore], aims: Mapping[str | None, str]) -> str:
    fallback = _closest(scores)
    if fallback is not None:
        accepted = [c.text for c in fallback.conditions if blocks_recommendation(c)]
        return (
            f"{fallback.signal} comes closest to what a ratio rule needs ({_told(fallback, aims)}), "
            f"but {' and '.join(accepted)}"
        )
    if any(s.identity and s.verdict == "proportional" for s in scores):
        return "No signal beside the load itself moves in proportion to load"
    unknown = [s for s in scores if s.verdict == "insufficient_data"]
    if len(unknown) == len(scores):
        return f"Too little data for a verdict{_why(scores)}"
    if unknown:
        return (
            f"Too little data for a verdict on {len(unknown)} of {len(scores)} signals{_why(unknown)}; "
            "no other moves in proportion to load"
        )
    return "No signal moves in proportion to load: a ratio rule has nothing to steer by"


def _closest(scores: Sequence[SignalScore]) -> SignalScore | None:
    """The first signal in proportion to load, whatever its conditions."""
    return next((s for s in scores if s.verdict == "proportional" and s.rank is not None), None)


def _why(scores: Sequence[SignalScore]) -> str:
    texts = [s.reasons[0].text for s in scores if s.reasons]
    return f": {max(set(texts), key=texts.count)}" if texts else ""


def figures(score: SignalScore) -> str:
    """`proportional, 9 s behind load, capacity error 3.8 %`: what a sentence says of a signal."""
    error = score.measures["capacity_error"].value
    size = "unknown" if error is None else f"{_percent(error)} %"
    return f"{score.verdict}, {_lag(score.measures['lag_s'])}, capacity error {size}"


def _percent(error: float) -> str:
    from math import expm1

    return f"{expm1(min(error, 5.0)) * 100:.2g}"


def _lag(lag: Estimate) -> str:
    if not lag.determined or lag.value is None:
        return "lag undetermined"
    shown = round(lag.value)
    if lag.low is not None and lag.high is not None and lag.low <= 0 <= lag.high:
        return f"no lag to speak of ({shown:+d} s)" if shown else "no lag to speak of"
    return f"{abs(shown)} s {'behind' if shown > 0 else 'ahead of'} load"


def _warnings(scores: Sequence[SignalScore]) -> str:
    """Which popular signals are unusable, each with its reason; then which are guard rails only."""
    rails = guard_rails(scores)[:_MOST_RAILS]
    # one name with two advices, for two pools, would only confuse
    names = {rail.rpartition(":")[2] for rail in rails}
    unusable = [
        s for s in _popular(scores, "unusable") if s.column.signal not in names and not _warns(s)
    ][:_MOST_UNUSABLE]
    parts = [f"{s.signal} is unusable ({s.reasons[0].text})" for s in unusable]
    if rails:
        verb = "is a guard rail" if len(rails) == 1 else "are guard rails"
        parts.append(f"{', '.join(rails)} {verb} only")
    return "; ".join(parts)


def guard_rails(scores: Sequence[SignalScore]) -> list[str]:
    """Signals for a step on excess beside a ratio rule.

    Args:
        scores: ranked, in display order.

    Returns:
        `pool:signal`, each signal under one pool only: those that warn of latency, whatever their class; then
        those of the class `feedback` that people know, the best known first.
    """
    warners = {s.column.signal: s for s in reversed(scores) if _warns(s)}
    known = {s.column.signal: s for s in _popular(scores, "feedback")}
    return [score.signal for score in (warners | known).values()]


def _warns(score: SignalScore) -> bool:
    codes = {condition.code for condition in score.conditions}
    return score.verdict in {"feedback", "unusable"} and "warns_of_latency" in codes


def _popular(scores: Sequence[SignalScore], verdict: Verdict) -> list[SignalScore]:
    """Popular signals of one class, the best known first, each under one pool only."""
    found = {s.column.signal: s for s in reversed(scores) if s.verdict == verdict}
    return [found[name] for name in _POPULAR if name in found]
