"""Figures on a page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from dash import dcc, html
from dash.development.base_component import Component

from dashboard.components.aria import aria
from signals.plots import PLOT_CONFIG

if TYPE_CHECKING:
    import plotly.graph_objects as go

__all__ = ["blank_figure", "figure_style", "graph", "zoom_hint"]


def graph(id: str, *, label: str, height: int) -> Component:  # noqa: A002 - Dash's own word
    """A place for a figure.

    Args:
        id: component id of the graph.
        label: what it shows, for screen readers.
        height: pixels kept free until the figure is there.

    Returns:
        The graph in its frame.
    """
    return html.Div(
        dcc.Graph(
            id=id,
            figure=blank_figure(),
            config=cast("Any", PLOT_CONFIG),
            style={"height": f"{height}px"},
        ),
        className="graph",
        role="group",
        **aria(label=label),
    )


def figure_style(figure: go.Figure) -> dict[str, str]:
    """The style of a graph that holds this figure: plotly forgets a figure's own height when the window changes."""
    return {"height": f"{figure.layout.height}px"}


def zoom_hint() -> Component:
    """How to zoom; hidden where a finger scrolls instead."""
    return html.P(
        "Drag across the chart to zoom in; double-click to zoom out.",
        className="note fine-pointer-only",
    )


def blank_figure() -> go.Figure:
    """An empty figure without axes, for a graph that waits."""
    import plotly.graph_objects as go

    clear = "rgba(0,0,0,0)"
    return go.Figure(
        layout={
            "paper_bgcolor": clear,
            "plot_bgcolor": clear,
            "xaxis": {"visible": False},
            "yaxis": {"visible": False},
            "template": None,
        }
    )
