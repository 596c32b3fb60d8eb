"""The end of a load: merge what was read with what is stored, and count what became of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import duckdb
import polars as pl

from signals.schema import TIMESTAMP, Finding
from signals.store.intake import SourceTally
from signals.store.registry import NewSeries, NewTarget, Registry
from signals.store.sql import execute, run

__all__ = ["Settled", "settle", "write_rows"]

# types of columns in which nothing but nulls or empty lists may stand
_TYPES: Mapping[str, pl.DataType | type[pl.DataType]] = {
    "first_at": TIMESTAMP,
    "label_names": pl.List(pl.String),
    "label_values": pl.List(pl.String),
    "last_at": TIMESTAMP,
}


@dataclass(frozen=True, slots=True)
class Settled:
    """What became of one source.

    Attributes:
        rows_kept: samples, buckets and requests stored.
        series: series in the source.
        overlapping: rows that an earlier source had brought.
        first, last: extent of its samples and arrivals, UTC.
    """

    rows_kept: int
    series: int
    overlapping: int
    first: datetime | None
    last: datetime | None


def settle(
    connection: duckdb.DuckDBPyConnection, registry: Registry, tallies: Sequence[SourceTally]
) -> dict[int, Settled]:
    """Store what was read.

    Args:
        connection: of the running load, with all sources taken in.
        registry: targets and series met.
        tallies: one per source; findings about copies, conflicts and order are added to them.

    Returns:
        What became of each source, by its number.
    """
    _write_registry(connection, registry)
    for name in ("settle_samples", "judge_samples", "judge_histograms"):
        execute(connection, f"load/{name}")
    read = _by_source(connection, "load/count_incoming")
    copies = _by_source(connection, "load/count_copies")
    disorder = _by_source(connection, "load/count_disorder")
    judged = _by_source(connection, "load/count_judged")
    for name in ("insert_samples", "insert_bounds", "insert_histograms"):
        execute(connection, f"load/{name}")
    execute(connection, "load/refresh_series")
    execute(connection, "load/refresh_histograms")
    logs = _keep_requests(connection, tallies)
    for service in sorted({tally.service for tally in tallies}):
        execute(connection, "load/join_pools", {"service": service})
        execute(connection, "load/default_pools", {"service": service})
    settled = {}
    for tally in tallies:
        number = tally.source_id
        none: Mapping[str, int] = {}
        _remark_copies(
            tally, copies.get(number, none), disorder.get(number, none), judged.get(number, none)
        )
        settled[number] = _summary(
            read.get(number, none), judged.get(number, none), logs.get(number, none)
        )
    _write_remarks(connection, tallies)
    return settled


def write_rows(
    connection: duckdb.DuckDBPyConnection,
    name: str,
    rows: Sequence[Mapping[str, object]],
) -> None:
    """Hand rows to a statement that reads them as the table `chunk`.

    Args:
        connection: of the running load.
        name: the statement.
        rows: equal keys in each.
    """
    if not rows:
        return
    types = {name: dtype for name, dtype in _TYPES.items() if name in rows[0]}
    frame = pl.DataFrame(rows, infer_schema_length=None, schema_overrides=types)
    connection.register("chunk", frame)
    try:
        execute(connection, name)
    finally:
        connection.unregister("chunk")


def _by_source(connection: duckdb.DuckDBPyConnection, name: str) -> dict[int, Mapping[str, Any]]:
    rows = run(connection, name).iter_rows(named=True)
    return {row["source_id"]: row for row in rows}


def _keep_requests(
    connection: duckdb.DuckDBPyConnection, tallies: Sequence[SourceTally]
) -> dict[int, dict[str, Any]]:
    before = _by_source(connection, "load/count_requests")
    for tally in tallies:
        if tally.source_id in before:
            execute(
                connection,
                "load/drop_overlapping_requests",
                {"source_id": tally.source_id, "service": tally.service},
            )
    after = _by_source(connection, "load/count_requests")
    logs: dict[int, dict[str, Any]] = {}
    for number, row in before.items():
        kept = after[number]["requests"] if number in after else 0
        logs[number] = {**row, "requests": kept, "overlapping": row["requests"] - kept}
    return logs


def _summary(read: Mapping[str, Any], judged: Mapping[str, int], log: Mapping[str, Any]) -> Settled:
    moments = [
        moment.astimezone(UTC)
        for row in (read, log)
        for moment in (row.get("first_at"), row.get("last_at"))
        if isinstance(moment, datetime)
    ]
    return Settled(
        rows_kept=judged.get("fresh", 0) + log.get("requests", 0),
        series=read.get("series", 0),
        overlapping=judged.get("overlapping", 0) + log.get("overlapping", 0),
        first=min(moments, default=None),
        last=max(moments, default=None),
    )


def _remark_copies(
    tally: SourceTally,
    copies: Mapping[str, int],
    disorder: Mapping[str, int],
    judged: Mapping[str, int],
) -> None:
    conflicts = copies.get("conflicts", 0) + judged.get("conflicts", 0)
    remarks = (
        Finding(
            "duplicate",
            "info",
            "samples repeat another one with the same time and value",
            copies.get("duplicates", 0),
            action="one of each was kept",
        ),
        Finding(
            "conflict",
            "warning",
            "samples have the time of another one of their series, but a different value",
            conflicts,
            action="the first was kept",
        ),
        Finding(
            "out_of_order",
            "info",
            "samples are older than the one before them in the file",
            disorder.get("disordered", 0),
            action="sorted by time",
        ),
        Finding(
            "overlap",
            "info",
            "samples were in the store already",
            judged.get("overlapping", 0),
            action="the stored ones were kept",
        ),
    )
    for finding in remarks:
        if finding.count:
            tally.remark(finding)


def _write_registry(connection: duckdb.DuckDBPyConnection, registry: Registry) -> None:
    targets = registry.new_targets
    write_rows(connection, "load/insert_targets", [_target_row(one) for one in targets])
    pools = [{"target_id": t.target_id, "pool": t.pool, "rule": t.rule} for t in targets]
    write_rows(connection, "load/insert_target_pools", pools)
    moved = [
        {"target_id": number, "pool": pool, "rule": rule}
        for number, (pool, rule) in registry.moved.items()
    ]
    write_rows(connection, "load/update_target_pools", moved)
    write_rows(connection, "load/insert_series", [_series_row(one) for one in registry.new_series])


def _target_row(target: NewTarget) -> dict[str, object]:
    key = target.key
    return {
        "target_id": target.target_id,
        "service": target.service,
        "namespace": key.namespace,
        "instance": key.instance,
        "part": key.part,
        "gpu_uuid": key.gpu_uuid,
        "mig": key.mig,
        "host": key.host,
        "gpu_index": key.gpu_index,
        "outside": target.outside,
        **_label_lists(target.labels),
    }


def _series_row(series: NewSeries) -> dict[str, object]:
    fields = NewSeries.__dataclass_fields__
    row = {name: getattr(series, name) for name in fields if name != "labels"}
    return {**row, **_label_lists(series.labels)}


def _label_lists(labels: Mapping[str, str]) -> dict[str, object]:
    return {
        "label_names": list(labels),
        "label_values": list(labels.values()),
    }


def _write_remarks(connection: duckdb.DuckDBPyConnection, tallies: Sequence[SourceTally]) -> None:
    rejects = [
        {
            "source_id": tally.source_id,
            "line": reject.line,
            "reason": reject.reason,
            "excerpt": reject.excerpt,
        }
        for tally in tallies
        for reject in tally.excerpts
    ]
    write_rows(connection, "load/insert_rejects", rejects)
    findings = [
        {
            "source_id": tally.source_id,
            "service": tally.service,
            "code": finding.code,
            "severity": finding.severity,
            "subject": finding.subject,
            "count": finding.count,
            "text": finding.text,
            "action": finding.action,
        }
        for tally in tallies
        for finding in tally.remarks.values()
    ]
    write_rows(connection, "load/insert_findings", findings)
