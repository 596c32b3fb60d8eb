"""What averaging a signal buys in noise and costs in lag."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go
import polars as pl

from signals.plots.notes import Gap, note_above, why_not
from signals.plots.scorecard import as_ratio
from signals.plots.theme import Theme, empty_figure, new_figure, palette, policy_color, pool_color
from signals.schema import Estimate
from signals.study.score import SignalDetail
from signals.units import format_quantity

__all__ = ["describe_window", "plot_window"]

_TOO_FEW = Gap("suggested_window_s", "no window curve", "too few held-out ticks")
_TICKS_S = (1, 2, 5, 15, 30, 60, 120, 300, 900)
_SPLIT = (0.0, 0.27, 0.40, 1.0)
"""Bottom and top of the lower and of the upper panel, as shares of the plot."""


def plot_window(detail: SignalDetail, *, theme: Theme) -> go.Figure:
    """Noise and capacity error of trailing means against their width, and below them the lag.

    Answers: over how long should the signal be averaged before a controller acts on it?

    Args:
        detail: curves of the signal.
        theme: light or dark.

    Returns:
        Traces `capacity error` and `noise` above, `lag` below (in seconds; where the lag is not settled, what
        averaging adds to it), and `suggested` on each; words where there are too few ticks.
    """
    windows = detail.windows
    if windows.is_empty() or windows["capacity_error"].is_null().all():
        return empty_figure(why_not(detail.score, _TOO_FEW), theme)
    hue = pool_color(detail.score.column.pool, theme)
    figure = new_figure(theme, height=380)
    figure.update_layout(
        hovermode="x unified",
        yaxis={"domain": list(_SPLIT[2:]), "anchor": "x"},
        yaxis2={"domain": list(_SPLIT[:2]), "anchor": "x"},
        xaxis={"anchor": "y2"},
    )
    width = windows["window_s"].to_numpy()
    error = np.array([None if e is None else as_ratio(e) for e in windows["capacity_error"]], float)
    _line(figure, width, error, "capacity error", hue, "%{y:.3~%}")
    noise = windows["noise_ratio"].to_numpy()
    _line(figure, width, noise, "noise", policy_color(1, theme), "%{y:.3~%}")
    figure.data[1].line.dash = "dash"
    name, lag = _lags(windows)
    _line(figure, width, lag, name, hue, "%{y:,.4~r} s")
    figure.data[2].update(yaxis="y2", showlegend=False)
    suggested = detail.score.measures.get("suggested_window_s")
    if suggested is not None and suggested.value is not None:
        _mark(figure, suggested.value, {"y": error, "y2": lag}, width, theme)
    note_above(figure, describe_window(suggested), theme)
    ticks = [t for t in _TICKS_S if width[0] * 0.7 <= t <= width[-1]]
    figure.update_xaxes(
        type="log",
        title_text="averaging window (s, min)",
        tickvals=ticks,
        ticktext=[format_quantity(float(t), "s") for t in ticks],
        showgrid=True,
        hoverformat=",.4~r",
        unifiedhovertitle={"text": "average over %{x} s"},
    )
    figure.update_yaxes(rangemode="tozero")
    figure.update_layout(
        yaxis={"title": {"text": "error, noise (%)"}, "tickformat": "~%"},
        yaxis2={"title": {"text": f"{name} (s)"}, "tickformat": ",~r", "nticks": 4},
    )
    return figure


def _line(
    figure: go.Figure, x: np.ndarray, y: np.ndarray, name: str, color: str, value: str
) -> None:
    figure.add_scatter(
        x=x,
        y=y,
        name=name,
        mode="lines+markers",
        line={"color": color, "width": 1.8},
        marker={"color": color, "size": 5},
        hovertemplate=value,
    )


def _lags(windows: pl.DataFrame) -> tuple[str, np.ndarray]:
    """The lag by width; half the width beyond the first where the lag itself is not settled."""
    if windows["lag_s"].null_count() < windows.height:
        return "lag", windows["lag_s"].to_numpy()
    width = windows["window_s"].to_numpy()
    return "added lag", (width - width[0]) / 2


def _mark(
    figure: go.Figure, at: float, curves: dict[str, np.ndarray], width: np.ndarray, theme: Theme
) -> None:
    ink = palette(theme).ink
    row = int(np.argmin(np.abs(width - at)))
    for axis, values in curves.items():
        figure.add_shape(
            type="line",
            x0=at,
            x1=at,
            y0=0,
            y1=1,
            yref=f"{axis} domain",
            line={"color": ink, "width": 1, "dash": "dot"},
            layer="below",
        )
        figure.add_scatter(
            x=[at],
            y=[values[row]],
            yaxis=axis,
            name="suggested",
            mode="markers",
            marker={"color": ink, "size": 10, "symbol": "circle-open", "line": {"width": 2}},
            showlegend=axis == "y",
            hoverinfo="skip",
        )


def describe_window(suggested: Estimate | None) -> str:
    """The suggested window in words, with what it changes."""
    if suggested is None or suggested.value is None:
        return "no window to suggest" + (
            f": {suggested.reason}" if suggested and suggested.reason else ""
        )
    text = f"average over {format_quantity(suggested.value, 's')}"
    ends = [suggested.extra.get(k) for k in ("one_tick_capacity_error", "capacity_error")]
    before, after = (e if isinstance(e, float) else None for e in ends)
    if before is None or after is None:
        return text
    if abs(before - after) < 1e-12:
        return f"{text}: capacity error {as_ratio(after) * 100:.3g} %"
    return f"{text}: capacity error {as_ratio(after) * 100:.3g} %, {as_ratio(before) * 100:.3g} % without"
