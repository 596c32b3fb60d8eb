"""Signals: which number to scale on, and why; the curves behind one of them."""

from __future__ import annotations

from typing import Any

from dash import Dash, Input, Output, State, dcc, html, no_update
from dash.development.base_component import Component
from dash.exceptions import PreventUpdate

from dashboard import ids
from dashboard.components.findings import finding_list
from dashboard.components.graph import figure_style, graph, zoom_hint
from dashboard.components.grid import grid, grid_style
from dashboard.components.panel import NOTHING_LOADED, empty_state, page_head, panel, waiting
from dashboard.components.score import (
    SCORE_COLUMNS,
    answer_tiles,
    load_lines,
    measure_table,
    reason_block,
    score_rows,
    score_title,
)
from dashboard.source import Source
from dashboard.theme import theme_of
from dashboard.zoom import data_patch, visible_window
from signals.catalog import find_signal
from signals.plots import plot_lag, plot_response, plot_timeline
from signals.study.score import Scorecard

__all__ = ["PATH", "TITLE", "layout", "register"]

PATH = "/signals"
TITLE = "Signals"
DEFAULT_LOAD = ""
_WORK_UNITS = frozenset({"req/s", "tokens/s"})
"""Units of signals that count work and so may serve as load."""


def layout() -> Component:
    """The page without data."""
    return html.Div(
        [
            page_head(TITLE, html.Div(id=ids.SCORE_HEADLINE)),
            html.Div(id=ids.SCORE_ANSWER),
            panel(
                "Scorecard",
                [
                    html.Div(
                        [_load_picker(), html.Div(id=ids.SCORE_LOADS, className="quiet")],
                        className="tools",
                    ),
                    waiting(
                        grid(
                            ids.SCORE_GRID,
                            SCORE_COLUMNS,
                            label="Signals with their verdicts and measures",
                            options={
                                "rowSelection": _ONE_ROW,
                                "suppressNoRowsOverlay": True,
                            },
                        ),
                        label="Scoring every signal",
                    ),
                ],
                note="Ranked inside each verdict by capacity error. Small figures are 95 % intervals. "
                "Choose a row to see its curves below.",
                classes="hidden-without-data",
            ),
            html.Section(
                [
                    html.Div(id=ids.SCORE_TITLE, className="panel-head"),
                    html.Div(id=ids.SCORE_REASONS),
                    waiting(
                        graph(ids.SCORE_TIMELINE, label="Load and signal over time", height=360),
                        label="Drawing",
                    ),
                    zoom_hint(),
                    html.Div(
                        [
                            _figure(
                                "How late is it?",
                                graph(ids.SCORE_LAG, label="Lag curve", height=300),
                            ),
                            _figure(
                                "Is it in proportion to load per instance?",
                                graph(ids.SCORE_RESPONSE, label="Response curve", height=340),
                            ),
                        ],
                        className="columns",
                    ),
                    html.Details(
                        [
                            html.Summary("Every measure of this signal"),
                            html.Div(id=ids.SCORE_MEASURES),
                        ]
                    ),
                ],
                className="panel shown-with-signal",
            ),
            panel(
                "Findings", html.Div(id=ids.SCORE_FINDINGS), note="About the panel and the load."
            ),
        ]
    )


_ONE_ROW = {"mode": "singleRow", "checkboxes": False, "enableClickSelection": True}


def _load_picker() -> Component:
    return html.Div(
        [
            html.Label("Held against", htmlFor=ids.SCORE_LOAD),
            dcc.Dropdown(
                id=ids.SCORE_LOAD, options=[], value=DEFAULT_LOAD, clearable=False, searchable=False
            ),
        ],
        className="field",
    )


def _figure(question: str, content: Component) -> Component:
    return html.Div([html.H3(question), content])


def register(app: Dash, source: Source) -> None:
    """Register the page's callbacks."""

    @app.callback(
        Output(ids.SCORE_LOAD, "options"),
        Output(ids.SCORE_LOAD, "value"),
        Input(ids.SERVICE, "value"),
    )
    def offer_loads(service: str | None) -> tuple[list[dict[str, str]], str]:
        return _load_options(source, service), DEFAULT_LOAD

    @app.callback(
        Output(ids.SCORE_GRID, "rowData"),
        Output(ids.SCORE_GRID, "selectedRows"),
        Output(ids.SCORE_GRID, "style"),
        Output(ids.SCORE_HEADLINE, "children"),
        Output(ids.SCORE_ANSWER, "children"),
        Output(ids.SCORE_LOADS, "children"),
        Output(ids.SCORE_FINDINGS, "children"),
        Input(ids.SCORE_LOAD, "value"),
        Input(ids.SCORE_LOAD, "options"),
        State(ids.SERVICE, "value"),
    )
    def show_scorecard(load: str, _options: object, service: str | None) -> tuple[Any, ...]:
        if service is None:
            return [], [], no_update, empty_state(*NOTHING_LOADED), [], [], []
        card = source.scorecard(service, load or None)
        rows = score_rows(card)
        return (
            rows,
            {"ids": [_first_to_show(card)]},
            grid_style(len(rows)),
            card.headline,
            answer_tiles(card),
            load_lines(card),
            finding_list(card.findings),
        )

    @app.callback(
        Output(ids.SCORE_TITLE, "children"),
        Output(ids.SCORE_REASONS, "children"),
        Output(ids.SCORE_TIMELINE, "figure"),
        Output(ids.SCORE_TIMELINE, "style"),
        Output(ids.SCORE_LAG, "figure"),
        Output(ids.SCORE_LAG, "style"),
        Output(ids.SCORE_RESPONSE, "figure"),
        Output(ids.SCORE_RESPONSE, "style"),
        Output(ids.SCORE_MEASURES, "children"),
        Input(ids.SCORE_GRID, "selectedRows"),
        Input(ids.THEME, "data"),
        State(ids.SERVICE, "value"),
        State(ids.SCORE_LOAD, "value"),
    )
    def show_signal(chosen: Any, theme: Any, service: str | None, load: str) -> tuple[Any, ...]:  # noqa: ANN401
        detail = source.detail(_service(service), _signal(chosen), load or None)
        look = theme_of(theme)
        timeline = plot_timeline(detail, theme=look)
        timeline.update_layout(uirevision=f"{service} {detail.score.signal}")
        lag, response = plot_lag(detail, theme=look), plot_response(detail, theme=look)
        return (
            score_title(detail.score),
            reason_block(detail.score),
            *(timeline, figure_style(timeline)),
            *(lag, figure_style(lag)),
            *(response, figure_style(response)),
            measure_table(detail.score),
        )

    @app.callback(
        Output(ids.SCORE_TIMELINE, "figure", allow_duplicate=True),
        Input(ids.SCORE_TIMELINE, "relayoutData"),
        State(ids.SCORE_GRID, "selectedRows"),
        State(ids.THEME, "data"),
        State(ids.SERVICE, "value"),
        State(ids.SCORE_LOAD, "value"),
        prevent_initial_call=True,
    )
    def zoom(moved: Any, chosen: Any, theme: Any, service: str | None, load: str) -> Any:  # noqa: ANN401
        window = visible_window(moved)
        detail = source.detail(_service(service), _signal(chosen), load or None)
        return data_patch(plot_timeline(detail, theme=theme_of(theme), window=window))


def _load_options(source: Source, service: str | None) -> list[dict[str, str]]:
    options = [{"label": "what clients asked for", "value": DEFAULT_LOAD}]
    if service is None:
        return options
    held = source.overview().signals
    for row in held.iter_rows(named=True):
        spec = find_signal(row["signal"])
        if row["service"] == service and spec is not None and spec.unit in _WORK_UNITS:
            name = f"{row['pool']}:{row['signal']}"
            options.append({"label": name, "value": name})
    return options


def _first_to_show(card: Scorecard) -> str:
    return card.signals[0].signal if card.signals else ""


def _service(service: str | None) -> str:
    if service is None:
        raise PreventUpdate
    return service


def _signal(chosen: object) -> str:
    """The signal of the chosen row; the grid tells rows, a callback sets `{"ids": [...]}`."""
    names = chosen.get("ids") if isinstance(chosen, dict) else chosen
    first = names[0] if isinstance(names, list) and names else None
    name = first.get("signal") if isinstance(first, dict) else first
    if isinstance(name, str) and name:
        return name
    raise PreventUpdate
