"""Undoing a load."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import duckdb
import polars as pl

from signals.errors import UsageError
from signals.store.connect import reading, writing
from signals.store.lake import Part, take_back
from signals.store.lake_damage import NOTHING_LOST, Lost, find_lost
from signals.store.place import is_utf8, locate, shown
from signals.store.pools import place_targets
from signals.store.registry import FAMILIES
from signals.store.reports import ForgetReport
from signals.store.settle import refresh_series
from signals.store.sql import execute, run, run_count

__all__ = ["forget", "take_out_reopened"]

_TABLES = (*FAMILIES, "other", "histograms", "requests", "rejects", "findings", "sources")


def forget(path: Path, what: str) -> ForgetReport:
    """Remove a service or a source; see `Store.forget`."""
    index = locate(path)
    with reading(path, views=()) as connection:
        sources, service = _find(connection, what, path)
        lost = find_lost(connection, index.parent, service, sources)
    part = Part(service, lost.paths)
    with writing(path, part=part) as connection:
        sources, service = _find(connection, what, path)
        take_back(connection, index, sources, part)
        return _remove(connection, sources, service, lost)


def _find(connection: duckdb.DuckDBPyConnection, what: str, path: Path) -> tuple[list[int], str]:
    if not is_utf8(what):
        raise _unknown(what, path)
    rows = run(connection, "forget/find_sources", {"what": what})
    named = rows.filter(rows["is_service"])
    if not named.is_empty():
        rows = named
    if rows.is_empty():
        raise _unknown(what, path)
    services = rows["service"].unique().sort().to_list()
    if len(services) > 1:
        raise UsageError(
            f"'{what}' names sources of several services: {', '.join(services)}",
            where=str(path),
            expected="a source's whole path, or a service",
        )
    return rows["source_id"].to_list(), services[0]


def _unknown(what: str, path: Path) -> UsageError:
    return UsageError(
        f"'{shown(what)}' is neither a service nor a source of the store",
        where=str(path),
        hint="signals inventory lists both",
    )


def take_out_reopened(
    connection: duckdb.DuckDBPyConnection, index: Path, keys: Iterable[tuple[str, str]]
) -> None:
    """Take out sources that a load is about to bring again, whole, since rows they had left were forgotten.

    Args:
        connection: of a writer.
        index: the store's file.
        keys: hashes of the content and of the options of what is to be loaded.
    """
    reopened = run(connection, "forget/reopened_sources")
    wanted = pl.DataFrame(list(keys), schema=["sha256", "options_hash"], orient="row")
    again = reopened.join(wanted, on=["sha256", "options_hash"], how="semi", maintain_order="left")
    for (service,), rows in again.group_by("service", maintain_order=True):
        sources = rows["source_id"].to_list()
        take_back(connection, index, sources)
        _remove_rows(connection, sources, str(service))


def _remove(
    connection: duckdb.DuckDBPyConnection, sources: list[int], service: str, lost: Lost
) -> ForgetReport:
    chosen = {"sources": sources, "service": service}
    gaping = run(connection, "forget/gaping_sources", chosen)
    robbed = run(
        connection, "lake/robbed_sources", {"sources": sources, "lost": list(lost.sources)}
    )
    gaping = pl.concat([gaping, robbed]).unique("source_id").sort("source_id")
    report = _remove_rows(connection, sources, service, lost)
    execute(connection, "forget/reopen_sources", {"sources": gaping["source_id"].to_list()})
    return replace(report, reload=tuple(gaping["uri"]))


def _remove_rows(
    connection: duckdb.DuckDBPyConnection,
    sources: list[int],
    service: str,
    lost: Lost = NOTHING_LOST,
) -> ForgetReport:
    chosen: dict[str, object] = {"sources": sources}
    touched = run(connection, "forget/touched_samples", chosen)
    execute(connection, "forget/touched_histograms", chosen)
    # which series had samples in files that cannot be read, nothing tells
    doubtful = run(
        connection, "lake/series_of_tables", {"service": service, "tables": list(lost.tables)}
    )
    is_histogram = pl.col("stored_in") == "histogram"
    histograms = doubtful.filter(is_histogram)["series_id"].to_list()
    execute(connection, "lake/touch_histograms", {"series": histograms})
    removed = {table: run_count(connection, f"forget/delete_{table}", chosen) for table in _TABLES}
    others = doubtful.filter(~is_histogram)["series_id"]
    refresh_series(connection, pl.concat([touched["series_id"], others]).unique().to_list())
    execute(connection, "load/refresh_histograms")
    execute(connection, "forget/delete_series")
    execute(connection, "forget/delete_target_pools")
    execute(connection, "forget/delete_targets")
    place_targets(connection, service)
    return ForgetReport(
        service=service,
        sources=removed["sources"],
        samples=int(touched["samples"].sum()) + removed["histograms"],
        requests=removed["requests"],
    )
