"""The answer in a sentence: which signal to scale on, and what a policy would have saved."""

from __future__ import annotations

from dataclasses import dataclass

from signals.policies import POLICIES
from signals.replay.result import Comparison, PolicyResult
from signals.report.words import (
    count_text,
    quantity,
    share_text,
)
from signals.schema import SERVICE_POOL
from signals.study import headline
from signals.study.score import Remark, Scorecard, SignalScore
from signals.study.verdict import blocks_recommendation
from signals.units import UNITS

__all__ = [
    "ATTAINMENT_SLACK",
    "Choice",
    "accepted_conditions",
    "best_of_pools",
    "best_policy",
    "choose_policy_words",
    "notable_signals",
    "recommended",
    "sentence",
]

_FAR_MORE = 1.2

ATTAINMENT_SLACK = 0.01
"""A policy may serve this much less of the requests than the best one and still count as good enough."""


_BASE_UNITS = frozenset(unit.base for unit in UNITS)


@dataclass(frozen=True, slots=True)
class Choice:
    """The policy that serves users well for least.

    Attributes:
        policy: the cheapest among those within `ATTAINMENT_SLACK` of the best attainment.
        baseline: `static`, if it was compared.
        saved_ratio: share of the baseline's GPU-hours that it does not use; None without a baseline.
    """

    policy: PolicyResult
    baseline: PolicyResult | None
    saved_ratio: float | None


def recommended(scorecard: Scorecard, *, pool: str = "") -> SignalScore | None:
    """The signal to scale on: the best proportional one, preferably without a disqualifying condition.

    Args:
        scorecard: scores in display order.
        pool: only signals of this pool; empty for all.

    Returns:
        The score, or None if no signal is proportional.
    """
    fit = [
        score
        for score in scorecard.signals
        if score.verdict == "proportional"
        and not score.identity
        and pool in {"", score.column.pool}
    ]
    return headline.recommended(fit) or (fit[0] if fit else None)


def best_of_pools(scorecard: Scorecard) -> list[SignalScore]:
    """The signal to scale on of each pool that serves; of the whole service if no pool has one."""
    pools = dict.fromkeys(score.column.pool for score in scorecard.signals)
    found = [score for pool in pools if (score := recommended(scorecard, pool=pool))]
    return [score for score in found if score.column.pool != SERVICE_POOL] or found


def accepted_conditions(score: SignalScore) -> list[Remark]:
    """Conditions that one has to accept before scaling on this signal."""
    return [condition for condition in score.conditions if blocks_recommendation(condition)]


def notable_signals(scorecard: Scorecard, *, best: int = 3, others: int = 3) -> tuple[str, ...]:
    """Signals worth a closer look: the best of each pool, the next best, and what people tend to use instead.

    Args:
        scorecard: scores in display order.
        best: how many proportional signals.
        others: how many of the others, hardware utilisation first.

    Returns:
        Names in display order.
    """
    scores = [score for score in scorecard.signals if not score.identity]
    fit = [score for score in scores if score.verdict == "proportional"]
    first_of_pool = {score.column.pool: score for score in reversed(fit)}.values()
    fit.sort(key=lambda score: not any(score is first for first in first_of_pool))
    top = fit[:best]
    rest = [score for score in scores if score.verdict in {"feedback", "unusable"}]
    rest.sort(key=lambda score: (not _tempting(score), score.verdict != "unusable"))
    chosen = {score.signal for score in (*top, *rest[:others])}
    return tuple(score.signal for score in scorecard.signals if score.signal in chosen)


def _tempting(score: SignalScore) -> bool:
    """Whether this is what an autoscaler is set up with when nobody has looked."""
    return score.column.signal in {"gpu_util", "sm_active", "ttft_p99", "ttft_mean", "queue_depth"}


def best_policy(comparison: Comparison) -> Choice | None:
    """The cheapest policy that serves about as many requests within both objectives as the best one does."""
    known = [r for r in comparison.policies if r.attainment.get("both") is not None]
    if not known:
        return None
    top = max(r.attainment["both"] or 0.0 for r in known)
    good = [r for r in known if (r.attainment["both"] or 0.0) >= top - ATTAINMENT_SLACK]
    policy = min(good, key=lambda r: r.gpu_hours)
    baseline = next((r for r in comparison.policies if r.policy == "static"), None)
    saved = 1 - policy.gpu_hours / baseline.gpu_hours if baseline and baseline.gpu_hours else None
    return Choice(policy, baseline, saved)


def choose_policy_words(comparison: Comparison) -> str:
    """What the backtest comes down to, in one or two sentences."""
    choice = best_policy(comparison)
    if choice is None:
        return "No policy served a request, so nothing can be compared."
    policy = choice.policy
    kept = f"{share_text(policy.attainment['both'])} of requests within both objectives"
    hours = f"{count_text(policy.gpu_hours)} GPU-hours"
    if len(comparison.policies) == 1:
        text = f"{policy.label} keeps {kept} for {hours}; there is nothing to compare it with."
    elif choice.baseline is policy:
        text = f"No policy beat {policy.label}: {kept} for {hours}."
    elif choice.saved_ratio is None or choice.baseline is None:
        text = f"{policy.label} serves users for least: {kept} for {hours}."
    else:
        word = "fewer" if choice.saved_ratio >= 0 else "more"
        text = (
            f"{policy.label} keeps {kept} for {hours}, {share_text(abs(choice.saved_ratio))} {word} "
            f"than {choice.baseline.label} ({share_text(choice.baseline.attainment.get('both'))})."
        )
    target = _target_text(policy)
    told = f" Its target is {target}." if target else ""
    return text + told + _worst_words(comparison, policy)


def _target_text(policy: PolicyResult) -> str:
    """At what threshold: the target that the policy was run with, if its unit is declared."""
    target = policy.params.get("target")
    units = {
        parameter.name: parameter.unit
        for entry in POLICIES
        if entry.spec.name == policy.policy
        for parameter in entry.spec.parameters
    }
    # a law that takes any signal shows its target beside the signal, in its label
    if not isinstance(target, float) or units.get("target") not in _BASE_UNITS:
        return ""
    return f"{quantity(target, units['target'])} per instance"


def _worst_words(comparison: Comparison, best: PolicyResult) -> str:
    """The policy that fails users most; if all serve well, the one that costs far more for it."""
    known = [r for r in comparison.policies if r.attainment.get("both") is not None]
    worst = min(known, key=lambda r: r.attainment["both"] or 0.0)
    gap = (best.attainment["both"] or 0.0) - (worst.attainment["both"] or 0.0)
    if worst is not best and gap > ATTAINMENT_SLACK:
        share, hours = share_text(worst.attainment["both"]), count_text(worst.gpu_hours)
        return f" {worst.label} keeps {share} for {hours} GPU-hours."
    dearest = max(known, key=lambda r: r.gpu_hours)
    if best.gpu_hours and dearest.gpu_hours > _FAR_MORE * best.gpu_hours:
        factor, hours = dearest.gpu_hours / best.gpu_hours, count_text(dearest.gpu_hours)
        return f" {dearest.label} takes {factor:.1f} times the GPU-hours of {best.label} ({hours})."
    return ""


def sentence(scorecard: Scorecard, comparison: Comparison | None = None) -> str:
    """What was found, in one sentence for a last line on a terminal.

    Args:
        scorecard: the scores.
        comparison: the backtest, if there is one.
    """
    best = best_of_pools(scorecard)
    parts = [
        f"{score.column.pool} on {score.column.signal} {_in_brackets(score)}"
        if len(best) > 1
        else f"{scorecard.service} on {score.signal} {_in_brackets(score)}"
        for score in best
    ]
    found = f"Scale {' and '.join(parts)}"
    if not best:
        found = scorecard.headline.rstrip(".")
    if comparison is None or (choice := best_policy(comparison)) is None:
        return found + "."
    share = share_text(choice.policy.attainment["both"])
    target = _target_text(choice.policy)
    named = f"{choice.policy.label} (target {target})" if target else choice.policy.label
    told = f"{named} would have kept {share} of requests within both objectives"
    if choice.saved_ratio is not None and choice.policy is not choice.baseline:
        word = "fewer" if choice.saved_ratio >= 0 else "more"
        told += f" with {share_text(abs(choice.saved_ratio))} {word} GPU-hours than static"
    return f"{found}; {told}."


def _in_brackets(score: SignalScore) -> str:
    """Verdict, lag and capacity error of a signal, and what is accepted with it."""
    text = f"({headline.figures(score)})"
    if accepted := accepted_conditions(score):
        text += f", accepting that {' and '.join(c.text.rstrip('.') for c in accepted)}"
    return text
