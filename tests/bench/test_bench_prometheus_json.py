"""How fast a Prometheus answer becomes columns: our reader, DuckDB's JSON reader, and Python's json with polars.

All three read the same file in one run; `extra_info` and a line of the last test hold the ratios. The results are
asserted; the times are for people (`make bench`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import duckdb
import numpy as np
import polars as pl
import pytest

from signals.store.parsed import ReadOptions
from signals.store.sources.prometheus_matrix import PROMETHEUS_MATRIX
from tests.bench.inputs import UNNEST, write_answer

# 10 metrics of a day at 15 s: of 100 GPUs (5.76 million values, 160 MB), or of 6 where nothing is timed
GPUS, FEW_GPUS = 100, 6
METRICS = 10
POINTS = 5760


@pytest.fixture(scope="module")
def series(request) -> int:
    return METRICS * (FEW_GPUS if request.config.getoption("benchmark_disable") else GPUS)


@pytest.fixture(scope="module")
def answer(series, tmp_path_factory) -> Iterator[Path]:
    path = tmp_path_factory.mktemp("prometheus") / "answer.json"
    write_answer(path, series=series, points=POINTS, step_s=15.0)
    yield path
    path.unlink()


def by_reader(path: Path) -> tuple[int, float]:
    chunks = [chunk.samples for chunk in PROMETHEUS_MATRIX.read(path, ReadOptions())]
    frames = [frame for frame in chunks if frame is not None]
    return sum(frame.height for frame in frames), sum(frame["value"].sum() for frame in frames)


def by_duckdb(path: Path) -> tuple[int, float]:
    with duckdb.connect() as connection:
        connection.execute("set enable_progress_bar = false")
        connection.execute(UNNEST, {"path": str(path)})
        return connection.execute("select count(*), sum(value) from samples").fetchall()[0]


def by_python(path: Path) -> tuple[int, float]:
    result = json.loads(path.read_bytes())["data"]["result"]
    frames = [
        pl.DataFrame(
            {
                "series": np.full(len(one["values"]), number, dtype=np.uint32),
                "ts": np.rint(np.array([time for time, _ in one["values"]]) * 1e6).astype(np.int64),
                "value": [float(text) for _, text in one["values"]],
            }
        )
        for number, one in enumerate(result)
    ]
    table = pl.concat(frames)
    return table.height, table["value"].sum()


WAYS: dict[str, Callable[[Path], tuple[int, float]]] = {
    "duckdb": by_duckdb,
    "python": by_python,
    "reader": by_reader,
}
SECONDS: dict[str, float] = {}


@pytest.mark.benchmark(group="prometheus-json")
@pytest.mark.parametrize("way", WAYS)
def test_bench_an_answer(benchmark, answer, series, request, way):
    """From a file to columns of every sample; the least of a few rounds counts."""
    read = WAYS[way]
    rounds = 5 if way == "reader" else 2
    count, total = benchmark.pedantic(
        read, args=(answer,), rounds=rounds, warmup_rounds=int(way == "reader")
    )
    assert count == series * POINTS
    assert total == pytest.approx(by_reader(answer)[1], rel=1e-9)
    if benchmark.disabled:
        return
    SECONDS[way] = benchmark.stats.stats.min
    benchmark.extra_info["values_per_s"] = round(count / SECONDS[way])
    benchmark.extra_info["megabytes"] = round(answer.stat().st_size / 1e6)
    for other, seconds in SECONDS.items():
        if other != way:
            benchmark.extra_info[f"times_{other}"] = round(seconds / SECONDS[way], 2)
    if way == "reader":
        ratios = ", ".join(
            f"{seconds / SECONDS[way]:.1f}x {other}"
            for other, seconds in SECONDS.items()
            if other != way
        )
        reporter = request.config.pluginmanager.get_plugin("terminalreporter")
        reporter.write_line(f"\nPrometheus JSON, {count:,} values: {SECONDS[way]:.2f} s, {ratios}")
