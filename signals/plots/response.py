"""The response of a signal to load per instance."""

from __future__ import annotations

import plotly.graph_objects as go
import polars as pl

from signals.catalog import find_signal
from signals.plots.axes import axis_title, unit_axis
from signals.plots.notes import Gap, note_above, why_not
from signals.plots.theme import Theme, empty_figure, new_figure, palette, pool_color, soft
from signals.study.score import SignalDetail
from signals.units import format_quantity

__all__ = ["describe_response", "plot_response"]

_TOLD_HYSTERESIS = 0.01
"""Share of the span below which rising and falling load are not told apart in words."""
_TOO_FEW = Gap(
    "elasticity", "no response curve", "too few ticks on which both signal and load are known"
)


def plot_response(detail: SignalDetail, *, theme: Theme, max_points: int = 800) -> go.Figure:
    """The signal against load per instance: ticks, bin means, monotone fit, proportional line, knee, plateaus.

    Answers: does the signal move in proportion to load, as a ratio rule takes for granted? Where does it bend, where
    is it pinned, and does the way up differ from the way down?

    Args:
        detail: curves of the signal.
        theme: light or dark.
        max_points: largest number of ticks drawn; with more, every k-th is.

    Returns:
        Traces `ticks`, `proportional` (through the origin and the middle of the bins), `fit`, `load rising` and
        `load falling` where load does both, `bin means`; the knee is a line, plateaus are shaded.
    """
    if detail.response.is_empty():
        return empty_figure(why_not(detail.score, _TOO_FEW), theme)
    column, colors = detail.score.column, palette(theme)
    hue = pool_color(column.pool, theme)
    spec = find_signal(column.signal)
    x_look, y_look = unit_axis(detail.load.unit), unit_axis(column.unit)
    hover = f"load {x_look.hover_value('x')}<br>signal {y_look.hover_value('y')}<extra></extra>"
    points = detail.points.gather_every(max(1, -(-detail.points.height // max_points)))
    figure = new_figure(theme, height=380)
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
    _add_branches(figure, detail.branches, hue)
    figure.add_scatter(
        x=detail.response["load_per_instance"].to_numpy(),
        y=detail.response["signal"].to_numpy(),
        name="bin means",
        mode="markers",
        marker={"color": hue, "size": 7, "line": {"color": colors.paper, "width": 1}},
        customdata=detail.response["count"].to_numpy(),
        hovertemplate=hover.replace("<extra>", "<br>%{customdata} ticks<extra>"),
    )
    _shade_plateaus(figure, detail, theme)
    note_above(figure, describe_response(detail), theme)
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


def _add_branches(figure: go.Figure, branches: pl.DataFrame, hue: str) -> None:
    """The response on the way up and on the way down, thin."""
    if branches.is_empty():
        return
    for trend, dash in (("rising", "dot"), ("falling", "dashdot")):
        part = branches.filter(pl.col("trend") == trend)
        if part.is_empty():
            continue
        figure.add_scatter(
            x=part["load_per_instance"].to_numpy(),
            y=part["signal"].to_numpy(),
            name=f"load {trend}",
            mode="lines",
            line={"color": hue, "width": 1.3, "dash": dash},
            hoverinfo="skip",
        )


def _shade_plateaus(figure: go.Figure, detail: SignalDetail, theme: Theme) -> None:
    """Shade the loads at which the response is flat, and draw a line where it bends."""
    colors = palette(theme)
    lower, upper = (detail.extra.get(f"{end}_plateau") for end in ("lower", "upper"))
    reach = float(detail.fit["load_per_instance"].max() or 0.0)  # type: ignore[arg-type]
    bands = [(0.0, lower)] if lower is not None else []
    bands += [(upper, max(upper, reach))] if upper is not None else []
    for first, last in bands:
        figure.add_vrect(
            x0=first, x1=last, fillcolor=soft(colors.unusable), line_width=0, layer="below"
        )
    knee = detail.score.measures.get("knee")
    if knee is not None and knee.value is not None:
        figure.add_vline(x=knee.value, line={"color": colors.ink, "width": 1.2, "dash": "dot"})


def describe_response(detail: SignalDetail) -> str:
    """Elasticity, knee, plateaus and hysteresis in words, as far as there are such."""
    measures = detail.score.measures
    values = {
        name: estimate.value
        for name, estimate in measures.items()
        if estimate.value is not None and estimate.determined
    }
    parts = []
    if "elasticity" in values:
        parts.append(f"moves by {values['elasticity']:.2f} % when load moves by 1 %")
    if "knee" in values:
        at = format_quantity(values["knee"], detail.load.unit)
        parts.append(f"knee at {at} (dotted line)")
    if values.get("saturation_ratio", 0.0) > 0:
        parts.append(f"flat {values['saturation_ratio'] * 100:.3g} % of the time (shaded)")
    if abs(values.get("hysteresis", 0.0)) >= _TOLD_HYSTERESIS:
        gap = abs(values["hysteresis"]) * 100
        side = "lower" if values["hysteresis"] < 0 else "higher"
        parts.append(f"{gap:.2g} % of its span {side} on rising load")
    return "; ".join(parts) or "response not settled"


def _reference_slope(response: pl.DataFrame) -> float:
    """Slope of the line from the origin through the bins' middle, signal per load."""
    load, signal = (response[name].median() for name in ("load_per_instance", "signal"))
    return float(signal) / float(load) if load and signal else 0.0  # type: ignore[arg-type]
