"""Scores as HTML for notebooks: readable on a light and on a dark page, without a stylesheet of their own."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from html import escape

from signals.schema import Estimate
from signals.study.score import MEASURES, Remark, Scorecard, SignalScore, Verdict
from signals.study.table import TESTED, p_value
from signals.units import format_quantity

__all__ = ["score_html", "scorecard_html"]

_SPECS = {spec.name: spec for spec in MEASURES}
_SHOWN = ("capacity_error", "lag_s", "noise_ratio", "elasticity", "stability")
_VERDICTS: dict[Verdict, tuple[str, str, str]] = {
    "proportional": ("●", "proportional", "#2f9e5b"),
    "feedback": ("◆", "feedback only", "#c27b0a"),
    "unusable": ("✕", "unusable", "#e0564d"),
    "insufficient_data": ("○", "insufficient data", "#8a96a3"),
}
"""Sign, name and a colour that can be read on white and on black."""

_MISSING = "–"
_TABLE = "border-collapse:collapse;font-size:13px;font-variant-numeric:tabular-nums"
_CELL = "text-align:{align};vertical-align:top;padding:3px 10px;border-bottom:1px solid #8886"
_QUIET = "opacity:.7;font-size:90%"
_MOST_LOG = 50.0


def scorecard_html(card: Scorecard, advice: Sequence[str] = ()) -> str:
    """The headline, what to scale on, and a row per signal with the measures that matter most.

    Args:
        card: the scorecard.
        advice: what to scale on, a line of text per pool.

    Returns:
        HTML; every text that comes from data is escaped.
    """
    heads = ["signal", "verdict", "rank", *(_SPECS[name].title for name in _SHOWN), "why"]
    rows = [
        [
            f"<b>{escape(score.signal)}</b>",
            _verdict(score.verdict),
            "the load" if score.identity else str(score.rank or _MISSING),
            *(_value(name, score.measures.get(name)) for name in _SHOWN),
            _codes((*score.reasons, *score.conditions)),
        ]
        for score in card.signals
    ]
    listed = "".join(f"<li>{escape(line)}</li>" for line in advice)
    span = f"{card.span.first:%Y-%m-%d %H:%M} to {card.span.last:%Y-%m-%d %H:%M} UTC"
    about = f"{card.service}: {span}, every {format_quantity(card.tick_s, 's')}"
    return "".join(
        (
            f"<p><b>{escape(card.headline)}</b></p>",
            f"<ul>{listed}</ul>" if listed else "",
            f'<p style="{_QUIET}">{escape(about)}; 95 % intervals below the values</p>',
            _table(heads, rows, right=range(2, 3 + len(_SHOWN))) if rows else "",
        )
    )


def score_html(score: SignalScore) -> str:
    """A signal's verdict, why, what to know before using it, and every measure with its question.

    Args:
        score: of the signal.

    Returns:
        HTML; every text that comes from data is escaped.
    """
    heads = ["measure", "value", "95 % interval", "p", "question", "remark"]
    rows = [
        [
            f"<b>{escape(spec.title)}</b>",
            _text(spec.name, estimate),
            _interval(spec.name, estimate),
            _chance(spec.name, estimate),
            escape(spec.question),
            escape(estimate.reason),
        ]
        for spec in MEASURES
        if (estimate := score.measures.get(spec.name)) is not None
    ]
    rank = f", rank {score.rank}" if score.rank else ""
    held = f"{rank}; held against {score.load}"
    if score.identity:
        held = "; it is the load itself"
    remarks = "".join(
        f"<li>{escape(_sentence(remark))} <code>{escape(remark.code)}</code></li>"
        for remark in (*score.reasons, *score.conditions)
    )
    return "".join(
        (
            f"<p><b>{escape(score.signal)}</b> {_verdict(score.verdict)}{escape(held)}</p>",
            f"<ul>{remarks}</ul>" if remarks else "",
            _table(heads, rows, right=range(1, 4)),
        )
    )


def _sentence(remark: Remark) -> str:
    text = remark.text or remark.code.replace("_", " ")
    return f"{text[0].upper()}{text[1:]}."


def _verdict(verdict: Verdict) -> str:
    sign, name, color = _VERDICTS[verdict]
    return f'<span style="color:{color};white-space:nowrap">{sign} {name}</span>'


def _codes(remarks: Iterable[Remark]) -> str:
    return escape(", ".join(dict.fromkeys(remark.code for remark in remarks)))


def _value(name: str, estimate: Estimate | None) -> str:
    """The value above its interval; the reason, on hover, where it is not settled."""
    if estimate is None:
        return _MISSING
    interval = _interval(name, estimate)
    below = f'<br><span style="{_QUIET}">{interval}</span>' if interval else ""
    title = f' title="{escape(estimate.reason)}"' if estimate.reason else ""
    return f"<span{title}>{_text(name, estimate)}{below}</span>"


def _text(name: str, estimate: Estimate) -> str:
    if estimate.value is None:
        return _MISSING
    return _quantity(name, estimate.value) if estimate.determined else "undetermined"


def _interval(name: str, estimate: Estimate) -> str:
    if estimate.low is None or estimate.high is None or not estimate.determined:
        return ""
    return f"{_quantity(name, estimate.low)} to {_quantity(name, estimate.high)}"


def _chance(name: str, estimate: Estimate) -> str:
    chance = p_value(estimate) if name in TESTED else None
    if chance is None:
        return ""
    return "&lt; 0.001" if chance < 0.001 else f"{chance:.3f}"


def _quantity(name: str, value: float) -> str:
    """A value as people read it; errors in log units as the share they are off."""
    unit = _SPECS[name].unit
    if unit == "ln":
        return f"{math.expm1(min(value, _MOST_LOG)) * 100:,.3g} %"
    return f"{value:.3g}" if not unit else format_quantity(value, unit).strip()


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]], *, right: range) -> str:
    def cell(tag: str, place: int, text: str) -> str:
        style = _CELL.format(align="right;white-space:nowrap" if place in right else "left")
        return f'<{tag} style="{style}">{text}</{tag}>'

    head = "".join(cell("th", place, escape(text)) for place, text in enumerate(heads))
    body = "".join(
        f"<tr>{''.join(cell('td', place, text) for place, text in enumerate(row))}</tr>"
        for row in rows
    )
    return f'<table style="{_TABLE}"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'
