"""A scorecard as grid rows, and one score as title, sentences and a table of measures."""

from __future__ import annotations

from typing import Any

from dash import html
from dash.development.base_component import Component

from dashboard.components.findings import finding_list, remark_list
from dashboard.components.grid import chip_column, number_column, text_column
from dashboard.components.table import Head, plain_table
from dashboard.components.text import MISSING, quantity, range_text
from dashboard.components.verdict import verdict_chip
from signals.catalog import find_signal
from signals.plots.scorecard import VERDICT_TITLES
from signals.schema import Estimate
from signals.study.score import MEASURES, LoadChoice, MeasureSpec, Scorecard, SignalScore

__all__ = [
    "SCORE_COLUMNS",
    "load_lines",
    "measure_table",
    "reason_block",
    "score_rows",
    "score_title",
]

_FIRST_MEASURES = (
    "lag_s",
    "noise_ratio",
    "spearman",
    "elasticity",
    "proportionality",
    "capacity_error",
    "capacity_error_calibrated",
    "coverage",
)
_WIDTHS = {"lag_s": 142, "coverage": 98, "capacity_error_calibrated": 142}
_VERDICT_ORDER = {name: place for place, name in enumerate(VERDICT_TITLES)}


def _measure_column(spec: MeasureSpec) -> dict[str, Any]:
    return number_column(
        spec.name, spec.title, headerTooltip=spec.question, width=_WIDTHS.get(spec.name, 118)
    )


_MEASURES = {spec.name: spec for spec in MEASURES}
SCORE_COLUMNS = (
    text_column("signal", "signal", pinned="left", width=196, cellClass="is-code", tooltipField="title"),
    chip_column("verdict", "verdict", width=140),
    number_column("rank", "rank", width=74),
    *(_measure_column(_MEASURES[name]) for name in _FIRST_MEASURES),
    text_column("conditions", "conditions", width=260, cellClass="is-code"),
    *(_measure_column(spec) for spec in MEASURES if spec.name not in _FIRST_MEASURES),
)


def score_rows(card: Scorecard) -> list[dict[str, Any]]:
    """One row per signal, in the scorecard's order."""
    return [_row(score) for score in card.signals]


def _row(score: SignalScore) -> dict[str, Any]:
    spec = find_signal(score.column.signal)
    cells: dict[str, Any] = {
        "id": score.signal,
        "signal": score.signal,
        "title": spec.title if spec else score.column.signal,
        "verdict": score.verdict,
        "verdict_text": VERDICT_TITLES[score.verdict],
        "verdict_order": _VERDICT_ORDER[score.verdict],
        "rank": score.rank,
        "rank_text": "is the load" if score.identity else str(score.rank or MISSING),
        "conditions": ", ".join(c.code for c in score.conditions),
    }
    for measure in MEASURES:
        cells.update(_cells(measure, score.measures.get(measure.name)))
    return cells


def _cells(measure: MeasureSpec, estimate: Estimate | None) -> dict[str, Any]:
    name = measure.name
    if estimate is None:
        return {name: None, f"{name}_text": MISSING}
    if not estimate.determined:
        return {name: None, f"{name}_text": "undetermined", f"{name}_note": estimate.reason}
    return {
        name: estimate.value,
        f"{name}_text": quantity(estimate.value, measure.unit),
        f"{name}_range": range_text(estimate, measure.unit),
        f"{name}_note": estimate.reason,
    }


def load_lines(card: Scorecard) -> list[Component]:
    """The load of each pool in words."""
    return [html.Span(_load_line(choice), className="load-line") for choice in card.loads] + [
        html.Span(f"tick {quantity(card.tick_s, 's')}", className="load-line")
    ]


def _load_line(choice: LoadChoice) -> str:
    served = " (served, not asked for)" if choice.kind == "served" else ""
    ready = "" if choice.ready_column else ", instances taken as constant"
    return f"{choice.pool}: {choice.title}{served}{ready}"


def score_title(score: SignalScore) -> list[Component]:
    """Name, meaning and verdict of a signal."""
    spec = find_signal(score.column.signal)
    return [
        html.H2([html.Code(score.signal), " ", verdict_chip(score.verdict)]),
        html.P(f"{spec.title}: {spec.measures}" if spec else "", className="note"),
    ]


def reason_block(score: SignalScore) -> Component:
    """Why the verdict, what to know before using the signal, and findings about it."""
    spec = find_signal(score.column.signal)
    subject = spec.title if spec else score.column.signal
    subject = subject[:1].upper() + subject[1:]
    parts: list[Component] = [
        html.Div([html.H3("Why"), html.Ul(remark_list(score.reasons, subject=subject))]),
    ]
    if score.conditions:
        conditions = remark_list(score.conditions, subject=subject)
        parts.append(html.Div([html.H3("On condition"), html.Ul(conditions)]))
    if score.findings:
        parts.append(html.Div([html.H3("Findings"), finding_list(score.findings)]))
    return html.Div(parts, className="reasons")


def measure_table(score: SignalScore) -> Component:
    """Every measure with the question it answers, its interval, or why it is missing."""
    rows = []
    for measure in MEASURES:
        estimate = score.measures.get(measure.name)
        if estimate is None:
            continue
        value = quantity(estimate.value, measure.unit)
        undetermined = "" if estimate.determined else "undetermined"
        remark = ": ".join(filter(None, (undetermined, estimate.reason)))
        rows.append([measure.title, value, range_text(estimate, measure.unit), measure.question, remark])
    heads = (
        Head("measure"),
        Head("value", "number"),
        Head("95 % interval", "number"),
        Head("question"),
        Head("remark"),
    )
    return plain_table(heads, rows, label=f"Measures of {score.signal}")
