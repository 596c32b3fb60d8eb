"""Overview: what is loaded, how well it covers the time, and what was remarked about it."""

from __future__ import annotations

from typing import Any

import polars as pl
from dash import Dash, Input, Output, dcc, html
from dash.development.base_component import Component

from dashboard import ids
from dashboard.components.grid import chip_column, grid, number_column, text_column
from dashboard.components.panel import NOTHING_LOADED, Child, empty_state, page_head, panel, waiting
from dashboard.components.table import Head, coverage_bar, facts, plain_table
from dashboard.components.text import length_text, period_text
from dashboard.links import page_link
from dashboard.source import Source
from signals.catalog import find_signal
from signals.report.document import Stock
from signals.report.finding_table import gather_findings
from signals.report.folders import gather
from signals.report.words import count_text, moment_text, quantity
from signals.schema import SERVICE_POOL, Finding

__all__ = ["PATH", "TITLE", "layout", "register"]

PATH = "/"
TITLE = "Overview"

_SEVERITY_ORDER = {"error": 0, "warning": 1, "info": 2}
_FINDING_COLUMNS = (
    chip_column("severity", "severity", width=112),
    text_column("text", "what", flex=2, minWidth=226, wrapText=True, autoHeight=True),
    text_column("subject", "about", flex=1, minWidth=150, wrapText=True, autoHeight=True),
    text_column("action", "done about it", flex=1, minWidth=150, wrapText=True, autoHeight=True),
    text_column("advice", "what to do", flex=1, minWidth=150, wrapText=True, autoHeight=True),
    number_column("count", "count", width=92),
    text_column("code", "code", width=190, cellClass="is-code"),
)


def layout() -> Component:
    """The page without data."""
    return html.Div(
        [
            page_head(
                TITLE,
                "What is loaded, how well it covers the time, and what was remarked about it.",
            ),
            html.Div(id=ids.OVERVIEW_SERVICES),
            waiting(html.Div(id=ids.OVERVIEW_FACTS, className="waits"), label="Reading the store"),
            html.Div(
                [html.Div(id=ids.OVERVIEW_SIGNALS), html.Div(id=ids.OVERVIEW_POOLS)],
                className="columns columns-wide-left",
            ),
            panel(
                "Findings",
                grid(
                    ids.OVERVIEW_FINDINGS,
                    _FINDING_COLUMNS,
                    label="Findings about the loaded data",
                    options={
                        "domLayout": "autoHeight",
                        "localeText": {"noRowsToShow": "No findings"},
                    },
                ),
                note="What was odd about the data, by kind. Nothing is dropped in silence.",
                classes="hidden-without-data",
            ),
            html.Div(id=ids.OVERVIEW_SOURCES),
        ]
    )


def register(app: Dash, source: Source) -> None:
    """Register the page's callbacks."""

    @app.callback(Output(ids.OVERVIEW_SERVICES, "children"), Input(ids.SERVICE, "value"))
    def show_services(service: str | None) -> Component | list[Component]:
        return _services(source.overview(), service)

    @app.callback(
        Output(ids.OVERVIEW_FACTS, "children"),
        Output(ids.OVERVIEW_SIGNALS, "children"),
        Output(ids.OVERVIEW_POOLS, "children"),
        Output(ids.OVERVIEW_SOURCES, "children"),
        Input(ids.SERVICE, "value"),
    )
    def show_service(service: str | None) -> tuple[Any, ...]:
        seen = source.overview()
        if service is None:
            return [], [], [], []
        return (
            _facts(seen, service),
            _signals(seen, service),
            _pools(seen, service),
            _sources(seen, service),
        )

    @app.callback(Output(ids.OVERVIEW_FINDINGS, "rowData"), Input(ids.SERVICE, "value"))
    def show_findings(service: str | None) -> list[dict[str, Any]]:
        return _finding_rows(source.overview(), service)


def _of(frame: pl.DataFrame, service: str) -> pl.DataFrame:
    return frame.filter(pl.col("service") == service)


def _services(seen: Stock, chosen: str | None) -> Component | list[Component]:
    if seen.services.is_empty():
        return html.Div(empty_state(*NOTHING_LOADED), className="panel")
    if seen.services.height == 1:
        return []
    rows: list[list[Child]] = [
        [
            dcc.Link(
                row["service"],
                href=page_link(PATH, row["service"]),
                className="is-here" if row["service"] == chosen else "",
            ),
            moment_text(row["first_at"]),
            length_text(row["first_at"], row["last_at"]),
            count_text(row["targets"]),
            count_text(row["samples"]),
            count_text(row["requests"]),
        ]
        for row in seen.services.iter_rows(named=True)
    ]
    heads = (
        Head("service"),
        Head("from, UTC", narrow="hidden"),
        Head("length", "number"),
        Head("targets", "number", "hidden"),
        Head("samples", "number", "hidden"),
        Head("requests", "number"),
    )
    return panel("Services", plain_table(heads, rows, label="Services in the store"))


def _facts(seen: Stock, service: str) -> Component:
    rows = _of(seen.services, service)
    if rows.is_empty():
        return html.Div()
    row = rows.row(0, named=True)
    steps = _of(seen.signals, service)["resolution_s"].drop_nulls().to_list()
    return panel(
        service,
        facts(
            (
                ("time", period_text(row["first_at"], row["last_at"])),
                ("finest step", quantity(min(steps), "s") if steps else "no samples"),
                ("targets", count_text(row["targets"])),
                ("series", count_text(row["series"])),
                ("samples", count_text(row["samples"])),
                ("requests", count_text(row["requests"])),
            )
        ),
    )


def _signals(seen: Stock, service: str) -> Component:
    rows = _of(seen.signals, service)
    heads = (
        Head("signal", "code"),
        Head("what it is", narrow="hidden"),
        Head("unit", narrow="hidden"),
        Head("step", "number", "hidden"),
        Head("coverage"),
    )
    cells = [
        [
            f"{row['pool']}:{row['signal']}",
            spec.title if (spec := find_signal(row["signal"])) else "",
            row["unit"],
            quantity(row["resolution_s"], "s"),
            coverage_bar(row["coverage_ratio"]),
        ]
        for row in rows.iter_rows(named=True)
    ]
    body: Component = (
        plain_table(heads, cells, label="Signals and their coverage", extent="limited")
        if cells
        else empty_state("This service has no signals, only requests.")
    )
    return panel("Signals", body, note="Coverage is the share of the time that has a value.")


def _pools(seen: Stock, service: str) -> Component:
    rows = _of(seen.pools, service).filter(pl.col("pool") != SERVICE_POOL)
    cells = [
        [row["pool"], count_text(row["instances"]), row["rule"] or "detected"]
        for row in rows.iter_rows(named=True)
    ]
    body: Component = (
        plain_table(
            (Head("pool"), Head("instances", "number"), Head("rule", "code")), cells, label="Pools"
        )
        if cells
        else empty_state(
            "No pool was found in the labels. Name one when loading:",
            "signals load PATH --pool RULE",
        )
    )
    return panel(
        "Pools",
        html.Div([body, *_lost_targets(seen, service)]),
        note="Which instances serve prefill or decode, and how that was known.",
    )


def _lost_targets(seen: Stock, service: str) -> list[Component]:
    """A word on targets whose pool nothing told, where others have one."""
    if seen.targets.is_empty():
        return []
    rows = _of(seen.targets, service)
    lost = rows.filter(pl.col("rule") == "default")
    if lost.is_empty() or lost.height == rows.height:
        return []
    return [
        html.P(
            [
                f"Nothing tells the pool of {count_text(lost.height)} of {count_text(rows.height)} "
                f"targets, such as {lost['target'][0]}. A rule does: ",
                html.Code("signals load --pool"),
            ],
            className="quiet",
        )
    ]


def _sources(seen: Stock, service: str) -> Component:
    rows = _of(seen.sources, service)
    heads = (
        Head("file", "code"),
        Head("format", narrow="hidden"),
        Head("rows read", "number", "hidden"),
        Head("kept", "number"),
        Head("rejected", "number"),
        Head("from", narrow="hidden"),
        Head("to", narrow="hidden"),
        Head("loaded", narrow="hidden"),
    )
    groups = gather(list(rows.iter_rows(named=True)), lambda r: r["uri"], lambda r: r["format"])
    cells = [
        [
            name,
            files[0]["format"],
            count_text(sum(row["rows_read"] for row in files)),
            count_text(sum(row["rows_kept"] for row in files)),
            count_text(sum(row["rows_rejected"] for row in files)),
            moment_text(min((r["first_at"] for r in files if r["first_at"]), default=None)),
            moment_text(max((r["last_at"] for r in files if r["last_at"]), default=None)),
            moment_text(max(row["loaded_at"] for row in files)),
        ]
        for name, files in groups
    ]
    return panel(
        "Sources",
        plain_table(heads, cells, label="Loaded files", extent="limited"),
        note="Times are UTC.",
    )


def _finding_rows(seen: Stock, service: str | None) -> list[dict[str, Any]]:
    if service is None or seen.findings.is_empty():
        return []
    found = (
        Finding(r["code"], r["severity"], r["text"], r["count"], r["subject"], r["action"])
        for r in _of(seen.findings, service).iter_rows(named=True)
    )
    return [
        {
            "id": told.code,
            "severity": told.severity,
            "severity_text": told.severity,
            "severity_order": _SEVERITY_ORDER.get(told.severity, 3),
            "code": told.code,
            "subject": told.about,
            "text": told.text,
            "action": told.action,
            "advice": told.advice,
            "count": told.count,
            "count_text": count_text(told.count),
        }
        for told in gather_findings(found)
    ]
