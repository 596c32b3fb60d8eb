"""Inputs of the benchmarks, by size."""

from __future__ import annotations

import json
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


def write_answer(path: Path, *, series: int, points: int, step_s: float) -> None:
    """Write the answer of a Prometheus server about raw samples, as a range vector gives them.

    Args:
        path: a .json file to write.
        series: how many; a third each of whole numbers, of three decimals, and of all the digits of a float.
        points: samples of each.
        step_s: seconds between samples; each series has its own milliseconds.
    """
    rng = np.random.default_rng(3)
    seconds = [int(second) for second in START.timestamp() + step_s * np.arange(points)]
    with path.open("w", encoding="utf-8") as file:
        file.write('{"status":"success","data":{"resultType":"matrix","result":[')
        for number in range(series):
            values = 100.0 * rng.random(points)
            digits = (0, 3, 15)[number % 3]
            texts = [repr(value) for value in np.round(values, digits).tolist()]
            if digits == 0:
                texts = [text.removesuffix(".0") for text in texts]
            labels = {
                "__name__": f"DCGM_FI_METRIC_{number % 10}",
                "UUID": f"GPU-{number // 10:08x}-0000-0000",
                "gpu": str(number // 10 % 8),
                "hostname": f"node-{number // 80}",
                "namespace": "llm",
                "pod": f"decode-{number // 10}",
            }
            behind = f".{rng.integers(1000):03d},"
            pairs = ",".join(
                f'[{second}{behind}"{text}"]' for second, text in zip(seconds, texts, strict=True)
            )
            comma = "," if number else ""
            file.write(f'{comma}{{"metric":{json.dumps(labels)},"values":[{pairs}]}}')
        file.write("]}}\n")
