"""A signal against load over time."""

from __future__ import annotations

import plotly.graph_objects as go

from signals.catalog import find_signal
from signals.plots.axes import escape, times, unit_axis
from signals.plots.downsample import MAX_POINTS, Window, downsample, downsample_steps
from signals.plots.stack import Row, row_axis, stack_rows
from signals.plots.theme import Theme, empty_figure, palette, pool_color, soft
from signals.study.score import SignalDetail

__all__ = ["plot_timeline"]


def plot_timeline(
    detail: SignalDetail,
    *,
    theme: Theme,
    window: Window | None = None,
    max_points: int = MAX_POINTS,
) -> go.Figure:
    """Load above, the signal below, and the pool's ready instances where they are known.

    Answers: does the signal move when load moves?

    Args:
        detail: curves of the signal.
        theme: light or dark.
        window: draw only this time range, in full detail again.
        max_points: largest number of points per line.

    Returns:
        One trace per row: `load`, the signal's name, `ready`.
    """
    if detail.series.is_empty():
        return empty_figure("no ticks in this time range", theme)
    column = detail.score.column
    spec = find_signal(column.signal)
    title = spec.title if spec else column.signal
    knows_ready = detail.series["ready"].null_count() < detail.series.height
    rows = [
        Row(f"load: {escape(detail.load.title)}", detail.load.unit),
        Row(f"<b>{escape(column.name)}</b>: {escape(title)}", column.unit, height=130),
    ]
    if knows_ready:
        rows.append(Row(f"ready instances of {escape(column.pool)}", "count", height=60))
    figure = stack_rows(rows, theme, legend_px=0)
    figure.update_layout(showlegend=False, hoversubplots="axis")
    colors = palette(theme)
    hue = pool_color(column.pool, theme)

    load = downsample(detail.series, "tick", "load", max_points=max_points, window=window)
    figure.add_scatter(
        x=times(load["tick"]),
        y=load["load"].to_numpy(),
        name="load",
        mode="lines",
        line={"color": colors.load, "width": 1.4},
        fill="tozeroy",
        fillcolor=soft(colors.load),
        hovertemplate=unit_axis(detail.load.unit).hover_value("y"),
    )
    signal = downsample(detail.series, "tick", "signal", max_points=max_points, window=window)
    figure.add_scatter(
        x=times(signal["tick"]),
        y=signal["signal"].to_numpy(),
        name=column.name,
        mode="lines",
        line={"color": hue, "width": 1.6},
        hovertemplate=unit_axis(column.unit).hover_value("y"),
        yaxis=row_axis(1),
    )
    if knows_ready:
        ready = downsample_steps(
            detail.series, "tick", "ready", max_points=max_points, window=window
        )
        figure.add_scatter(
            x=times(ready["tick"]),
            y=ready["ready"].to_numpy(),
            name="ready",
            mode="lines",
            line={"color": hue, "width": 1.4, "shape": "hv"},
            fill="tozeroy",
            fillcolor=soft(hue),
            hovertemplate=unit_axis("count").hover_value("y"),
            yaxis=row_axis(2),
        )
    if window is not None:
        figure.update_xaxes(range=list(window))
    return figure
