"""Scrapes as rows of telemetry: column by column, without a loop over rows."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import numpy as np
import numpy.typing as npt
import polars as pl

from signals.fleet.memory import Memory
from signals.fleet.spec import POOLS
from signals.schema import TELEMETRY, TIMESTAMP, check_frame

__all__ = ["histogram_rows", "sample_rows", "stacked", "tick_rows"]

_SCRAPE = "scrape"


def _part(
    scrape: npt.NDArray[np.int64],
    metric: str,
    value: npt.NDArray[np.float64],
    pool: str,
    *,
    instance: pl.Series | pl.Expr,
    le: pl.Series | pl.Expr,
) -> pl.DataFrame:
    return pl.DataFrame({_SCRAPE: scrape, "value": value}).select(
        _SCRAPE,
        pl.lit(metric).alias("metric"),
        "value",
        pl.lit(pool).alias("pool"),
        instance.alias("instance"),
        pl.lit("").alias("gpu"),
        le.alias("le"),
    )


def sample_rows(
    memory: Memory, rows: slice, pool: str, metric: str, values: npt.NDArray[np.float64]
) -> pl.DataFrame:
    """One measurement of a pool's instances; values that are not there are left out."""
    samples = memory["samples"][rows]
    mine = memory.instances["pool"][samples["instance"]] == POOLS.index(pool)
    mine &= ~np.isnan(values)
    names = pl.Series(
        [f"{pool}-{number}" for number in memory.instances["number"]], dtype=pl.String
    )
    instance = names.gather(samples["instance"][mine])
    return _part(
        np.ascontiguousarray(samples["scrape"][mine]),
        metric,
        values[mine],
        pool,
        instance=instance,
        le=pl.lit(""),
    )


def tick_rows(
    memory: Memory, window: tuple[int, int], column: str, metric: str, pool: str
) -> pl.DataFrame:
    """One measurement of a pool or of the service."""
    low, high = window
    values = memory["ticks"][column][low:high].astype(np.float64)
    scrape = np.arange(low, high, dtype=np.int64)
    return _part(scrape, metric, values, pool, instance=pl.lit(""), le=pl.lit(""))


def histogram_rows(
    metric: str,
    pool: str,
    scrapes: int,
    bounds: npt.NDArray[np.float64],
    cumulative: npt.NDArray[np.float64],
    sums: npt.NDArray[np.float64],
) -> pl.DataFrame:
    """A histogram as `_bucket`, `_sum` and `_count` series, the way exporters write it."""
    labels = pl.Series([*(f"{bound:g}" for bound in bounds), "+Inf"])
    every = np.arange(scrapes, dtype=np.int64)
    buckets = _part(
        np.repeat(every, len(labels)),
        f"{metric}_bucket",
        cumulative.reshape(-1),
        pool,
        instance=pl.lit(""),
        le=labels.gather(np.tile(np.arange(len(labels)), scrapes)),
    )
    blank = pl.lit("")
    total = _part(every, f"{metric}_sum", sums, pool, instance=blank, le=blank)
    count = _part(every, f"{metric}_count", cumulative[:, -1], pool, instance=blank, le=blank)
    return pl.concat([buckets, total, count])


def stacked(parts: Sequence[pl.DataFrame], start: datetime, interval_ps: int) -> pl.DataFrame:
    """All parts as TELEMETRY, scrape numbers turned into times."""
    first_us = pl.Series([start], dtype=TIMESTAMP).to_physical()[0]
    frame = pl.concat(parts)
    microseconds = (frame[_SCRAPE].to_numpy() * (interval_ps // 1_000_000)) + first_us
    times = pl.Series("ts", microseconds).cast(TIMESTAMP)
    return check_frame(frame.select(times, pl.exclude(_SCRAPE)), TELEMETRY)
