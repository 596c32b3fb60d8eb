"""The response of a signal to load per instance."""

from __future__ import annotations

import plotly.graph_objects as go
import polars as pl

from signals.catalog import find_signal
from signals.plots.axes import axis_title, unit_axis
from signals.plots.theme import Theme, empty_figure, new_figure, palette, pool_color, soft
from signals.study.score import SignalDetail

__all__ = ["plot_response"]


def plot_response(detail: SignalDetail, *, theme: Theme, max_points: int = 800) -> go.Figure:
    """The signal against load per instance: ticks, means of equal-count bins, monotone fit, proportional line.

    Answers: does the signal move in proportion to load, as a ratio rule takes for granted?

    Args:
        detail: curves of the signal.
        theme: light or dark.
        max_points: largest number of ticks drawn; with more, every k-th is.

    Returns:
        Traces `ticks`, `proportional` (through the origin and the middle of the bins), `fit`, `bin means`.
    """
    if detail.response.is_empty():
        return empty_figure("no response curve: too few ticks with both signal and load", theme)
    column, colors = detail.score.column, palette(theme)
    hue = pool_color(column.pool, theme)
    spec = find_signal(column.signal)
    x_look, y_look = unit_axis(detail.load.unit), unit_axis(column.unit)
    hover = f"load {x_look.hover_value('x')}<br>signal {y_look.hover_value('y')}<extra></extra>"
    points = detail.points.gather_every(max(1, -(-detail.points.height // max_points)))
    figure = new_figure(theme, height=340)
    figure.update_layout(hovermode="closest")
    figure.add_scatter(
        x=points["load_per_instance"].to_numpy(),
        y=points["signal"].to_numpy(),
        name="ticks",
        mode="markers",
        marker={"color": soft(colors.load, "dot"), "size": 4},
        hovertemplate=hover,
    )
    reach = float(detail.response["load_per_instance"].max() or 0.0)  # type: ignore[arg-type]
    figure.add_scatter(
        x=[0.0, reach],
        y=[0.0, reach * _reference_slope(detail.response)],
        name="proportional",
        mode="lines",
        line={"color": colors.rule, "width": 1.4, "dash": "dash"},
        hoverinfo="skip",
    )
    figure.add_scatter(
        x=detail.fit["load_per_instance"].to_numpy(),
        y=detail.fit["signal"].to_numpy(),
        name="fit",
        mode="lines",
        line={"color": hue, "width": 2},
        hoverinfo="skip",
    )
    figure.add_scatter(
        x=detail.response["load_per_instance"].to_numpy(),
        y=detail.response["signal"].to_numpy(),
        name="bin means",
        mode="markers",
        marker={"color": hue, "size": 7, "line": {"color": colors.paper, "width": 1}},
        customdata=detail.response["count"].to_numpy(),
        hovertemplate=hover.replace("<extra>", "<br>%{customdata} ticks<extra>"),
    )
    title = spec.title if spec else column.signal
    figure.update_xaxes(
        title_text=axis_title(
            "load per instance" if detail.extra.get("per_instance", 1.0) else "load",
            detail.load.unit,
        ),
        rangemode="tozero",
        showgrid=True,
        **x_look.ticks(),
    )
    figure.update_yaxes(
        title_text=axis_title(title, column.unit), rangemode="tozero", **y_look.ticks()
    )
    return figure


def _reference_slope(response: pl.DataFrame) -> float:
    """Slope of the line from the origin through the bins' middle, signal per load."""
    load, signal = (response[name].median() for name in ("load_per_instance", "signal"))
    return float(signal) / float(load) if load and signal else 0.0  # type: ignore[arg-type]
