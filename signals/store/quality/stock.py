"""What is odd about everything that is loaded of a service, asked of the store."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import duckdb

from signals.schema import Finding, pooled_name
from signals.store.sql import run

__all__ = ["stock_findings"]

Row = Mapping[str, Any]


def stock_findings(connection: duckdb.DuckDBPyConnection) -> list[tuple[str, Finding]]:
    """Ask the store what is odd about what it holds.

    It is asked when somebody looks, not when something is loaded: what is odd depends on all loads together.

    Args:
        connection: of a reader or a writer.

    Returns:
        Services with their findings, in a fixed order.
    """
    return [
        (row["service"], finding)
        for name, tell in _QUESTIONS
        for row in run(connection, name).iter_rows(named=True)
        for finding in tell(row)
    ]


def _absent_utilisation(row: Row) -> Iterator[Finding]:
    yield Finding(
        "mig_no_gpu_util",
        "info",
        f"GPU utilisation is absent for MIG slices, {row['slices']} here: the driver reports it for whole GPUs only",
        row["slices"],
        "gpu_util",
        "missing, never zero; use sm_active or gr_engine_active",
    )


def _cached_prompts(row: Row) -> Iterator[Finding]:
    if row["is_received"]:
        yield Finding(
            "received_prompts_counted",
            "info",
            "decode instances count prompts whose cache came from prefill instances",
            subject=pooled_name(row["pool"], "prompt_tps"),
            action="kept; it is no prefill work: use prefill:prefill_tps or the service's prompt tokens",
        )
    elif row["is_cached"]:
        yield Finding(
            "cached_prompts_counted",
            "warning",
            "prompt tokens include those found in the prefix cache, and no counter of computed ones is loaded",
            subject=pooled_name(row["pool"], "prompt_tps"),
            action="kept; its level is above the work done as far as the cache hits",
        )


def _rank_copies(row: Row) -> Iterator[Finding]:
    yield Finding(
        "rank_copies",
        "info",
        f"{row['ranks']} ranks ({row['rank_labels']}) of an engine export {row['metric']}:"
        f" {row['copies']} of its series are copies",
        row["copies"],
        row["metric"],
        "rank 0 speaks for its engine; only where it is absent, the lowest of the others does",
    )


def _completions_only(row: Row) -> Iterator[Finding]:
    yield Finding(
        "completions_only",
        "warning",
        f"requests are counted when they end ({row['metrics']}), and nothing that counts arrivals is loaded",
        subject="completion_rate",
        action="stands in for load where nothing better is there, and is then told as served load:"
        " it trails arrivals by a whole request and is flat at saturation",
    )


def _histogram_faults(row: Row) -> Iterator[Finding]:
    subject = pooled_name(row["pool"], row["measurement"])
    if row["unbounded"]:
        yield Finding(
            "histogram_without_bounds",
            "warning",
            f"{row['unbounded']} of {row['series']} histograms have no bound but infinity",
            row["unbounded"],
            subject,
            "no quantile can be told from them; the mean can",
        )
    if row["single"]:
        top = row["single_high"]
        where = (
            f"between {row['single_low']:g} and {top:g} s"
            if top is not None and top != float("inf")
            else f"above {row['single_low']:g} s"
        )
        yield Finding(
            "degenerate_histogram",
            "warning",
            f"{row['single']} of {row['series']} histograms hold everything in one bucket, {where}",
            row["single"],
            subject,
            "quantiles are placed inside that bucket and mean no more than its bounds; the mean is right",
        )
    if row["bound_sets"] > 1:
        yield Finding(
            "bounds_changed",
            "warning",
            f"histograms have {row['bound_sets']} different lists of bounds"
            f" ({row['fewest_bounds']} to {row['most_bounds']} bounds), as while versions are mixed",
            row["bound_sets"],
            subject,
            "merged on the bounds that all of them have",
        )


def _sticky(row: Row) -> Iterator[Finding]:
    yield Finding(
        "sticky_gauge",
        "info",
        f"{row['repeated_ratio']:.0%} of the samples of GPU gauges repeat the one before: sampled every"
        f" {row['interval_s']:g} s, collected about every {row['changes_s']:.3g} s",
        row["series"],
        "gpu",
        "kept; GPU signals lag by up to that interval whatever the scrape rate",
    )


def _uncounted(row: Row) -> Iterator[Finding]:
    logged, counted = row["logged"], row["counted"]
    yield Finding(
        "arrivals_disagree",
        "warning",
        f"{row['metric']} counts {counted:.0f} requests where the request log has {logged}",
        abs(round(counted) - logged),
        "request_rate",
        "the request log is used; a counter often leaves out refused requests, so load looks low at saturation",
    )


_QUESTIONS: tuple[tuple[str, Callable[[Row], Iterator[Finding]]], ...] = (
    ("find_absent_mig_utilisation", _absent_utilisation),
    ("find_cached_prompts", _cached_prompts),
    ("find_completions_only", _completions_only),
    ("find_histogram_faults", _histogram_faults),
    ("find_rank_copies", _rank_copies),
    ("find_sticky_gauges", _sticky),
    ("find_uncounted_arrivals", _uncounted),
)
