"""How results are put in words for people: values with units, intervals, verdicts, sentences.

Errors in log units are shown as the share they are off; everything else in the base unit's usual form.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime

from signals.plots.scorecard import VERDICT_TITLES, as_ratio
from signals.replay.result import Comparison
from signals.schema import Estimate, Finding, Slo, Span
from signals.study.score import MEASURES, MeasureSpec, Remark, SignalScore, Verdict
from signals.units import format_quantity

__all__ = [
    "MISSING",
    "count_text",
    "estimate_text",
    "finding_text",
    "interval_text",
    "lag_words",
    "measure_spec",
    "moment_text",
    "parameters_text",
    "quantity",
    "remark_sentence",
    "remarks_text",
    "share_text",
    "signed_share",
    "slo_text",
    "span_text",
    "told",
    "told_briefly",
    "told_of_load",
    "value_text",
    "verdict_title",
    "workload_text",
]

MISSING = "–"
_SIGNED = frozenset({"peak_bias", "trend_gap"})
_ABOUT_THE_LOAD = frozenset({"assumed_constant_fleet", "closed_loop", "served_load"})
_SPECS = {spec.name: spec for spec in MEASURES}


def measure_spec(name: str) -> MeasureSpec:
    """The declaration of a measure; an unknown one is titled by its name and has no unit."""
    return _SPECS.get(name) or MeasureSpec(name, name.replace("_", " "), "", "")


def verdict_title(verdict: Verdict) -> str:
    """The verdict as people read it."""
    return VERDICT_TITLES[verdict]


def quantity(value: float | None, unit: str) -> str:
    """A stored value with its unit; an error in log units (`ln`) as the share it is off.

    A value in the load's own unit (`load`) is a plain number.
    """
    if value is None or value != value:  # noqa: PLR0124 - NaN is the only value unequal to itself
        return MISSING
    if unit == "ln":
        return share_text(as_ratio(value))
    if unit == "load":
        return f"{value:,.4g}"
    if unit == "":
        return f"{value:.2f}" if abs(value) < 10 else f"{value:.3g}"
    return format_quantity(value, unit).strip()


def share_text(value: float | None) -> str:
    """A share 0..1 in per cent, three significant digits; close to one, two decimals."""
    if value is None:
        return MISSING
    if 0.99 <= value < 1:
        return f"{min(value, 0.9999) * 100:.2f} %"
    return f"{value * 100:.3g} %" if abs(value) < 10 else f"{value * 100:,.0f} %"


def signed_share(value: float | None) -> str:
    """A difference in per cent with its sign."""
    return MISSING if value is None else f"{value * 100:+.3g} %".replace("-", "\u2212")


def count_text(value: float | None) -> str:
    """A count with thousands separated."""
    return MISSING if value is None else f"{value:,.0f}"


def value_text(name: str, estimate: Estimate | None) -> str:
    """A measure's value with its unit; says `undetermined` where the data do not settle it."""
    if estimate is None or estimate.value is None:
        return MISSING
    if not estimate.determined:
        return "undetermined"
    if name in _SIGNED:
        return signed_share(as_ratio(estimate.value))
    return quantity(estimate.value, measure_spec(name).unit)


def interval_text(name: str, estimate: Estimate | None) -> str:
    """The 95 % interval as `low to high`; empty if there is none."""
    if estimate is None or estimate.low is None or estimate.high is None:
        return ""
    unit = measure_spec(name).unit
    if name in _SIGNED:
        low, high = (signed_share(as_ratio(end)) for end in (estimate.low, estimate.high))
    else:
        low, high = (quantity(end, unit) for end in (estimate.low, estimate.high))
    unit_of_low, unit_of_high = (text.partition(" ")[2] for text in (low, high))
    if unit_of_low == unit_of_high:
        low = low.partition(" ")[0]
    return f"{low} to {high}"


def estimate_text(name: str, estimate: Estimate | None) -> str:
    """`value (low to high)`, or the value alone where there is no interval."""
    text, interval = value_text(name, estimate), interval_text(name, estimate)
    return f"{text} ({interval})" if interval and text not in {MISSING, "undetermined"} else text


def lag_words(score: SignalScore) -> str:
    """`10 s behind load`, `2 s ahead of load`, that there is none, or that it is not known."""
    lag = score.measures.get("lag_s")
    if lag is None or lag.value is None:
        return "lag unknown"
    if not lag.determined:
        return "lag undetermined"
    if lag.low is not None and lag.high is not None and lag.low <= 0 <= lag.high:
        return "no lag to speak of"
    size = format_quantity(abs(lag.value), "s")
    return f"{size} behind load" if lag.value >= 0 else f"{size} ahead of load"


def remark_sentence(remark: Remark) -> str:
    """A reason or condition as one sentence."""
    text = remark.text.strip() or remark.code.replace("_", " ")
    return text[0].upper() + text[1:] + ("" if text.endswith((".", "!", "?")) else ".")


def remarks_text(remarks: Sequence[Remark]) -> str:
    """Reasons or conditions in a row."""
    return " ".join(remark_sentence(remark) for remark in remarks)


def told(score: SignalScore) -> str:
    """Why a signal is where it is and what to know before using it, each sentence once.

    Conditions that say something about the load rather than the signal are left to `told_of_load`.
    """
    remarks = [r for r in (*score.reasons, *score.conditions) if r.code not in _ABOUT_THE_LOAD]
    sentences = dict.fromkeys(remark_sentence(remark) for remark in remarks)
    if score.identity:
        return " ".join(("This signal is the load itself, so it has no rank.", *sentences))
    return " ".join(sentences)


def told_briefly(score: SignalScore) -> str:
    """The first reason as a sentence, everything else by its code."""
    remarks = [r for r in (*score.reasons, *score.conditions) if r.code not in _ABOUT_THE_LOAD]
    if score.identity or not remarks:
        return told(score)
    codes = dict.fromkeys(r.code.replace("_", " ") for r in remarks[1:])
    first = remark_sentence(remarks[0]).rstrip(".")
    return f"{first}; {', '.join(codes)}." if codes else f"{first}."


def told_of_load(scores: Sequence[SignalScore]) -> str:
    """What holds for many signals because of the load they are held against, with their number."""
    held = Counter(
        remark_sentence(remark)
        for score in scores
        for remark in score.conditions
        if remark.code in _ABOUT_THE_LOAD
    )
    of = {len(scores): "All signals"}
    parts = [
        f"{of.get(count, f'{count} of {len(scores)} signals')}: {sentence}"
        for sentence, count in held.items()
    ]
    return " ".join(parts)


def finding_text(finding: Finding) -> str:
    """A finding as one line: what, about what, and what was done."""
    named = not finding.subject or finding.subject in finding.text
    head = finding.text if named else f"{finding.subject}: {finding.text}"
    return f"{head} ({finding.action})" if finding.action else head


def moment_text(value: datetime | None) -> str:
    """A UTC time to the minute."""
    return MISSING if value is None else f"{value:%Y-%m-%d %H:%M}"


def span_text(span: Span) -> str:
    """From when to when, and how long that is."""
    same_day = span.first.date() == span.last.date()
    end = f"{span.last:%H:%M}" if same_day else moment_text(span.last)
    return f"{moment_text(span.first)} to {end} UTC ({format_quantity(span.seconds, 's')})"


def slo_text(slo: Slo) -> str:
    """The objectives of one request."""
    return f"TTFT ≤ {format_quantity(slo.ttft_s, 's')}, TPOT ≤ {format_quantity(slo.tpot_s, 's')}"


def parameters_text(params: Mapping[str, object]) -> str:
    """A policy's parameters as they are written on the command line."""
    parts = [f"{key}={_plain(value)}" for key, value in params.items() if value is not None]
    return ", ".join(parts) or MISSING


def workload_text(comparison: Comparison) -> str:
    """What was replayed, in one phrase."""
    workload = comparison.workload
    requests = workload.get("requests")
    parts = [f"{requests:,} requests" if isinstance(requests, int) else "the recorded requests"]
    if workload.get("service"):
        parts.append(f"of {workload['service']}")
    factor = workload.get("load_factor")
    if isinstance(factor, (int, float)) and factor != 1:
        parts.append(f"at {factor:g} times their load")
    return " ".join(parts)


def _plain(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
