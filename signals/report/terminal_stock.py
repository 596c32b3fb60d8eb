"""Tables for a terminal about the store: loads, inventory, what was forgotten."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import polars as pl
from rich.console import RenderableType
from rich.text import Text

from signals.report.document import Stock
from signals.report.finding_table import findings_tables, source_findings
from signals.report.folders import gather
from signals.report.grid import Column, Grid, note, title
from signals.report.skipped import skipped_lines
from signals.report.words import MISSING, count_text, moment_text, quantity, share_text
from signals.schema import Finding

if TYPE_CHECKING:
    from signals.store.reports import ForgetReport, LoadReport, SourceReport

__all__ = ["forget_text", "inventory_tables", "load_tables"]

_MOST_FILES = 30
_MOST_TARGETS = 20
# what nothing of its own decided is what a user may want to change, so it comes first
_DOUBT = ("default", "behaviour", "joined")


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
    groups = gather(
        report.sources, lambda s: s.uri, lambda s: (s.format, s.service, s.already_loaded)
    )
    rows = tuple(_source_row(name, sources) for name, sources in groups[:_MOST_FILES])
    parts: list[RenderableType] = [Grid(columns, rows)]
    if len(groups) > _MOST_FILES:
        parts.append(note(f"{len(groups) - _MOST_FILES} more files: --json lists them all"))
    lost = [(name, total) for name, sources in groups if (total := _rejects(sources))]
    parts += [note(f"rejected of {name}: {_counts(total)}") for name, total in lost[:_MOST_FILES]]
    parts += skipped_lines(report.skipped)
    return [*parts, *findings_tables(source_findings(report.sources))]


def _source_row(name: str, sources: Sequence[SourceReport]) -> tuple[str, ...]:
    kept = count_text(sum(source.rows_kept for source in sources))
    return (
        name,
        sources[0].format,
        sources[0].service,
        count_text(sum(source.rows_read for source in sources)),
        "already loaded" if sources[0].already_loaded else kept,
        count_text(sum(source.rows_rejected for source in sources)),
        count_text(sum(source.series for source in sources)),
        moment_text(min((s.first for s in sources if s.first), default=None)),
        moment_text(max((s.last for s in sources if s.last), default=None)),
    )


def _rejects(sources: Sequence[SourceReport]) -> Counter[str]:
    total: Counter[str] = Counter()
    for source in sources:
        total.update(source.rejects)
    return total


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{code} {count_text(count)}" for code, count in counts.items())


def forget_text(report: ForgetReport) -> Text:
    """What was removed, and what to load again because its rows went with it."""
    text = (
        f"forgot {count_text(report.sources)} source{'' if report.sources == 1 else 's'} of "
        f"{report.service}: {count_text(report.samples)} samples, {count_text(report.requests)} requests"
    )
    if report.reload:
        text += f"\nthese may have held some of the same rows; load them again: {', '.join(report.reload)}"
    return Text(text)


def inventory_tables(stock: Stock) -> list[RenderableType]:
    """Services, pools, signals, sources and findings of a store."""
    if stock.services.is_empty():
        return [Text("the store is empty: signals load FILE...")]
    parts: list[RenderableType] = [_services(stock.services)]
    owner = Column("service", wrap=12) if stock.services.height > 1 else Column("service", keep=3)
    for heading, frame, table in (
        ("pools", stock.pools, _pools),
        ("targets", stock.targets, partial(_targets, owner)),
        ("signals", stock.signals, partial(_signals, owner)),
        ("sources", stock.sources, partial(_sources, owner)),
    ):
        if not frame.is_empty():
            parts += [title(heading), table(frame)]
        more = len(_decisions(frame)) - _MOST_TARGETS if heading == "targets" else 0
        if more > 0:
            parts.append(note(f"{more} more rows of targets: signals inventory --json"))
    return [*parts, *_findings(stock)]


def _findings(stock: Stock) -> list[RenderableType]:
    """A table per service; headings name the services where there are several."""
    parts: list[RenderableType] = []
    if stock.findings.is_empty():
        return parts
    several = stock.services.height > 1
    for service in stock.findings["service"].unique(maintain_order=True):
        rows = stock.findings.filter(pl.col("service") == service)
        parts += findings_tables(
            (
                Finding(
                    row["code"],
                    row["severity"],
                    row["text"],
                    row["count"],
                    row["subject"],
                    row["action"],
                )
                for row in rows.iter_rows(named=True)
            ),
            heading=f"findings of {service}" if several else "findings",
        )
    return parts


def _services(frame: pl.DataFrame) -> Grid:
    columns = (
        Column("service", wrap=12),
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
        Column("service", wrap=12),
        Column("pool"),
        Column("instances", right=True),
        Column("GPUs", right=True, keep=1),
        Column("found by", wrap=16),
    )
    return Grid(
        columns,
        tuple(
            (row["service"], row["pool"] or "service", count_text(row["instances"]), count_text(row["gpus"]), row["rule"] or MISSING)
            for row in frame.iter_rows(named=True)
        ),
    )  # fmt: skip


def _targets(owner: Column, frame: pl.DataFrame) -> Grid:
    columns = (
        owner,
        Column("target", wrap=16),
        Column("pool"),
        Column("decided by", wrap=16),
        Column("series", right=True, keep=1),
        Column("samples", right=True, keep=2),
    )
    return Grid(
        columns,
        tuple(
            (
                service,
                name,
                pool,
                decision,
                count_text(sum(row["series"] for row in rows)),
                count_text(sum(row["samples"] for row in rows)),
            )
            for (service, name, pool, decision), rows in _decisions(frame)[:_MOST_TARGETS]
        ),
    )


def _decisions(frame: pl.DataFrame) -> list[tuple[tuple[str, str, str, str], list[dict[str, Any]]]]:
    """Targets of one instance that were placed alike stand together; the doubtful ones come first.

    Where that leaves more than people read, all that the same kind of evidence placed stand together.
    """
    groups: dict[tuple[str, str, str, str], list[dict[str, Any]]] = {}
    for row in sorted(frame.iter_rows(named=True), key=lambda row: _doubt(row["rule"])):
        name = row["target"].partition(" ")[0] if "/" in row["target"] else row["target"]
        decision = _decision(row["rule"], row["decided_by"])
        groups.setdefault((row["service"], name, row["pool"], decision), []).append(row)
    if len(groups) <= _MOST_TARGETS:
        return [((s, _named(n, len(r)), p, d), r) for (s, n, p, d), r in groups.items()]
    kinds: dict[tuple[str, str, str], list[dict[str, Any]]] = {}
    for rows in groups.values():
        for row in rows:
            kinds.setdefault((row["service"], row["pool"], row["rule"]), []).append(row)
    return [((s, _some(rows), p, _shared(rows)), rows) for (s, p, _), rows in kinds.items()]


def _named(name: str, targets: int) -> str:
    return name if targets == 1 else f"{name} ({targets} targets)"


def _some(rows: list[dict[str, Any]]) -> str:
    first = rows[0]["target"]
    return first if len(rows) == 1 else f"{count_text(len(rows))} targets, such as {first}"


def _shared(rows: list[dict[str, Any]]) -> str:
    """What decided, by the value that all have or else by the first."""
    told = list(dict.fromkeys(_decision(row["rule"], row["decided_by"]) for row in rows))
    return told[0] if len(told) == 1 else f"{told[0]} and the like"


def _doubt(rule: str) -> int:
    return next((i for i, word in enumerate(_DOUBT) if rule.startswith(word)), len(_DOUBT))


def _decision(rule: str, decided_by: str) -> str:
    if rule == "default":
        return "nothing: signals load --pool"
    word = rule.partition(" ")[0]
    return f"{word} {decided_by}" if word in {"behaviour", "joined", "label"} else decided_by


def _signals(owner: Column, frame: pl.DataFrame) -> Grid:
    columns = (
        owner,
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


def _sources(owner: Column, frame: pl.DataFrame) -> Grid:
    columns = (
        Column("file", wrap=16),
        Column("format"),
        owner,
        Column("kept", right=True),
        Column("rejected", right=True, keep=2),
        Column("loaded (UTC)", keep=3),
    )
    groups = gather(
        list(frame.iter_rows(named=True)), lambda r: r["uri"], lambda r: (r["format"], r["service"])
    )
    return Grid(
        columns,
        tuple(
            (
                name,
                rows[0]["format"],
                rows[0]["service"],
                count_text(sum(row["rows_kept"] for row in rows)),
                count_text(sum(row["rows_rejected"] for row in rows)),
                moment_text(max(row["loaded_at"] for row in rows)),
            )
            for name, rows in groups
        ),
    )
