"""One measure of all signals, with its intervals: a forest plot."""

from __future__ import annotations

from dataclasses import dataclass

import plotly.graph_objects as go

from signals.plots.axes import axis_title, escape, unit_axis
from signals.plots.scorecard import VERDICT_TITLES, as_ratio
from signals.plots.theme import (
    VERDICT_SYMBOLS,
    Theme,
    empty_figure,
    new_figure,
    palette,
    soft,
    verdict_color,
)
from signals.schema import Estimate
from signals.study.score import MEASURES, Scorecard, SignalScore, Verdict
from signals.units import format_quantity

__all__ = ["plot_forest"]

_TITLES = {spec.name: spec for spec in MEASURES}
_SHOWN_CHARS = 22
"""Of a reason in a row: what a phone has room for beside the names; the whole is shown on hover."""
_BEYOND = 1.08
"""Room beyond the outermost mark, as a share of the span."""
_MOST_SPREAD = 1.5
"""Spans of the values that intervals may add on each side; longer ones leave the axis."""


@dataclass(frozen=True, slots=True)
class _Guide:
    """What to compare values with: a line, and a band of what a ratio rule wants."""

    line: float
    band: tuple[float, float] | None = None


_GUIDES = {
    "lag_s": _Guide(0.0, (0.0, 60.0)),
    "elasticity": _Guide(1.0, (0.8, 1.25)),
    "capacity_error": _Guide(0.0, (0.0, as_ratio(0.15))),
}


def plot_forest(scorecard: Scorecard, *, measure: str, theme: Theme) -> go.Figure:
    """A measure of every signal with its 95 % interval, one row per signal, coloured by verdict.

    Answers: which signals differ in this measure by more than chance?

    Args:
        scorecard: scores in display order.
        measure: name of one of `MEASURES`.
        theme: light or dark.

    Returns:
        One trace per verdict that occurs, on an axis in the measure's unit (errors in per cent); a band marks
        what a ratio rule wants of it. A signal without a settled value has a row that says why.
    """
    scores = scorecard.signals
    if not scores:
        return empty_figure("no signal to score", theme)
    known = [s for s in scores if _settled(s.measures.get(measure))]
    figure = new_figure(theme, height=112 + 22 * len(scores), legend_drop_px=62)
    figure.update_layout(hovermode="closest")
    for verdict in VERDICT_TITLES:
        group = [s for s in known if s.verdict == verdict]
        if group:
            _add_verdict(figure, verdict, group, measure, theme)
    for score in scores:
        if score not in known:
            _explain(figure, score, measure, theme)
    _draw_guide(figure, measure, theme)
    _set_axes(figure, scores, known, measure)
    return figure


def _settled(estimate: Estimate | None) -> bool:
    return estimate is not None and estimate.value is not None and estimate.determined


def _shown(value: float, measure: str) -> float:
    return as_ratio(value) if _TITLES[measure].unit == "ln" else value


def _ends(estimate: Estimate, measure: str) -> tuple[float, float, float]:
    """Low end, value and high end as drawn; a missing end is the value."""
    at = _shown(estimate.value or 0.0, measure)
    low = at if estimate.low is None else _shown(estimate.low, measure)
    high = at if estimate.high is None else _shown(estimate.high, measure)
    return low, at, high


def _add_verdict(
    figure: go.Figure, verdict: Verdict, group: list[SignalScore], measure: str, theme: Theme
) -> None:
    color = verdict_color(verdict, theme)
    ends = [_ends(s.measures[measure], measure) for s in group]
    figure.add_scatter(
        x=[at for _, at, _ in ends],
        y=[s.signal for s in group],
        name=VERDICT_TITLES[verdict],
        mode="markers",
        marker={"symbol": VERDICT_SYMBOLS[verdict], "size": 9, "color": color},
        error_x={
            "type": "data",
            "symmetric": False,
            "array": [high - at for _, at, high in ends],
            "arrayminus": [at - low for low, at, _ in ends],
            "color": color,
            "thickness": 1.6,
            "width": 0,
        },
        customdata=[_hover(s.measures[measure], measure) for s in group],
        hovertemplate="<b>%{y}</b><br>%{customdata}<extra></extra>",
    )


def _hover(estimate: Estimate, measure: str) -> str:
    ends = [_text(end, measure) for end in _ends(estimate, measure)]
    interval = "" if estimate.low is None else f"<br>95 %: {ends[0]} to {ends[2]}"
    return f"{_TITLES[measure].title} {ends[1]}{interval}"


def _text(value: float, measure: str) -> str:
    unit = _TITLES[measure].unit
    if unit in {"ln", "ratio"}:
        return f"{value * 100:.3g} %"
    return format_quantity(value, unit).strip() if unit else f"{value:.3g}"


def _explain(figure: go.Figure, score: SignalScore, measure: str, theme: Theme) -> None:
    estimate = score.measures.get(measure)
    text = estimate.reason if estimate is not None and estimate.reason else "not known"
    short = text if len(text) <= _SHOWN_CHARS else f"{text[: _SHOWN_CHARS - 1]}…"
    figure.add_annotation(
        text=escape(short),
        hovertext=escape(text),
        x=0,
        xref="paper",
        xanchor="left",
        xshift=6,
        y=score.signal,
        showarrow=False,
        font={"size": 11, "color": palette(theme).muted},
    )


def _draw_guide(figure: go.Figure, measure: str, theme: Theme) -> None:
    guide, colors = _GUIDES.get(measure), palette(theme)
    if guide is None:
        return
    if guide.band is not None:
        low, high = guide.band
        figure.add_vrect(
            x0=low, x1=high, fillcolor=soft(colors.proportional), line_width=0, layer="below"
        )
    figure.add_vline(x=guide.line, line={"color": colors.rule, "width": 1}, layer="below")


def _set_axes(
    figure: go.Figure, scores: tuple[SignalScore, ...], known: list[SignalScore], measure: str
) -> None:
    spec = _TITLES[measure]
    look = unit_axis("ratio" if spec.unit == "ln" else spec.unit)
    figure.update_xaxes(
        title_text=axis_title(spec.title, "ratio" if spec.unit == "ln" else spec.unit),
        range=_range([_ends(s.measures[measure], measure) for s in known], _GUIDES.get(measure)),
        showgrid=True,
        nticks=6,
        tickangle=0,
        **{**look.ticks(), "tickformat": "~%" if look.shown == "%" else ",~r", "ticksuffix": ""},
    )
    figure.update_yaxes(
        categoryorder="array",
        categoryarray=[s.signal for s in reversed(scores)],
        range=[-0.7, len(scores) - 0.3],
        tickmode="array",
        tickvals=[s.signal for s in scores],
        ticktext=[escape(s.signal) + (" (load)" if s.identity else "") for s in scores],
        showgrid=False,
    )


def _range(ends: list[tuple[float, float, float]], guide: _Guide | None) -> list[float] | None:
    """Around all values and their intervals, except where one interval would flatten all the others."""
    values = [at for _, at, _ in ends]
    if guide is not None:
        values += [guide.line, *(guide.band or ())]
    if not values:
        return None
    first, last = min(values), max(values)
    spread = (last - first) or abs(last) or 1.0
    low = max(min([first, *(end for end, _, _ in ends)]), first - _MOST_SPREAD * spread)
    high = min(max([last, *(end for _, _, end in ends)]), last + _MOST_SPREAD * spread)
    margin = (high - low) * (_BEYOND - 1) / 2
    return [low - margin, high + margin]
