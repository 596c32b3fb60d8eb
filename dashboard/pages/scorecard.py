"""Signals: which number to scale on, and why; the curves behind one of them."""

from __future__ import annotations

from typing import Any

from dash import Dash, Input, Output, State, dcc, html, no_update
from dash.development.base_component import Component
from dash.exceptions import PreventUpdate

from dashboard import ids
from dashboard.components.closeups import (
    GRAPHS,
    closeup_figures,
    closeup_places,
    window_query,
)
from dashboard.components.findings import finding_list
from dashboard.components.graph import figure_style, graph
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
from signals.plots import plot_forest, plot_timeline
from signals.study.score import Scorecard

__all__ = ["PATH", "TITLE", "layout", "register"]

PATH = "/signals"
TITLE = "Signals"
DEFAULT_LOAD = ""
_FOREST_MEASURES = ("lag_s", "elasticity")
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
                    *closeup_places(),
                    html.Details(
                        [
                            html.Summary("Every measure of this signal"),
                            html.Div(id=ids.SCORE_MEASURES),
                        ]
                    ),
                ],
                className="panel shown-with-signal",
            ),
            _forests(),
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


def _forests() -> Component:
    """Lag and response of all signals, side by side."""
    asked = (
        (ids.SCORE_LAGS, "How late is each signal?"),
        (ids.SCORE_ELASTICITIES, "How strongly does each answer load?"),
    )
    return panel(
        "All signals",
        html.Div(
            [
                html.Div([html.H3(question), graph(place, label=question, height=300)])
                for place, question in asked
            ],
            className="columns",
        ),
        note="Marks with their 95 % intervals. A signal whose whole interval of the lag lies right of the band counts "
        "as late; a ratio rule wants an elasticity in the band around 1.",
        classes="hidden-without-data",
    )


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
        Output(ids.SCORE_LAGS, "figure"),
        Output(ids.SCORE_LAGS, "style"),
        Output(ids.SCORE_ELASTICITIES, "figure"),
        Output(ids.SCORE_ELASTICITIES, "style"),
        Input(ids.SCORE_GRID, "rowData"),
        Input(ids.THEME, "data"),
        State(ids.SERVICE, "value"),
        State(ids.SCORE_LOAD, "value"),
    )
    def show_forests(rows: Any, theme: Any, service: str | None, load: str) -> tuple[Any, ...]:  # noqa: ANN401
        if not rows:
            raise PreventUpdate
        card = source.scorecard(_service(service), load or None)
        figures = [
            plot_forest(card, measure=measure, theme=theme_of(theme))
            for measure in _FOREST_MEASURES
        ]
        return tuple(part for figure in figures for part in (figure, figure_style(figure)))

    @app.callback(
        Output(ids.SCORE_TITLE, "children"),
        Output(ids.SCORE_REASONS, "children"),
        *(Output(place, part) for place in GRAPHS.values() for part in ("figure", "style")),
        Output(ids.SCORE_QUERY, "children"),
        Output(ids.SCORE_MEASURES, "children"),
        Input(ids.SCORE_GRID, "selectedRows"),
        Input(ids.THEME, "data"),
        State(ids.SERVICE, "value"),
        State(ids.SCORE_LOAD, "value"),
    )
    def show_signal(chosen: Any, theme: Any, service: str | None, load: str) -> tuple[Any, ...]:  # noqa: ANN401
        detail = source.detail(_service(service), _signal(chosen), load or None)
        return (
            score_title(detail.score),
            reason_block(detail.score),
            *closeup_figures(detail, theme_of(theme), f"{service} {detail.score.signal}"),
            window_query(detail.score),
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
