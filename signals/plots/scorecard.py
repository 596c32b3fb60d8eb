"""The scorecard as a dot plot: one row per signal, its capacity error with the interval, coloured by verdict."""

from __future__ import annotations

import math

import plotly.graph_objects as go

from signals.plots.axes import escape
from signals.plots.theme import (
    VERDICT_SYMBOLS,
    Theme,
    empty_figure,
    new_figure,
    palette,
    verdict_color,
)
from signals.schema import Estimate
from signals.study.score import Scorecard, SignalScore, Verdict

__all__ = ["VERDICT_TITLES", "as_ratio", "plot_scorecard"]

VERDICT_TITLES: dict[Verdict, str] = {
    "proportional": "proportional",
    "feedback": "feedback only",
    "unusable": "unusable",
    "insufficient_data": "insufficient data",
}

_FLOOR = 0.001
"""Smallest error that the logarithmic axis ever shows; smaller ones sit on its left edge."""
_USUAL_FLOOR = 0.01
_CEILING = 10.0
_TICKS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0)
_FEW_TICKS = (0.001, 0.01, 0.1, 1.0, 10.0)
"""For the longer axis, so that labels stay apart on a phone."""


def plot_scorecard(scorecard: Scorecard, *, theme: Theme) -> go.Figure:
    """Capacity error of every signal on a logarithmic axis; the calibrated error as a hollow mark.

    Answers: which signal sizes the fleet best, and how sure is that?

    Args:
        scorecard: scores in display order.
        theme: light or dark.

    Returns:
        One trace per verdict that occurs, then `for a controller that knows the curve`; signals without an
        estimate have a row without a mark that says why.
    """
    scores = scorecard.signals
    if not scores:
        return empty_figure("no signal to score", theme)
    colors = palette(theme)
    figure = new_figure(theme, height=112 + 22 * len(scores), legend_drop_px=62)
    known = [s for s in scores if _error(s) is not None]
    floor = _first(known)
    ticks = _TICKS if floor == _USUAL_FLOOR else _FEW_TICKS
    for verdict in VERDICT_TITLES:
        group = [s for s in known if s.verdict == verdict]
        if group:
            _add_verdict(figure, verdict, group, theme, floor)
    calibrated = [
        (s, e) for s in known if (e := _value(s, "capacity_error_calibrated")) is not None
    ]
    if calibrated:
        figure.add_scatter(
            x=[_shown(e, floor) for _, e in calibrated],
            y=[s.signal for s, _ in calibrated],
            name="for a controller that knows the curve",
            mode="markers",
            marker={"symbol": "line-ns-open", "size": 10, "color": colors.muted},
            customdata=[as_ratio(e) for _, e in calibrated],
            hovertemplate="%{y}<br>calibrated %{customdata:.3~%}<extra></extra>",
        )
    for score in scores:
        if _error(score) is None:
            _explain(figure, score, theme)
    figure.update_xaxes(
        type="log",
        range=[math.log10(floor * 0.9), math.log10(_last(known))],
        title_text="capacity error (%)",
        tickvals=ticks,
        ticktext=[f"{tick * 100:g} %" for tick in ticks],
        tickangle=0,
        showgrid=True,
    )
    figure.update_yaxes(
        categoryorder="array",
        categoryarray=[s.signal for s in reversed(scores)],
        range=[-0.7, len(scores) - 0.3],
        tickmode="array",
        tickvals=[s.signal for s in scores],
        ticktext=[escape(s.signal) + (" (load)" if s.identity else "") for s in scores],
        title_text="",
        showgrid=False,
    )
    return figure


def _first(known: list[SignalScore]) -> float:
    """Left end of the axis: 1 %, or 0.1 % where a signal that is not the load beats that."""
    errors = [e for s in known if not s.identity and (e := _error(s)) is not None]
    return _FLOOR if errors and as_ratio(min(errors)) < _USUAL_FLOOR else _USUAL_FLOOR


def _last(known: list[SignalScore]) -> float:
    """Right end of the axis: beyond the worst signal, at least 100 %."""
    worst = max((e for s in known if (e := _error(s)) is not None), default=0.0)
    return min(max(as_ratio(worst) * 1.6, 1.1), _CEILING * 1.05)


def as_ratio(error: float) -> float:
    """A capacity error in log units as people are shown it: how far off the instance count is, as a ratio."""
    return math.expm1(min(error, 50.0))


def _value(score: SignalScore, measure: str) -> float | None:
    estimate = score.measures.get(measure)
    return None if estimate is None else estimate.value


def _error(score: SignalScore) -> float | None:
    return _value(score, "capacity_error")


def _shown(error: float, floor: float) -> float:
    return min(max(as_ratio(error), floor), _CEILING)


def _add_verdict(
    figure: go.Figure, verdict: Verdict, group: list[SignalScore], theme: Theme, floor: float
) -> None:
    estimates = [s.measures["capacity_error"] for s in group]
    at = [_shown(e.value or 0.0, floor) for e in estimates]
    color = verdict_color(verdict, theme)
    figure.add_scatter(
        x=at,
        y=[s.signal for s in group],
        name=VERDICT_TITLES[verdict],
        mode="markers",
        cliponaxis=False,
        marker={"symbol": VERDICT_SYMBOLS[verdict], "size": 10, "color": color},
        error_x={
            "type": "data",
            "symmetric": False,
            "array": [_reach(e, e.high, x, floor) for e, x in zip(estimates, at, strict=True)],
            "arrayminus": [_reach(e, e.low, x, floor) for e, x in zip(estimates, at, strict=True)],
            "color": color,
            "thickness": 1.5,
            "width": 0,
        },
        customdata=[_hover(s, e) for s, e in zip(group, estimates, strict=True)],
        hovertemplate="<b>%{y}</b><br>%{customdata}<extra></extra>",
    )


def _reach(estimate: Estimate, end: float | None, at: float, floor: float) -> float:
    return 0.0 if end is None or estimate.value is None else abs(_shown(end, floor) - at)


def _hover(score: SignalScore, estimate: Estimate) -> str:
    text = f"{VERDICT_TITLES[score.verdict]}<br>capacity error {_percent(estimate.value)}"
    if estimate.low is not None and estimate.high is not None:
        text += f" (95 %: {_percent(estimate.low)} to {_percent(estimate.high)})"
    return text + ("<br>this signal is the load itself" if score.identity else "")


def _percent(error: float | None) -> str:
    return "–" if error is None else f"{as_ratio(error) * 100:.3g} %"


def _explain(figure: go.Figure, score: SignalScore, theme: Theme) -> None:
    estimate = score.measures.get("capacity_error")
    reason = estimate.reason if estimate and estimate.reason else VERDICT_TITLES[score.verdict]
    figure.add_annotation(
        text=escape(reason if len(reason) <= 34 else reason[:33] + "…"),
        x=0,
        xref="paper",
        xanchor="left",
        xshift=6,
        y=score.signal,
        showarrow=False,
        font={"size": 11, "color": palette(theme).muted},
    )
