"""Inputs of the benchmarks, by size."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import polars as pl

from signals.schema import TIMESTAMP

START = datetime(2026, 1, 5, tzinfo=UTC)


def write_wide_day(path: Path, *, days: float, step_s: float, instances: int) -> int:
    """Write a wide table of a decode pool whose load follows the day.

    Args:
        path: a .csv file to write.
        days: length.
        step_s: seconds between rows.
        instances: decode instances; each has tokens/s, GPU utilisation and KV usage.

    Returns:
        Samples written.
    """
    rng = np.random.default_rng(3)
    seconds = np.arange(0.0, days * 86400.0, step_s)
    load = 1.2 - np.cos(2.0 * np.pi * seconds / 86400.0)
    columns: dict[str, pl.Series] = {
        "ts": pl.Series((seconds * 1e6).astype(np.int64)).cast(pl.Duration("us")) + START
    }
    for index in range(instances):
        noise = 1.0 + 0.02 * rng.standard_normal(seconds.size)
        pod = f"decode/pod-{index}"
        columns[f"{pod}:decode_tps [tokens/s]"] = pl.Series(800.0 * load * noise)
        columns[f"{pod}:gpu_util [%]"] = pl.Series(np.clip(92.0 + 2.0 * load * noise, 0.0, 100.0))
        columns[f"{pod}:kv_usage [ratio]"] = pl.Series(np.clip(0.25 * load * noise, 0.0, 1.0))
    frame = pl.DataFrame(columns).with_columns(pl.col("ts").cast(TIMESTAMP))
    frame.with_columns(pl.col("ts").dt.strftime("%Y-%m-%dT%H:%M:%S%.fZ")).write_csv(path)
    return 3 * instances * seconds.size
