"""The views of one signal: where each stands on the page, under its question and how to read it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dash import html
from dash.development.base_component import Component

from dashboard import ids
from dashboard.components.graph import figure_style, graph, zoom_hint
from dashboard.components.panel import waiting
from signals.plots import CLOSEUPS, Closeup, Theme

if TYPE_CHECKING:
    from signals.study.score import SignalDetail, SignalScore

__all__ = ["GRAPHS", "closeup_figures", "closeup_places", "window_query"]

GRAPHS = {
    "timeline": ids.SCORE_TIMELINE,
    "lag": ids.SCORE_LAG,
    "events": ids.SCORE_EVENTS,
    "response": ids.SCORE_RESPONSE,
    "window": ids.SCORE_WINDOW,
    "stability": ids.SCORE_STABILITY,
}
"""The graph of each view, in the order of `CLOSEUPS`."""

_HEIGHTS = {"timeline": 360, "lag": 300, "events": 330, "response": 380, "window": 380}
_USUAL_HEIGHT = 240


def closeup_places() -> list[Component]:
    """Every view's place, wide ones on their own, the others side by side where there is room."""
    halves = [_place(view) for view in CLOSEUPS if view.width == "half"]
    wide = {view.name: view for view in CLOSEUPS if view.width == "full"}
    timeline = wide.pop("timeline")
    return [
        _place(timeline),
        zoom_hint(),
        html.Div(halves, className="columns"),
        html.Div(id=ids.SCORE_QUERY),
        *(_place(view) for view in wide.values()),
    ]


def _place(view: Closeup) -> Component:
    figure = graph(
        GRAPHS[view.name], label=view.question, height=_HEIGHTS.get(view.name, _USUAL_HEIGHT)
    )
    return html.Div(
        [
            html.H3(view.question),
            html.P(view.reading, className="note"),
            waiting(figure, label="Drawing") if view.name == "timeline" else figure,
        ]
    )


def closeup_figures(detail: SignalDetail, theme: Theme, revision: str) -> list[Any]:
    """Figure and style of every view, in the order of `GRAPHS`.

    Args:
        detail: curves of the signal.
        theme: light or dark.
        revision: as long as it is the same, a zoomed timeline stays zoomed.
    """
    drawn: list[Any] = []
    for view in CLOSEUPS:
        figure = view.draw(detail, theme=theme)
        if view.name == "timeline":
            figure.update_layout(uirevision=revision)
        drawn += [figure, figure_style(figure)]
    return drawn


def window_query(score: SignalScore) -> list[Component]:
    """The signal under its suggested average, as PromQL to copy; nothing where there is none."""
    window = score.measures.get("suggested_window_s")
    query = None if window is None else window.extra.get("promql")
    if not isinstance(query, str) or not query:
        return []
    return [
        html.P(
            "The suggested average in PromQL (set the exporter's metric name and select the pool):",
            className="note",
        ),
        html.Pre(query, className="command"),
    ]
