"""Correlation of a signal with load against the lag between them."""

from __future__ import annotations

import plotly.graph_objects as go

from signals.plots.notes import note_above
from signals.plots.theme import Theme, empty_figure, new_figure, palette, pool_color, soft
from signals.schema import Estimate
from signals.study.score import SignalDetail
from signals.units import format_quantity

__all__ = ["describe_lag", "plot_lag"]


def plot_lag(detail: SignalDetail, *, theme: Theme) -> go.Figure:
    """The correlation at every lag tried, the peak and its 95 % interval.

    Answers: how long after load moves does the signal move?

    Args:
        detail: curves of the signal.
        theme: light or dark.

    Returns:
        Traces `correlation` and, where the lag is determined, `peak`; the interval is a shaded band. Dashed
        lines bound the correlations that chance alone makes of lags as many as were tried, 95 times of 100.
    """
    curve = detail.lag_curve
    if curve.is_empty():
        return empty_figure("no lag could be tried: too few ticks", theme)
    colors = palette(theme)
    hue = pool_color(detail.score.column.pool, theme)
    figure = new_figure(theme, height=300)
    figure.update_layout(showlegend=False, hovermode="closest")
    figure.add_scatter(
        x=curve["lag_s"].to_numpy(),
        y=curve["correlation"].to_numpy(),
        name="correlation",
        mode="lines",
        line={"color": hue, "width": 1.8},
        hovertemplate="lag %{x:,.4~r} s<br>r = %{y:.3f}<extra></extra>",
    )
    figure.add_hline(y=0, line={"color": colors.rule, "width": 1})
    figure.add_vline(x=0, line={"color": colors.rule, "width": 1, "dash": "dot"})
    lag = detail.score.measures.get("lag_s")
    if lag is not None and lag.value is not None and lag.determined:
        _mark_peak(figure, detail, lag, hue)
    note_above(figure, describe_lag(lag), theme)
    _add_chance(figure, detail.extra.get("least_correlation"), theme)
    figure.update_xaxes(
        title_text="lag of the signal behind load (s)", tickformat=",~r", showgrid=True
    )
    figure.update_yaxes(title_text="correlation with load (r)", tickformat=".2~f")
    return figure


def _add_chance(figure: go.Figure, least: float | None, theme: Theme) -> None:
    """Lines between which a correlation is not significant; none where that is all there is to see."""
    if least is None or least >= 1:
        return
    colors = palette(theme)
    for sign in (-1, 1):
        figure.add_hline(y=sign * least, line={"color": colors.rule, "width": 1, "dash": "dash"})
    figure.add_annotation(
        text="significant beyond the dashed lines",
        x=1,
        xref="paper",
        xanchor="right",
        y=least,
        yanchor="bottom",
        showarrow=False,
        font={"size": 11, "color": colors.muted},
    )


def _mark_peak(figure: go.Figure, detail: SignalDetail, lag: Estimate, hue: str) -> None:
    if lag.low is not None and lag.high is not None:
        figure.add_vrect(x0=lag.low, x1=lag.high, fillcolor=soft(hue), line_width=0, layer="below")
    at_peak = detail.lag_curve.row(detail.lag_curve["correlation"].arg_max() or 0, named=True)
    figure.add_scatter(
        x=[lag.value],
        y=[at_peak["correlation"]],
        name="peak",
        mode="markers",
        marker={"color": hue, "size": 9},
        hovertemplate="peak at %{x:,.3~r} s<br>r = %{y:.3f}<extra></extra>",
    )


def describe_lag(lag: Estimate | None) -> str:
    """The lag in words, with its interval; says so where the data do not settle it."""
    if lag is None or lag.value is None:
        return "lag unknown" + (f": {lag.reason}" if lag and lag.reason else "")
    if not lag.determined:
        return "lag undetermined" + (f": {lag.reason}" if lag.reason else "")
    size = format_quantity(abs(lag.value), "s")
    if lag.low is not None and lag.high is not None and lag.low <= 0 <= lag.high:
        text = "no lag to speak of"
    elif lag.value >= 0:
        text = f"signal trails load by {size}"
    else:
        text = f"signal runs ahead of load by {size}"
    if lag.low is None or lag.high is None:
        return text
    low, high = (format_quantity(end, "s") for end in (lag.low, lag.high))
    return f"{text} (95 %: {low} to {high})"
