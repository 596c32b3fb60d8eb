"""Backtest: what recorded load would have looked like under each policy, signals and scaler side by side."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from datetime import datetime
from typing import Any

from dash import Dash, Input, Output, State, dcc, html, no_update
from dash.development.base_component import Component
from dash.exceptions import PreventUpdate

from dashboard import ids
from dashboard.components.alert import error_alert
from dashboard.components.findings import finding_list
from dashboard.components.graph import figure_style, graph, zoom_hint
from dashboard.components.grid import grid, grid_style
from dashboard.components.panel import NOTHING_LOADED, empty_state, page_head, panel, waiting
from dashboard.components.run import RUN_COLUMNS, run_facts, run_form, run_headline, run_rows
from dashboard.source import BacktestRequest, Source
from dashboard.theme import theme_of
from dashboard.zoom import data_patch, visible_window
from signals.errors import SignalsError, UsageError
from signals.plots import plot_attainment_cost, plot_backtest
from signals.report.words import moment_text
from signals.schema import Slo

__all__ = ["PATH", "TITLE", "layout", "register", "request_of"]

PATH = "/backtest"
TITLE = "Backtest"
GROUP_HEADERS = 80


def layout() -> Component:
    """The page without data."""
    return html.Div(
        [
            page_head(TITLE, html.Div(id=ids.RUN_SUMMARY)),
            dcc.Store(id=ids.RUN_SAVED),
            panel(
                "Policies compared",
                [
                    html.Div(_run_picker(), className="tools"),
                    waiting(
                        grid(
                            ids.RUN_GRID,
                            RUN_COLUMNS,
                            label="Policies and what they cost",
                            options={"suppressNoRowsOverlay": True},
                        ),
                        label="Reading the run",
                    ),
                ],
                note="Every share is of arrived requests; one that got no first token misses.",
                classes="hidden-without-run",
            ),
            panel(
                "Signals and scaler on one time axis",
                [
                    waiting(
                        graph(
                            ids.RUN_TIMELINE,
                            label="Load, signals read, instances and misses",
                            height=900,
                        ),
                        label="Drawing",
                    ),
                    zoom_hint(),
                ],
                classes="shown-with-run",
            ),
            html.Div(
                [
                    panel(
                        "Attainment against cost",
                        graph(ids.RUN_PARETO, label="Attainment, cost", height=320),
                    ),
                    panel(
                        "What was replayed and assumed",
                        [html.Div(id=ids.RUN_SETTINGS), html.Div(id=ids.RUN_FINDINGS)],
                    ),
                ],
                className="columns shown-with-run",
            ),
            panel("New backtest", run_form(), note="Replays the requests of the chosen service."),
        ]
    )


def _run_picker() -> Component:
    return html.Div(
        [
            html.Label("Stored run", htmlFor=ids.RUN),
            dcc.Dropdown(
                id=ids.RUN, options=[], clearable=False, searchable=False, placeholder="none"
            ),
        ],
        className="field field-run",
    )


def register(app: Dash, source: Source) -> None:
    """Register the page's callbacks."""
    _register_run(app, source)
    _register_form(app, source)


def _register_run(app: Dash, source: Source) -> None:
    @app.callback(
        Output(ids.RUN, "options"),
        Output(ids.RUN, "value"),
        Input(ids.SERVICE, "value"),
        Input(ids.RUN_SAVED, "data"),
    )
    def offer_runs(
        service: str | None, saved: str | None
    ) -> tuple[list[dict[str, str]], str | None]:
        if service is None:
            return [], None
        options = [
            {"label": _run_label(row), "value": row["run_id"]}
            for row in source.runs(service).iter_rows(named=True)
        ]
        known = [option["value"] for option in options]
        return options, saved if saved in known else next(iter(known), None)

    @app.callback(
        Output(ids.RUN_SUMMARY, "children"),
        Output(ids.RUN_GRID, "rowData"),
        Output(ids.RUN_GRID, "style"),
        Output(ids.RUN_SETTINGS, "children"),
        Output(ids.RUN_FINDINGS, "children"),
        Input(ids.RUN, "value"),
        State(ids.SERVICE, "value"),
    )
    def show_run(run_id: str | None, service: str | None) -> tuple[Any, ...]:
        if run_id is None:
            return _no_run(service), [], no_update, [], []
        comparison = source.comparison(run_id)
        rows = run_rows(comparison)
        return (
            html.P(run_headline(comparison)),
            rows,
            grid_style(len(rows), header=GROUP_HEADERS),
            run_facts(comparison),
            finding_list(comparison.findings),
        )

    @app.callback(
        Output(ids.RUN_TIMELINE, "figure"),
        Output(ids.RUN_TIMELINE, "style"),
        Output(ids.RUN_PARETO, "figure"),
        Output(ids.RUN_PARETO, "style"),
        Input(ids.RUN, "value"),
        Input(ids.THEME, "data"),
    )
    def draw_run(run_id: str | None, theme: Any) -> tuple[Any, ...]:  # noqa: ANN401
        comparison = source.comparison(_known(run_id))
        timeline = plot_backtest(comparison, theme=theme_of(theme))
        timeline.update_layout(uirevision=run_id)
        cost = plot_attainment_cost(comparison, theme=theme_of(theme))
        return timeline, figure_style(timeline), cost, figure_style(cost)

    @app.callback(
        Output(ids.RUN_TIMELINE, "figure", allow_duplicate=True),
        Input(ids.RUN_TIMELINE, "relayoutData"),
        State(ids.RUN, "value"),
        State(ids.THEME, "data"),
        prevent_initial_call=True,
    )
    def zoom(moved: Any, run_id: str | None, theme: Any) -> Any:  # noqa: ANN401
        window = visible_window(moved)
        comparison = source.comparison(_known(run_id))
        return data_patch(plot_backtest(comparison, theme=theme_of(theme), window=window))


def _register_form(app: Dash, source: Source) -> None:
    @app.callback(
        Output(ids.RUN_SAVED, "data"),
        Output(ids.FORM_STATUS, "children"),
        Input(ids.FORM_START, "n_clicks"),
        State(ids.SERVICE, "value"),
        State(ids.FORM_POLICIES, "value"),
        State(ids.FORM_TTFT, "value"),
        State(ids.FORM_TPOT, "value"),
        State(ids.FORM_LOAD_FACTOR, "value"),
        background=True,
        interval=300,
        running=[
            (Output(ids.FORM_START, "disabled"), True, False),
            (Output(ids.FORM_CANCEL, "disabled"), False, True),
            (Output(ids.FORM_PROGRESS, "className"), "progress is-running", "progress"),
        ],
        progress=[Output(ids.FORM_PROGRESS, "value"), Output(ids.FORM_STATUS, "children")],
        progress_default=["0", ""],
        cancel=[Input(ids.FORM_CANCEL, "n_clicks")],
        prevent_initial_call=True,
    )
    def run_backtest(
        report: Callable[[tuple[str, str]], None],
        _clicks: object,
        service: str | None,
        policies: str | None,
        ttft_s: float | None,
        tpot_ms: float | None,
        factor: float | None,
    ) -> tuple[Any, Any]:
        def progress(text: str, share: float) -> None:
            report((str(round(share * 100)), f"{text}, {share:.0%}"))

        try:
            run_id = source.start_backtest(
                request_of(service, policies, ttft_s, tpot_ms, factor), progress
            )
        except SignalsError as error:
            return no_update, error_alert(error)
        return run_id, f"Done: stored as run {run_id}, shown above."


def request_of(
    service: str | None,
    policies: str | None,
    ttft_s: float | None,
    tpot_ms: float | None,
    factor: float | None,
) -> BacktestRequest:
    """The form's values as a request.

    Raises:
        UsageError: a field is empty or not above zero.
    """
    if service is None:
        raise UsageError("no service is chosen", where="Service", hint="signals load PATH")
    names = tuple(line.strip() for line in (policies or "").splitlines() if line.strip())
    if not names:
        raise UsageError(
            "no policy is named", where="Policies", expected="one per line, such as static"
        )
    return BacktestRequest(
        service=service,
        policies=names,
        slo=Slo(
            ttft_s=_above_zero(ttft_s, "First token within"),
            tpot_s=_above_zero(tpot_ms, "Time per token") / 1000,
        ),
        load_factor=_above_zero(factor, "Load factor"),
    )


def _above_zero(value: float | None, field: str) -> float:
    if value is None or not value > 0:
        raise UsageError(
            "the number is missing or not above 0", where=field, expected="a number above 0"
        )
    return float(value)


def _known(run_id: str | None) -> str:
    if run_id is None:
        raise PreventUpdate
    return run_id


def _no_run(service: str | None) -> Component:
    if service is None:
        return empty_state(*NOTHING_LOADED)
    return empty_state(
        f"No backtest of {service} is stored. Run one below, or from the terminal:",
        f"signals backtest {shlex.quote(service)} --policy static --policy heteroscale",
    )


def _run_label(row: dict[str, Any]) -> str:
    created: datetime | None = row["created_at"]
    policies = row["policies"]
    names = policies if isinstance(policies, str) else ", ".join(policies)
    return f"{moment_text(created)} · {names}"
