"""A scorecard as grid rows, and one score as title, sentences and a table of measures."""

from __future__ import annotations

from typing import Any, get_args

from dash import html
from dash.development.base_component import Component

from dashboard.components.findings import finding_list, remark_list
from dashboard.components.grid import chip_column, number_column, on_phone, text_column
from dashboard.components.table import Head, plain_table
from dashboard.components.verdict import verdict_chip
from signals.catalog import find_signal
from signals.report.advice import advice_lines, advice_of, band_text, control_text, target_text
from signals.report.answer import accepted_conditions, recommended
from signals.report.words import (
    MISSING,
    interval_text,
    lag_words,
    quantity,
    remark_sentence,
    value_text,
    verdict_title,
)
from signals.schema import SERVICE_POOL, Estimate
from signals.study.score import MEASURES, LoadChoice, MeasureSpec, Scorecard, SignalScore, Verdict

__all__ = [
    "SCORE_COLUMNS",
    "answer_tiles",
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
_WIDTHS = {"lag_s": 142, "coverage": 98, "proportionality": 150, "capacity_error_calibrated": 142}
_ON_PHONE = {
    "capacity_error": on_phone(width=92, place=1),
    "lag_s": on_phone(width=88, place=2),
}
_VERDICT_ORDER = {name: place for place, name in enumerate(get_args(Verdict))}


def _measure_column(spec: MeasureSpec) -> dict[str, Any]:
    return number_column(
        spec.name,
        spec.title,
        headerTooltip=spec.question,
        width=_WIDTHS.get(spec.name, 118),
        **_ON_PHONE.get(spec.name, {}),
    )


_MEASURES = {spec.name: spec for spec in MEASURES}
SCORE_COLUMNS = (
    text_column(
        "signal",
        "signal",
        pinned="left",
        width=190,
        cellRenderer="Signal",
        tooltipField="title",
        **on_phone(width=150),
    ),
    chip_column("verdict", "verdict", width=140, **on_phone(width=0)),
    number_column("rank", "rank", width=106),
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
        "pool": score.column.pool,
        "name": score.column.signal,
        "title": spec.title if spec else score.column.signal,
        "verdict": score.verdict,
        "verdict_text": verdict_title(score.verdict),
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
    settled = estimate is not None and estimate.determined
    return {
        name: estimate.value if estimate is not None and settled else None,
        f"{name}_text": value_text(name, estimate),
        f"{name}_range": interval_text(name, estimate) if settled else "",
        f"{name}_note": estimate.reason if estimate is not None else "",
    }


def answer_tiles(card: Scorecard) -> Component:
    """The signal to scale each pool on, with the figures that matter most."""
    pools = [choice.pool for choice in card.loads]
    # What belongs to the service as a whole is nothing to scale, unless nothing else is known.
    scaled = [pool for pool in pools if pool != SERVICE_POOL] or pools
    return html.Div([_tile(card, pool) for pool in scaled], className="tiles")


def _tile(card: Scorecard, pool: str) -> Component:
    name = "the service" if pool == SERVICE_POOL else pool
    score = recommended(card, pool=pool)
    accepted = accepted_conditions(score) if score else []
    words = f"Closest to what {name} needs" if accepted else f"Scale {name} on"
    title = html.Span(words, className="tile-title")
    if score is None:
        return html.Div(
            [
                title,
                html.Span(_no_signal(card, pool), className="tile-value"),
                *_behind(card, pool),
            ],
            className="tile",
        )
    error = value_text("capacity_error", score.measures.get("capacity_error"))
    return html.Div(
        [
            title,
            html.Code(score.signal, className="tile-value"),
            *_target_lines(card, score),
            html.Span(f"{lag_words(score)}, orders {error} off on average", className="quiet"),
            *(html.Span(remark_sentence(condition), className="quiet") for condition in accepted),
            *_behind(card, score.column.pool),
        ],
        className="tile" if accepted else "tile tile-good",
    )


def _target_lines(card: Scorecard, score: SignalScore) -> list[Component]:
    """The value to hold, over which window, and what came second."""
    advice = advice_of(card, score.column.pool)
    if advice is None or advice.signal != score.signal:
        return []
    band, second = band_text(advice), advice.runner_up
    held = f"hold it at {target_text(advice)}" + (f" (95 %: {band})" if band else "")
    rule = f"averaged over {quantity(advice.window_s, 's')}, {control_text(advice)}"
    second_line = f"before {second.signal}: {second.text}" if second else ""
    return [
        html.Span(held, className="tile-target"),
        html.Span(rule, className="quiet"),
        *([html.Span(second_line, className="quiet")] if second else []),
    ]


def _behind(card: Scorecard, pool: str) -> list[Component]:
    """What stands behind the recommendation of a pool, on demand."""
    advice = advice_of(card, pool)
    if advice is None:
        return []
    lines = [html.P(line, className="quiet") for line in advice_lines(card, advice)]
    return [html.Details([html.Summary("Why, and what it does not know"), *lines])]


def _no_signal(card: Scorecard, pool: str) -> str:
    own = (s.signal for s in card.signals if s.identity and s.column.pool == pool)
    load = next(own, "")
    return f"nothing beside {load}, the load itself" if load else "no signal in proportion to load"


def load_lines(card: Scorecard) -> list[Component]:
    """The load of each pool in words."""
    lines = [*(_load_line(choice) for choice in card.loads), f"tick {quantity(card.tick_s, 's')}"]
    return [html.Span(line, className="load-line") for line in lines]


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
    parts = [html.Div([html.H3("Why"), remark_list(score.reasons)])]
    if score.conditions:
        parts.append(html.Div([html.H3("To know before using it"), remark_list(score.conditions)]))
    if score.findings:
        parts.append(html.Div([html.H3("Findings"), finding_list(score.findings)]))
    return html.Div(parts, className="reasons")


def measure_table(score: SignalScore) -> Component:
    """Every measure with the question it answers, its interval, or why it is missing."""
    rows = [
        [
            measure.title,
            value_text(measure.name, estimate),
            interval_text(measure.name, estimate),
            measure.question,
            estimate.reason,
        ]
        for measure in MEASURES
        if (estimate := score.measures.get(measure.name)) is not None
    ]
    heads = (
        Head("measure"),
        Head("value", "number"),
        Head("95 % interval", "number"),
        Head("question", narrow="hidden"),
        Head("remark", narrow="hidden"),
    )
    return plain_table(heads, rows, label=f"Measures of {score.signal}")
