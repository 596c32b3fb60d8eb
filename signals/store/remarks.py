"""Remarks about how a panel came to be."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import duckdb
import polars as pl

from signals.catalog import find_signal
from signals.schema import Finding, PanelColumn, pooled_name
from signals.store.quality import stock_findings
from signals.store.quality.figures import times
from signals.store.sql import run

__all__ = ["panel_findings"]

_QUANTILES = ("p50", "p90", "p99")


def panel_findings(
    connection: duckdb.DuckDBPyConnection,
    service: str,
    stock: pl.DataFrame,
    columns: Sequence[PanelColumn],
    parts: Mapping[str, pl.DataFrame],
) -> tuple[Finding, ...]:
    """What a reader of the panel must know.

    Args:
        connection: of the reader.
        service: the service.
        stock: rows of `panel_stock`.
        columns: what the panel holds.
        parts: rows of the marts by their name.
    """
    late = run(connection, "late_counters", {"service": service})
    return (
        *_loaded(run(connection, "findings"), service),
        *(found for name, found in stock_findings(connection) if name == service),
        *_absent_hardware(stock),
        *_inferred_counts(columns),
        *_open_bounds(parts.get("quantile_per_tick")),
        *_late_counters(late),
        *_ended_counters(connection, service),
        *_scraped_once(stock, parts.get("quantile_per_tick")),
        *_resets(connection, service),
    )


def _loaded(findings: pl.DataFrame, service: str) -> Iterator[Finding]:
    """Warnings of loading, those of several files together."""
    merged = (
        findings.filter((pl.col("service") == service) & (pl.col("severity") != "info"))
        .group_by("code", "severity", "subject", maintain_order=True)
        .agg(pl.col("count").sum(), pl.col("text").first(), pl.col("action").first())
    )
    for code, severity, subject, count, text, action in merged.iter_rows():
        yield Finding(code, severity, text, count, subject, action)


def _absent_hardware(stock: pl.DataFrame) -> Iterator[Finding]:
    families = set(stock["family"])
    signals = [
        spec
        for name in stock.filter(part="signal")["measurement"]
        if (spec := find_signal(name)) is not None
    ]
    if families and "gpu" not in families and not any(_is_hardware(s.needs) for s in signals):
        yield Finding(
            "no_gpu_signals",
            "info",
            "no GPU metric is loaded, so utilisation, SM activity and power are absent",
            action="nothing is assumed for them",
        )


def _is_hardware(needs: tuple[str, ...]) -> bool:
    from signals.catalog import find_measurement

    return any((spec := find_measurement(need)) and spec.family == "gpu" for need in needs)


def _inferred_counts(columns: Sequence[PanelColumn]) -> Iterator[Finding]:
    for column in columns:
        if column.sources and column.sources[0].startswith("instances@"):
            yield Finding(
                "ready_inferred",
                "info",
                f"no count of ready instances is exported for {column.pool}",
                subject=column.name,
                action="instances with samples in the window are counted",
            )


def _open_bounds(quantiles: pl.DataFrame | None) -> Iterator[Finding]:
    if quantiles is None:
        return
    open_rows = quantiles.filter(pl.any_horizontal(pl.col(name).is_null() for name in _QUANTILES))
    counts = (
        open_rows.group_by("pool", "measurement")
        .agg(
            count=pl.len().cast(pl.Int64),
            top=pl.col("top_bound").max(),
            share=pl.col("share_above_top").max(),
            most=pl.struct(_at_most(name).alias(name) for name in _QUANTILES),
        )
        .sort("pool", "measurement")
    )
    for pool, measurement, count, top, share, most in counts.iter_rows():
        known = "".join(f"; {n} is {m:g} s at most" for n, m in most.items() if m is not None)
        bound = "the only bound" if top is None else f"the top bound of {top:g} s"
        yield Finding(
            "open_bound",
            "warning",
            f"at {count} ticks a quantile lies above {bound} (up to {share:.0%} of observations){known}",
            count,
            pooled_name(pool, measurement),
            "missing at these ticks: the value is larger than the bound, but unknown",
        )


def _at_most(name: str) -> pl.Expr:
    """What a quantile is at most, seconds, where bounds of some series tell it at all its open ticks; else null."""
    most = pl.col(f"{name}_most").filter(pl.col(name).is_null())
    return pl.when(most.null_count() == 0).then(most.max())


def _late_counters(late: pl.DataFrame) -> Iterator[Finding]:
    for pool, measurement, count, lost in late.iter_rows():
        yield Finding(
            "late_counter",
            "info",
            f"{count} counters of {measurement} appear late with a value ({lost:g} in all)",
            count,
            pooled_name(pool, measurement),
            "counted from their first sample: a lower bound",
        )


def _ended_counters(connection: duckdb.DuckDBPyConnection, service: str) -> Iterator[Finding]:
    rows = run(connection, "ended_counters", {"service": service})
    for pool, measurement, ended, counters, last in rows.iter_rows():
        yield Finding(
            "counter_ended",
            "info",
            f"{ended} of {counters} counters of {measurement} end while others of their pool go on,"
            f" the latest at {last:%Y-%m-%d %H:%M:%S} UTC",
            ended,
            pooled_name(pool, measurement),
            "taken as gone after two scrapes without them: their pool's rate is that of the others",
        )


def _scraped_once(stock: pl.DataFrame, quantiles: pl.DataFrame | None) -> Iterator[Finding]:
    if quantiles is None:
        return
    once = stock.filter(
        pl.col("kind") == "histogram", pl.col("sample_count") == pl.col("series_count")
    ).join(quantiles, on=("pool", "measurement"), how="semi")
    for pool, measurement in once.select("pool", "measurement").iter_rows():
        yield Finding(
            "scraped_once",
            "warning",
            f"{measurement} was scraped once: what it says is about all that its processes have counted",
            1,
            pooled_name(pool, measurement),
            "its quantiles and mean are those since the processes began; load more scrapes to see them by time",
        )


def _resets(connection: duckdb.DuckDBPyConnection, service: str) -> Iterator[Finding]:
    rows = run(connection, "counter_resets", {"service": service})
    for pool, measurement, resets in rows.iter_rows():
        yield Finding(
            "counter_reset",
            "info",
            f"counters of {measurement} fell {times(resets)}, as after a restart",
            resets,
            pooled_name(pool, measurement),
            "the value after the fall is taken as the increase",
        )
