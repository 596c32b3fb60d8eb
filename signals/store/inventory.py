"""What is loaded: services, pools, signals, spans, coverage, findings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import duckdb
import polars as pl

from signals.catalog import SIGNALS, SignalSpec
from signals.schema import SERVICE_POOL, TIMESTAMP
from signals.store.connect import reading
from signals.store.quality import stock_findings
from signals.store.sql import run

__all__ = ["Inventory", "take_inventory"]

_PARTS = {
    "gauge_mean": ("value",),
    "gauge_ratio": ("value",),
    "gauge_sum": ("value",),
    "hist_mean": ("sum", "count"),
    "hist_quantile": ("bucket",),
    "hist_sum_rate": ("sum",),
    "rate_ratio": ("value",),
    "rate_sum": ("value",),
    "request_log": ("value",),
}
_LOG_SIGNALS = ("request_rate", "offered_prompt_tps", "offered_output_tps")
_SIGNALS: dict[str, pl.DataType | type[pl.DataType]] = {
    "service": pl.String,
    "pool": pl.String,
    "signal": pl.String,
    "unit": pl.String,
    "resolution_s": pl.Float64,
    "first_at": TIMESTAMP,
    "last_at": TIMESTAMP,
    "coverage_ratio": pl.Float64,
}
Row = Mapping[str, object]
Stock = Mapping[tuple[str, str, str], Row]


@dataclass(frozen=True)
class Inventory:
    """What a store holds.

    Attributes:
        services: service, first_at, last_at, targets, series, samples, requests.
        pools: service, pool, instances (distinct ones over all time), rule (what told the pool), gpus.
        targets: service, target, pool, rule, decided_by (the label and its value, or what else decided),
            series, samples.
        signals: service, pool, signal, unit, resolution_s, first_at, last_at, coverage_ratio: the share of
            the service's telemetry in which samples are there, null for signals of the request log.
        findings: service, source, code, severity, subject, count, text, action.
        sources: uri, format, service, rows_read, rows_kept, rows_rejected, first_at, last_at, loaded_at.
    """

    services: pl.DataFrame
    pools: pl.DataFrame
    targets: pl.DataFrame
    signals: pl.DataFrame
    findings: pl.DataFrame
    sources: pl.DataFrame


def take_inventory(path: Path) -> Inventory:
    """Look at what a store holds; see `Store.inventory`."""
    with reading(path) as connection:
        services = run(connection, "services")
        signals = [row for service in services["service"] for row in _signals(connection, service)]
        return Inventory(
            services=services,
            pools=run(connection, "pools"),
            targets=run(connection, "targets"),
            signals=pl.DataFrame(signals, schema=pl.Schema(_SIGNALS)),
            findings=_findings(connection),
            sources=run(connection, "sources"),
        )


def _findings(connection: duckdb.DuckDBPyConnection) -> pl.DataFrame:
    """Findings of loading, then those about all that is loaded, which no one source brought."""
    loaded = run(connection, "findings")
    rows = [
        {
            "service": service,
            "source": "",
            "code": finding.code,
            "severity": finding.severity,
            "subject": finding.subject,
            "count": finding.count,
            "text": finding.text,
            "action": finding.action,
        }
        for service, finding in stock_findings(connection)
    ]
    return pl.concat([loaded, pl.DataFrame(rows, schema=loaded.schema)])


def _signals(connection: duckdb.DuckDBPyConnection, service: str) -> Iterator[Row]:
    stock = run(connection, "panel_stock", {"service": service})
    log = run(connection, "request_span", {"service": service}).row(0, named=True)
    rows: Stock = {
        (row["pool"], row["measurement"], row["part"]): row for row in stock.iter_rows(named=True)
    }
    span = (stock["first_at"].min(), stock["last_at"].max())
    pools = stock["pool"].unique().sort().to_list()
    if log["request_count"]:
        pools = sorted({*pools, SERVICE_POOL})
    for pool in pools:
        for spec in SIGNALS:
            if pool == SERVICE_POOL and spec.name in _LOG_SIGNALS and log["request_count"]:
                yield {
                    "service": service,
                    "pool": pool,
                    "signal": spec.name,
                    "unit": spec.unit,
                    "first_at": log["first_at"],
                    "last_at": log["last_at"],
                }
                continue
            found = _find(rows, spec, pool)
            if found is not None:
                yield _row(service, pool, spec, found, span)


def _find(stock: Stock, spec: SignalSpec, pool: str) -> Row | None:
    """The stock that a signal would be computed from, or that holds it."""
    needed = [(pool, need, part) for need in spec.needs for part in _PARTS[spec.how]]
    if all(key in stock for key in needed):
        return stock[needed[0]]
    return stock.get((pool, spec.name, "signal"))


def _row(service: str, pool: str, spec: SignalSpec, found: Row, span: tuple[object, object]) -> Row:
    return {
        "service": service,
        "pool": pool,
        "signal": spec.name,
        "unit": "rel" if found["relative"] else spec.unit,
        "resolution_s": found["resolution_s"],
        "first_at": found["first_at"],
        "last_at": found["last_at"],
        "coverage_ratio": _coverage(found, span),
    }


def _coverage(found: Row, span: tuple[object, object]) -> float | None:
    first, last, resolution = found["first_at"], found["last_at"], found["resolution_s"]
    samples, expected = found["sample_count"], found["expected_count"]
    begin, end = span
    if not (
        isinstance(first, datetime)
        and isinstance(last, datetime)
        and isinstance(begin, datetime)
        and isinstance(end, datetime)
        and isinstance(samples, int)
        and isinstance(expected, int)
    ):
        return None
    step = resolution if isinstance(resolution, float) else 0.0
    whole = (end - begin).total_seconds() + step
    held = (last - first).total_seconds() + step
    share = held / whole if whole > 0 else 1.0
    return min(1.0, samples / max(expected, 1)) * min(1.0, share)
