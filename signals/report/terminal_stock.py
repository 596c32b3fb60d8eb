"""Tables for a terminal about the store: loads, inventory, what was forgotten."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import polars as pl
from rich.console import RenderableType
from rich.text import Text

from signals.report.document import Stock
from signals.report.grid import Column, Grid, note, title
from signals.report.words import MISSING, count_text, moment_text, quantity, share_text

if TYPE_CHECKING:
    from signals.store.reports import ForgetReport, LoadReport, SourceReport

__all__ = ["forget_text", "inventory_tables", "load_tables"]

_MOST_FINDINGS = 20


def load_tables(report: LoadReport) -> list[RenderableType]:
    """What became of each file of a load."""
    columns = (
        Column("file", wrap=16),
        Column("format"),
        Column("service", keep=2),
        Column("read", right=True, keep=1),
        Column("kept", right=True),
        Column("rejected", right=True),
        Column("series", right=True, keep=3),
        Column("from (UTC)", keep=2),
        Column("to (UTC)", keep=2),
    )
    parts: list[RenderableType] = [
        Grid(columns, tuple(_source_row(source) for source in report.sources))
    ]
    for source in report.sources:
        parts += _remarks(source)
    return parts


def _source_row(source: SourceReport) -> tuple[str, ...]:
    kept = "already loaded" if source.already_loaded else count_text(source.rows_kept)
    return (
        source.uri,
        source.format,
        source.service,
        count_text(source.rows_read),
        kept,
        count_text(source.rows_rejected),
        count_text(source.series),
        moment_text(source.first),
        moment_text(source.last),
    )


def _remarks(source: SourceReport) -> list[Text]:
    told = [
        f"{word}: {_counts(counts)}"
        for word, counts in (("rejected", source.rejects), ("findings", source.findings))
        if counts
    ]
    return [note(f"{source.uri}: {'; '.join(told)}")] if told else []


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{code} {count_text(count)}" for code, count in counts.items())


def forget_text(report: ForgetReport) -> Text:
    """What was removed, in one line."""
    return Text(
        f"forgot {count_text(report.sources)} sources of {report.service}: "
        f"{count_text(report.samples)} samples, {count_text(report.requests)} requests"
    )


def inventory_tables(stock: Stock) -> list[RenderableType]:
    """Services, pools, signals, sources and findings of a store."""
    if stock.services.is_empty():
        return [Text("the store is empty: signals load FILE...")]
    parts: list[RenderableType] = [_services(stock.services)]
    for heading, frame, table in (
        ("pools", stock.pools, _pools),
        ("signals", stock.signals, _signals),
        ("sources", stock.sources, _sources),
        ("findings", stock.findings, _findings),
    ):
        if not frame.is_empty():
            parts += [title(heading), table(frame)]
    more = stock.findings.height - _MOST_FINDINGS
    if more > 0:
        parts.append(note(f"{more} more findings: signals inventory --json"))
    return parts


def _services(frame: pl.DataFrame) -> Grid:
    columns = (
        Column("service"),
        Column("from (UTC)"),
        Column("to (UTC)"),
        Column("targets", right=True, keep=2),
        Column("series", right=True, keep=1),
        Column("samples", right=True),
        Column("requests", right=True),
    )
    return Grid(
        columns,
        tuple(
            (
                row["service"],
                moment_text(row["first_at"]),
                moment_text(row["last_at"]),
                *(count_text(row[name]) for name in ("targets", "series", "samples", "requests")),
            )
            for row in frame.iter_rows(named=True)
        ),
    )


def _pools(frame: pl.DataFrame) -> Grid:
    columns = (
        Column("service"),
        Column("pool"),
        Column("instances", right=True),
        Column("found by", wrap=16),
    )
    return Grid(
        columns,
        tuple(
            (row["service"], row["pool"] or "service", count_text(row["instances"]), row["rule"] or MISSING)
            for row in frame.iter_rows(named=True)
        ),
    )  # fmt: skip


def _signals(frame: pl.DataFrame) -> Grid:
    columns = (
        Column("service", keep=3),
        Column("signal"),
        Column("unit"),
        Column("every", right=True, keep=1),
        Column("from (UTC)", keep=2),
        Column("to (UTC)", keep=2),
        Column("coverage", right=True),
    )
    return Grid(
        columns,
        tuple(
            (
                row["service"],
                f"{row['pool']}:{row['signal']}" if row["pool"] else str(row["signal"]),
                row["unit"],
                quantity(row["resolution_s"], "s"),
                moment_text(row["first_at"]),
                moment_text(row["last_at"]),
                share_text(row["coverage_ratio"]),
            )
            for row in frame.iter_rows(named=True)
        ),
    )


def _sources(frame: pl.DataFrame) -> Grid:
    columns = (
        Column("file", wrap=16),
        Column("format"),
        Column("service", keep=1),
        Column("kept", right=True),
        Column("rejected", right=True, keep=2),
        Column("loaded (UTC)", keep=3),
    )
    return Grid(
        columns,
        tuple(
            (
                row["uri"],
                row["format"],
                row["service"],
                count_text(row["rows_kept"]),
                count_text(row["rows_rejected"]),
                moment_text(row["loaded_at"]),
            )
            for row in frame.iter_rows(named=True)
        ),
    )


def _findings(frame: pl.DataFrame) -> Grid:
    columns = (
        Column("severity"),
        Column("code"),
        Column("about", keep=2),
        Column("count", right=True),
        Column("what", wrap=16),
    )
    return Grid(
        columns,
        tuple(
            (
                row["severity"],
                row["code"],
                row["subject"] or MISSING,
                count_text(row["count"]),
                f"{row['text']} ({row['action']})" if row["action"] else row["text"],
            )
            for row in frame.head(_MOST_FINDINGS).iter_rows(named=True)
        ),
    )
