"""The rules by which figures become a verdict: one table, each row with its threshold, code and sentence.

A class says what a signal is good for; conditions say what to know before using it. Correlation decides
nothing here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from signals.study.held_out import LEAST_SPAN_S
from signals.study.score import Remark, Verdict

__all__ = ["FEWEST_TICKS", "RULES", "Rule", "blocks_recommendation", "judge"]

Interval = tuple[float, float]
Group = Literal["insufficient", "unusable", "not_proportional", "condition", "circumstance"]


@dataclass(frozen=True, slots=True)
class Rule:
    """If a figure passes a threshold, a remark follows.

    Attributes:
        group: what the rule decides: `insufficient` and `unusable` set the class at once; a signal on which
            no `not_proportional` rule fires is proportional; a `condition` changes no class, nor does a `circumstance`, which is a condition
            that holds whether or not the signal can be judged.
        code: the remark's stable code.
        figure: name of the figure.
        side: whether the rule fires `below` or `above` the threshold.
        threshold: in the figure's unit; the threshold itself does not fire.
        text: sentence with `{value}` and `{threshold}`; `{size}` is the value without its sign.
        says_sign: whether the sentence also claims in which direction the signal moves.
        accept: False if a signal with this condition is not recommended.
    """

    group: Group
    code: str
    figure: str
    side: Literal["below", "above"]
    threshold: float
    text: str
    says_sign: bool = False
    accept: bool = True


FEWEST_TICKS = 120
"""Ticks with signal and load, below which nothing is said."""

RULES: tuple[Rule, ...] = (
    # too little to say anything
    Rule(
        "insufficient",
        "few_ticks",
        "ticks",
        "below",
        FEWEST_TICKS,
        "signal and load have values on only {value:.0f} of the {threshold:.0f} ticks that are needed",
    ),
    Rule(
        "insufficient",
        "load_hardly_moves",
        "load_span",
        "below",
        1.5,
        "load (per instance, for an average) spans only a factor of {value:.2f}; {threshold} is needed "
        "to see a response",
    ),
    Rule(
        "insufficient",
        "low_coverage",
        "coverage",
        "below",
        0.5,
        "only {share:.0f} % of the expected ticks have a value",
    ),
    # nothing to steer by
    Rule(
        "unusable",
        "insensitive",
        "elasticity_size",
        "below",
        0.1,
        "it hardly moves: {value:.2f} % when load moves by 1 %",
    ),
    Rule(
        "unusable",
        "no_response",
        "flat_against_direction",
        "above",
        0.5,
        "it has no response in its direction: as load grows it moves the other way, or not at all",
    ),
    Rule(
        "unusable",
        "pinned",
        "saturation_ratio",
        "above",
        0.5,
        "it is pinned to an end of its range {share:.0f} % of the time",
    ),
    Rule(
        "unusable",
        "pinned",
        "at_upper_end",
        "above",
        0.5,
        "it stands at the upper end of its range {share:.0f} % of the time",
    ),
    Rule(
        "unusable",
        "uninformative",
        "calibrated_share",
        "above",
        0.8,
        "even with its response curve known it says little about load: "
        "{share:.0f} % of the error of a constant",
    ),
    Rule(
        "unusable",
        "too_late",
        "lag_low_s",
        "above",
        900.0,
        "it trails load by more than {value:.0f} s",
    ),
    Rule(
        "unusable",
        "follows_the_clock",
        "residual_elasticity",
        "below",
        0.2,
        "it follows the time of day, not load: elasticity beyond the daily shape {value:.2f}",
    ),
    # good for a ratio rule unless one of these
    Rule(
        "not_proportional",
        "falls_with_load",
        "elasticity",
        "below",
        0.0,
        "it falls as load grows: by {size:.2f} % when load moves by 1 %",
    ),
    Rule(
        "not_proportional",
        "insensitive",
        "elasticity_size",
        "below",
        0.8,
        "it is insensitive: it moves by {value:.2f} % when load moves by 1 %, a ratio rule needs 1 %",
        says_sign=True,
    ),
    Rule(
        "not_proportional",
        "oversensitive",
        "elasticity",
        "above",
        1.25,
        "it overreacts: it moves by {value:.2f} % when load moves by 1 %, a ratio rule needs 1 %",
    ),
    Rule(
        "not_proportional",
        "inaccurate",
        "capacity_error",
        "above",
        0.15,
        "a ratio rule on it would order {percent:.0f} % too many or too few instances on average",
    ),
    # what to know before using it
    Rule(
        "condition",
        "under_orders_at_peak",
        "peak_bias",
        "below",
        -0.05,
        "at the peak a ratio rule on it orders {percent_below:.0f} % too few instances",
        accept=False,
    ),
    Rule(
        "condition",
        "over_orders_at_peak",
        "peak_bias",
        "above",
        0.05,
        "at the peak a ratio rule on it orders {percent:.0f} % too many instances",
    ),
    Rule(
        "condition",
        "late",
        "trend_gap",
        "below",
        -0.10,
        "it comes late: on rising load it orders {percent_below:.0f} % less than on falling load",
        accept=False,
    ),
    Rule(
        "condition",
        "late",
        "lag_low_s",
        "above",
        60.0,
        "it comes late: it trails load by more than {value:.0f} s",
        accept=False,
    ),
    Rule(
        "condition",
        "noisy",
        "noise_ratio",
        "above",
        0.1,
        "its noise is {share:.0f} % of its response to load",
    ),
    Rule(
        "condition",
        "clock_shaped",
        "residual_elasticity",
        "below",
        0.5,
        "much of it follows the time of day: elasticity beyond the daily shape {value:.2f}",
        accept=False,
    ),
    Rule(
        "condition",
        "pinned_part_of_the_time",
        "saturation_ratio",
        "above",
        0.1,
        "it is pinned to an end of its range {share:.0f} % of the time",
    ),
    Rule(
        "condition",
        "hysteresis",
        "hysteresis_size",
        "above",
        0.1,
        "its response differs by {share:.0f} % of its range between rising and falling load",
    ),
    Rule(
        "circumstance",
        "moved_by_other_pool",
        "other_pool",
        "above",
        0.5,
        "it is moved by the other pool's backlog (rank correlation {value:.2f} beyond what load explains)",
        accept=False,
    ),
    Rule(
        "circumstance",
        "warns_of_latency",
        "warned_rises",
        "above",
        0.5,
        "it reached its limit before latency rose, {value:.0f} times: good for a step on excess",
    ),
    Rule(
        "circumstance",
        "saturated",
        "at_upper_end",
        "above",
        0.9,
        "it is saturated: at the upper end of its range on {share:.0f} % of the ticks",
    ),
    Rule(
        "circumstance",
        "saturated",
        "at_lower_end",
        "above",
        0.9,
        "it is saturated: at the lower end of its range on {share:.0f} % of the ticks",
    ),
    Rule(
        "circumstance",
        "mostly_zero",
        "at_zero",
        "above",
        0.9,
        "it is zero on {share:.0f} % of the ticks",
    ),
    Rule(
        "circumstance",
        "constant",
        "constant",
        "above",
        0.5,
        "it has one and the same value on all ticks, so correlation and slope are undefined",
    ),
    Rule(
        "circumstance",
        "served_load",
        "served_load",
        "above",
        0.5,
        "the load is what was served, so overload is invisible",
    ),
    Rule(
        "circumstance",
        "closed_loop",
        "scaler_elasticity",
        "above",
        0.5,
        "an existing scaler already holds load per instance flat (instances move by {value:.2f} % "
        "when load moves by 1 %)",
    ),
    Rule(
        "circumstance",
        "assumed_constant_fleet",
        "assumed_constant_fleet",
        "above",
        0.5,
        "the number of instances is unknown and taken as constant",
    ),
)


def judge(
    figures: Mapping[str, float | None], intervals: Mapping[str, Interval] | None = None
) -> tuple[Verdict, tuple[Remark, ...], tuple[Remark, ...]]:
    """Class, reasons and conditions of a signal.

    Args:
        figures: by the names that `RULES` use; None or absent where unknown, which fires nothing.
        intervals: low and high ends by the same names, where they are known; that of a size is the one of the
            figure with its sign. They change no class and no code: a sentence whose interval reaches over its
            threshold says so.

    Returns:
        The verdict, why, and the conditions (circumstances alone on too little data). A signal without a capacity error
        cannot be judged and is `insufficient_data`; one without an elasticity is never proportional.
    """
    ranges = intervals or {}
    circumstances = _fired("circumstance", figures, ranges)
    insufficient = _fired("insufficient", figures, ranges)
    if insufficient:
        return "insufficient_data", insufficient, circumstances
    conditions = (*_fired("condition", figures, ranges), *circumstances)
    unusable = _fired("unusable", figures, ranges)
    if unusable:
        return "unusable", unusable, conditions
    if figures.get("capacity_error") is None:
        text = (
            "too few held-out ticks to judge a ratio rule, for which a record has to be longer than "
            f"{LEAST_SPAN_S / 60:.0f} min"
        )
        return "insufficient_data", (Remark("no_capacity_error", text),), circumstances
    failed = _fired("not_proportional", figures, ranges)
    elasticity = figures.get("elasticity")
    if elasticity is None:
        text = "its elasticity is undefined: a mean is not above zero"
        failed = (Remark("no_elasticity", text), *failed)
    if failed:
        return "feedback", failed, conditions
    text = f"it moves in proportion to load: {elasticity:.2f} % when load moves by 1 %"
    text += _doubt_of_proportion(ranges.get("elasticity"))
    return "proportional", (Remark("in_proportion", text, elasticity),), conditions


def blocks_recommendation(condition: Remark) -> bool:
    """Whether a signal with this condition is recommended only if the condition is accepted.

    Args:
        condition: from `judge`.

    Returns:
        True for conditions that make a ratio rule order wrongly when it matters.
    """
    return any(rule.code == condition.code and not rule.accept for rule in RULES)


def _fired(
    group: Group, figures: Mapping[str, float | None], intervals: Mapping[str, Interval]
) -> tuple[Remark, ...]:
    remarks: list[Remark] = []
    for rule in RULES:
        value = figures.get(rule.figure)
        if rule.group != group or value is None:
            continue
        if _passes(rule, value) and rule.code not in {remark.code for remark in remarks}:
            text = _sentence(rule, value) + _doubt(rule, intervals.get(rule.figure))
            remarks.append(Remark(rule.code, text, value, rule.threshold))
    return tuple(remarks)


def _passes(rule: Rule, value: float) -> bool:
    return value < rule.threshold if rule.side == "below" else value > rule.threshold


def _sentence(rule: Rule, value: float) -> str:
    return rule.text.format(
        value=value,
        size=abs(value),
        share=value * 100,
        threshold=rule.threshold,
        percent=_percent(value),
        percent_below=-_percent(value),
    )


def _percent(log_ratio: float) -> float:
    from math import exp

    return (exp(max(-5.0, min(5.0, log_ratio))) - 1) * 100


def _doubt(rule: Rule, interval: Interval | None) -> str:
    """What completes a sentence that the interval of its figure does not bear out."""
    if interval is None:
        return ""
    low, high = interval
    sides = low < 0 < high
    farthest = (low, high)
    if rule.figure.endswith("_size"):
        sizes = (abs(low), abs(high))
        farthest = (0.0 if sides else min(sizes), max(sizes))
    if not all(_passes(rule, end) for end in farthest):
        return f"; its interval, {_range(rule.text, low, high)}, leaves that open"
    if rule.says_sign and sides:
        return f"; its interval, {_range(rule.text, low, high)}, leaves its direction open"
    return ""


def _doubt_of_proportion(interval: Interval | None) -> str:
    """The same of a signal of which no rule about its elasticity has fired."""
    if interval is None:
        return ""
    slopes = [rule for rule in RULES if rule.group == "not_proportional" and "elas" in rule.figure]
    if any(_passes(rule, end) for rule in slopes for end in interval):
        return f"; its interval, {interval[0]:.2f} to {interval[1]:.2f}, leaves that open"
    return ""


def _range(text: str, low: float, high: float) -> str:
    """An interval in the unit in which the sentence gives its figure, with its sign."""
    if "{percent" in text:
        return f"{_percent(low):.0f} % to {_percent(high):.0f} %"
    if "{share" in text:
        return f"{low * 100:.0f} % to {high * 100:.0f} %"
    return f"{low:.2f} to {high:.2f}"
