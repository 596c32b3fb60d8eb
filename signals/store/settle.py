"""The end of a load: what is known of targets, series and sources, and what there is to say about them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import TypeVar

import duckdb
import polars as pl

from signals.schema import TIMESTAMP
from signals.store.deposit import ask_with, hand_over
from signals.store.extents import Extents
from signals.store.pools import place_targets
from signals.store.quality import series_findings
from signals.store.registry import NewSeries, NewTarget, Registry
from signals.store.scrapes import ask_scrapes
from signals.store.sql import execute, run
from signals.store.tally import SourceTally

__all__ = ["keep_requests", "refresh_series", "settle", "write_registry", "write_rows"]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

_AT_ONCE = 50_000
_Row = TypeVar("_Row", NewTarget, NewSeries)

# types of columns in which nothing but nulls may stand
_TYPES: Mapping[str, pl.DataType] = {"first_at": TIMESTAMP, "last_at": TIMESTAMP}


def settle(
    connection: duckdb.DuckDBPyConnection,
    registry: Registry,
    extents: Extents,
    tallies: Sequence[SourceTally],
) -> None:
    """Finish a load whose samples are stored: extents of series, pools, and what there is to say.

    Args:
        connection: of the running load.
        registry: targets and series met.
        extents: of the series that got samples.
        tallies: one per source.
    """
    write_registry(connection, registry)
    _write_extents(connection, extents)
    for service in sorted({tally.service for tally in tallies}):
        place_targets(connection, service)
    _judge_series(connection, extents, tallies)
    _write_remarks(connection, tallies)


def keep_requests(connection: duckdb.DuckDBPyConnection, tally: SourceTally) -> None:
    """Count the requests of a source, those left out that an earlier one had brought."""
    source = {"source_id": tally.source_id}
    read = run(connection, "load/count_requests", source).row(0, named=True)
    if not read["requests"]:
        return
    execute(connection, "load/drop_overlapping_requests", {**source, "service": tally.service})
    kept = run(connection, "load/count_requests", source).row(0, named=True)["requests"]
    tally.rows_kept += kept
    tally.overlapping += read["requests"] - kept
    tally.count("overlap", read["requests"] - kept)
    tally.extend(*(_micros(read[name]) for name in ("first_at", "last_at")))


def _micros(moment: datetime) -> int:
    return (moment - _EPOCH) // timedelta(microseconds=1)


def _write_extents(connection: duckdb.DuckDBPyConnection, extents: Extents) -> None:
    rows = extents.rows()
    seams = extents.seams()
    if not seams.is_empty():
        steps = ask_with(connection, "load/last_values", seams)
        fallen = steps.filter(pl.col("next_value") < pl.col("value"))["series_id"].implode()
        rows = rows.with_columns(pl.col("resets") + pl.col("series_id").is_in(fallen))
    if not rows.is_empty():
        hand_over(connection, "load/write_extents", rows)
    if extents.unsure:
        refresh_series(connection, sorted(extents.unsure))


def _judge_series(
    connection: duckdb.DuckDBPyConnection, extents: Extents, tallies: Sequence[SourceTally]
) -> None:
    """Remark what is odd about what the load brought of each service, with the last of its sources."""
    touched = extents.touched()
    if touched.is_empty():
        return
    meanings = ask_with(connection, "load/touched_series", touched.select("series_id"))
    lost = Counter[int]()
    for tally in tallies:
        lost.update(tally.blanks)
    nans = pl.DataFrame(
        {"series_id": list(lost), "nans": list(lost.values())},
        schema={"series_id": pl.Int32, "nans": pl.Int64},
    )
    stats = (
        meanings.join(touched, on="series_id")
        .join(nans, on="series_id", how="left")
        .with_columns(
            pl.col("nans").fill_null(0),
            # what is new of the total: so the step at the seam, or around an inserted sample, counts once
            falls=pl.when(kind="counter")
            .then(pl.col("resets") - pl.col("known_falls"))
            .otherwise("falls"),
        )
    )
    for tally in {one.service: one for one in tallies}.values():
        mine = stats.filter(service=tally.service)
        resumed = mine.filter(pl.col("series_id").is_in(extents.unsure)).select("target_id")
        sources = [one for one in tallies if one.service == tally.service]
        scrapes = ask_scrapes(connection, mine, resumed, sources)
        for finding in series_findings(mine, scrapes):
            tally.remark(finding)


def refresh_series(connection: duckdb.DuckDBPyConnection, series: Sequence[int]) -> None:
    """Take extents of series from their samples."""
    touched = pl.DataFrame({"series_id": pl.Series(series, dtype=pl.Int32)})
    hand_over(connection, "load/create_touched", touched)
    execute(connection, "load/refresh_series")


def write_rows(
    connection: duckdb.DuckDBPyConnection,
    name: str,
    rows: Sequence[Mapping[str, object]],
    labels: Sequence[Mapping[str, str]] = (),
) -> None:
    """Hand rows to a statement that reads them as the table `chunk`.

    Args:
        connection: of the running load.
        name: the statement.
        rows: equal keys in each.
        labels: of each row, handed over as lists `label_names` and `label_values`; none if rows have no labels.
    """
    if not rows:
        return
    columns = {key: pl.Series([row[key] for row in rows], dtype=_TYPES.get(key)) for key in rows[0]}
    frame = pl.DataFrame(columns)
    hand_over(connection, name, frame.hstack(_label_lists(labels)) if labels else frame)


def _label_lists(labels: Sequence[Mapping[str, str]]) -> pl.DataFrame:
    """Names and values of many sets of labels, a list of each in a row."""
    flat = pl.DataFrame(
        {
            "row": [row for row, one in enumerate(labels) for _ in one],
            "label_names": [name for one in labels for name in one],
            "label_values": [value for one in labels for value in one.values()],
        },
        schema={"row": pl.Int64, "label_names": pl.String, "label_values": pl.String},
    )
    lists = flat.group_by("row").agg("label_names", "label_values")
    every = pl.DataFrame({"row": range(len(labels))}, schema={"row": pl.Int64})
    nothing = pl.lit([], dtype=pl.List(pl.String))
    return every.join(lists, on="row", how="left", maintain_order="left").select(
        pl.col("label_names", "label_values").fill_null(nothing)
    )


def write_registry(connection: duckdb.DuckDBPyConnection, registry: Registry) -> None:
    """Store targets and series that were met since the last time."""
    for targets in _parts(registry.new_targets):
        rows = [_target_row(one) for one in targets]
        write_rows(connection, "load/insert_targets", rows, [one.labels for one in targets])
        pools = [{"target_id": t.target_id, "pool": t.pool, "rule": t.rule} for t in targets]
        write_rows(connection, "load/insert_target_pools", pools)
    moved = [
        {"target_id": number, "pool": pool, "rule": rule}
        for number, (pool, rule) in registry.moved.items()
    ]
    write_rows(connection, "load/update_target_pools", moved)
    for series in _parts(registry.new_series):
        rows = [_series_row(one) for one in series]
        write_rows(connection, "load/insert_series", rows, [one.labels for one in series])
    registry.forget_new()


def _parts(rows: Sequence[_Row]) -> Iterator[Sequence[_Row]]:
    """Rows in parts, as their labels take far more room as Python's own objects."""
    return (rows[first : first + _AT_ONCE] for first in range(0, len(rows), _AT_ONCE))


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
    }


def _series_row(series: NewSeries) -> dict[str, object]:
    fields = NewSeries.__dataclass_fields__
    return {name: getattr(series, name) for name in fields if name != "labels"}


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
