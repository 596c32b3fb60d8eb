"""Pulls for people and programs: what would be asked, and what became of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from rich.console import RenderableType
from rich.text import Text

from signals.report.finding_table import findings_tables, source_findings
from signals.report.grid import Column, Grid, note
from signals.report.json_sources import source_json
from signals.report.json_values import Json, document
from signals.report.words import MISSING, count_text, moment_text

if TYPE_CHECKING:
    from signals.schema import Finding
    from signals.store.pull.cost import Cost
    from signals.store.pull.plan import Window
    from signals.store.pull.reports import Pulled, PullReport

__all__ = ["cost_json", "cost_tables", "pull_json", "pull_tables", "stopped_text"]

_QUERY = 200
"""As many characters of a query are shown; those of presets name every metric."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def cost_json(
    costs: Sequence[Cost], missing: Sequence[Finding] = (), *, server: str, service: str
) -> Json:
    """`signals pull --dry-run --json`."""
    return document(
        server=server,
        service=service,
        dry_run=True,
        remarks=[asdict(finding) for finding in missing],
        selections=[
            {
                "selection": cost.selection.name,
                "query": cost.selection.query,
                "step_s": cost.selection.step_ms / 1000 or None,
                "metrics": list(cost.selection.metrics),
                "example": cost.example,
                "windows": [_window(window) for window in cost.windows],
                "series": cost.series,
                "samples": cost.samples,
                "exact": cost.exact,
                "bytes": cost.answer_bytes,
                "questions": cost.questions,
            }
            for cost in costs
        ],
    )


def cost_tables(
    costs: Sequence[Cost], missing: Sequence[Finding] = (), *, server: str, service: str
) -> list[RenderableType]:
    """What would be asked of a server, and what it does not have."""
    columns = (
        Column("selection"),
        Column("metrics", right=True, keep=2),
        Column("series", right=True, keep=1),
        Column("samples", right=True),
        Column("size", right=True),
        Column("questions", right=True),
        Column("from (UTC)", keep=2),
        Column("to (UTC)", keep=2),
    )
    parts: list[RenderableType] = [
        note(f"{server} into service {service}: nothing is pulled, only counted"),
        Grid(columns, tuple(_cost_row(cost) for cost in costs)),
    ]
    shown = [(f"{cost.selection.name}: ", cost.example) for cost in costs if cost.example]
    parts += [
        note(name + (query if len(query) <= _QUERY else f"{query[:_QUERY]}…"))
        for name, query in shown
    ]
    if any(len(query) > _QUERY for _, query in shown):
        parts.append(note("the queries in full: --json"))
    if any(not cost.exact and cost.samples is not None for cost in costs):
        parts.append(note("~ counted over four hours spread over the time, the rest taken alike"))
    return [*parts, *findings_tables(missing)]


def _cost_row(cost: Cost) -> tuple[str, ...]:
    about = "" if cost.exact else "~"
    windows = cost.windows
    return (
        cost.selection.name,
        count_text(len(cost.selection.metrics)) if cost.selection.metrics else MISSING,
        MISSING if cost.series is None else f"{about}{count_text(cost.series)}",
        MISSING if cost.samples is None else f"{about}{count_text(cost.samples)}",
        MISSING if cost.answer_bytes is None else f"~{_size(cost.answer_bytes)}",
        MISSING if cost.questions is None else f"~{count_text(cost.questions)}",
        moment_text(_moment(windows[0].start_ms)) if windows else "all there",
        moment_text(_moment(windows[-1].end_ms)) if windows else MISSING,
    )


def pull_json(report: PullReport) -> Json:
    """`signals pull --json`."""
    return document(
        server=report.server,
        service=report.service,
        dry_run=False,
        first=report.first,
        last=report.last,
        stopped=report.stopped,
        repeats=report.repeats,
        sources=[source_json(source) for source in report.sources],
        rows_read=report.rows_read,
        rows_kept=report.rows_kept,
        rows_rejected=report.rows_rejected,
        rejects=dict(sorted(report.rejects.items())),
        findings=dict(sorted(report.findings.items())),
        remarks=[asdict(remark) for remark in report.remarks],
        selections=[_pulled(one) for one in report.selections],
    )


def _pulled(one: Pulled) -> dict[str, object]:
    return {
        "selection": one.selection.name,
        "query": one.selection.query,
        "step_s": one.selection.step_ms / 1000 or None,
        "metrics": list(one.selection.metrics),
        "questions": one.questions,
        "samples": one.samples,
        "bytes": one.answer_bytes,
        "asked_s": one.asked_ms / 1000,
        "already_stored_s": one.stored_ms / 1000,
    }


def pull_tables(report: PullReport) -> list[RenderableType]:
    """What became of a pull."""
    columns = (
        Column("selection"),
        Column("metrics", right=True, keep=2),
        Column("questions", right=True, keep=1),
        Column("samples", right=True),
        Column("size", right=True, keep=2),
    )
    rows = tuple(
        (
            one.selection.name,
            count_text(len(one.selection.metrics)) if one.selection.metrics else MISSING,
            count_text(one.questions) if one.questions else _unasked(report, one),
            count_text(one.samples),
            _size(one.answer_bytes),
        )
        for one in report.selections
    )
    parts: list[RenderableType] = [
        note(
            f"{report.server} into service {report.service}: "
            f"{moment_text(report.first)} to {moment_text(report.last)} UTC"
        ),
        Grid(columns, rows),
        Text(
            f"{count_text(report.rows_kept)} rows stored, {count_text(report.rows_read)} read, "
            f"{count_text(report.rows_rejected)} rejected"
        ),
    ]
    if report.rejects:
        counts = (f"{code} {count_text(count)}" for code, count in sorted(report.rejects.items()))
        parts.append(note(f"rejected: {', '.join(counts)}"))
    return [*parts, *findings_tables([*source_findings(report.sources), *report.remarks])]


def _unasked(report: PullReport, one: Pulled) -> str:
    """Why nothing was asked: a pull that was ended may not have come to it."""
    whole_ms = (report.last - report.first) / timedelta(milliseconds=1)
    return "not asked" if report.stopped and one.stored_ms < whole_ms else "all there"


def stopped_text(report: PullReport) -> str:
    """What the store holds of a pull that the user ended."""
    last = max((source.last for source in report.sources if source.last), default=None)
    reach = f", the last of {moment_text(last)} UTC" if last else ""
    return (
        f"stopped: {count_text(report.rows_kept)} rows came into the store as service {report.service}{reach}; "
        "the same command goes on from there"
    )


def _window(window: Window) -> dict[str, object]:
    return {"first": _moment(window.start_ms), "last": _moment(window.end_ms)}


def _moment(moment_ms: int) -> datetime:
    return _EPOCH + timedelta(milliseconds=moment_ms)


def _size(size: int) -> str:
    if size < 1 << 20:
        return f"{size / 1024:.0f} KiB"
    return f"{size / (1 << 20):.1f} MiB" if size < 1 << 30 else f"{size / (1 << 30):.1f} GiB"
