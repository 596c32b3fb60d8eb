"""Inputs of the benchmarks, by size."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow as pa
from pyarrow.parquet import ParquetWriter

from signals.schema import TIMESTAMP

START = datetime(2026, 1, 5, tzinfo=UTC)
GPU_METRICS = (
    "DCGM_FI_DEV_GPU_UTIL",
    "DCGM_FI_DEV_MEM_COPY_UTIL",
    "DCGM_FI_PROF_GR_ENGINE_ACTIVE",
    "DCGM_FI_PROF_SM_ACTIVE",
    "DCGM_FI_PROF_SM_OCCUPANCY",
    "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE",
    "DCGM_FI_PROF_DRAM_ACTIVE",
    "DCGM_FI_DEV_POWER_USAGE",
    "DCGM_FI_DEV_FB_USED",
    "DCGM_FI_DEV_GPU_TEMP",
)
"""Ten metrics of a GPU."""
UNNEST = """
create table samples as
with answer as (
    select unnest(data.result) as one
    from read_json($path, maximum_object_size = 2000000000, columns = {
        data: 'STRUCT(result STRUCT(metric MAP(VARCHAR, VARCHAR), "values" VARCHAR[][])[])'
    })
)
select one.metric as labels, to_timestamp(pair[1]::double) as ts, pair[2]::double as value
from (select one, unnest(one."values") as pair from answer)
"""
"""A Prometheus answer to a table, as DuckDB reads JSON; takes `$path`."""


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


def write_answer(path: Path, *, series: int, points: int, step_s: float) -> None:
    """Write the answer of a Prometheus server about raw samples, as a range vector gives them.

    Args:
        path: a .json file to write.
        series: how many, ten of each GPU; a third each of whole numbers, of three decimals, and of all the digits of a
            float.
        points: samples of each.
        step_s: seconds between samples; each GPU has its own milliseconds.
    """
    rng = np.random.default_rng(3)
    behind = ""
    seconds = [int(second) for second in START.timestamp() + step_s * np.arange(points)]
    with path.open("w", encoding="utf-8") as file:
        file.write('{"status":"success","data":{"resultType":"matrix","result":[')
        for number in range(series):
            values = 100.0 * rng.random(points)
            digits = (0, 3, 15)[number % 3]
            texts = [repr(value) for value in np.round(values, digits).tolist()]
            if digits == 0:
                texts = [text.removesuffix(".0") for text in texts]
            if number % len(GPU_METRICS) == 0:
                behind = f".{rng.integers(1000):03d},"
            labels = {
                "__name__": GPU_METRICS[number % len(GPU_METRICS)],
                "UUID": f"GPU-{number // 10:08x}-0000-0000",
                "gpu": str(number // 10 % 8),
                "hostname": f"node-{number // 80}",
                "namespace": "llm",
                "pod": f"decode-{number // 10}",
            }
            pairs = ",".join(
                f'[{second}{behind}"{text}"]' for second, text in zip(seconds, texts, strict=True)
            )
            comma = "," if number else ""
            file.write(f'{comma}{{"metric":{json.dumps(labels)},"values":[{pairs}]}}')
        file.write("]}}\n")


def write_gpu_table(path: Path, *, gpus: int, points: int, step_s: float) -> None:
    """Write a day of GPUs as a Parquet table: a row per scrape with four labels and ten metrics, in order of time.

    Args:
        path: a .parquet file to write.
        gpus: how many, eight of a node.
        points: samples of each metric of each GPU.
        step_s: seconds between scrapes; each GPU has its own moment within.
    """
    rng = np.random.default_rng(3)
    start_us = int(START.timestamp()) * 1_000_000
    step_us = int(step_s * 1e6)
    behind = rng.integers(0, step_us, gpus)
    numbers = np.arange(gpus)
    labels = {
        "Hostname": [f"node-{number // 8}" for number in numbers],
        "gpu": [str(number % 8) for number in numbers],
        "UUID": [f"GPU-{number:08x}-0000-0000" for number in numbers],
        "pod": [f"{'prefill' if number % 3 else 'decode'}-{number // 8}" for number in numbers],
    }
    rows = 500_000 // gpus
    with ParquetWriter(path, _gpu_schema()) as writer:
        for first in range(0, points, rows):
            steps = np.arange(first, min(first + rows, points))
            ts_us = start_us + np.add.outer(steps * step_us, behind).ravel()
            columns = {
                "ts": pl.Series(ts_us).cast(pl.Datetime("us")).dt.replace_time_zone("UTC"),
                **{name: cells * steps.size for name, cells in labels.items()},
                # devices tell whole numbers, profiling shares of time
                **{
                    name: np.round(80.0 * rng.random(ts_us.size))
                    if "DEV" in name
                    else np.round(rng.random(ts_us.size), 4)
                    for name in GPU_METRICS
                },
            }
            writer.write_table(pl.DataFrame(columns).to_arrow().cast(_gpu_schema()))


def _gpu_schema() -> pa.Schema:
    labels = ("Hostname", "gpu", "UUID", "pod")
    return pa.schema(
        [
            ("ts", pa.timestamp("us", "UTC")),
            *((name, pa.large_string()) for name in labels),
            *((name, pa.float64()) for name in GPU_METRICS),
        ]
    )
