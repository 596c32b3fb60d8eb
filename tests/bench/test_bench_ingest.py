"""From exports to a store on disk and back to a panel's rows, held against the plain ways of doing it.

The results are asserted, and what follows from them alone, such as sizes; the times are for people (`make bench`).
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import duckdb
import polars as pl
import pytest

from signals.store import LoadOptions, create_store
from signals.store.connect import reading
from signals.store.parsed import ReadOptions
from signals.store.sql import run
from tests.bench.inputs import GPU_METRICS, START, UNNEST, write_answer, write_gpu_table
from tests.bench.ratios import Ways

# ten metrics of a day at 15 s: of 100 GPUs (5.76 million values), or of 6 where nothing is timed
GPUS, FEW_GPUS = 100, 6
POINTS, STEP_S = 5760, 15.0
OPTIONS = LoadOptions(read=ReadOptions(service="bench"))
NUMBERS = itertools.count()
MINUTE_US = 60_000_000


@pytest.fixture(scope="module")
def gpus(request) -> int:
    return FEW_GPUS if request.config.getoption("benchmark_disable") else GPUS


@pytest.fixture(scope="module")
def answer(gpus, tmp_path_factory) -> Iterator[Path]:
    path = tmp_path_factory.mktemp("answer") / "answer.json"
    write_answer(path, series=gpus * len(GPU_METRICS), points=POINTS, step_s=STEP_S)
    yield path
    path.unlink()


@pytest.fixture(scope="module")
def table(gpus, tmp_path_factory) -> Iterator[Path]:
    path = tmp_path_factory.mktemp("table") / "gpus.parquet"
    write_gpu_table(path, gpus=gpus, points=POINTS, step_s=STEP_S)
    yield path
    path.unlink()


@pytest.fixture(scope="module")
def loaded(table, tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("loaded") / "fleet.duckdb"
    create_store(path).load([table], OPTIONS)
    return path


@pytest.fixture(scope="module")
def long(loaded, tmp_path_factory) -> Iterator[Path]:
    """The same samples as a long Parquet table with the names that a roll-up groups by."""
    path = tmp_path_factory.mktemp("long") / "long.parquet"
    with duckdb.connect(str(loaded), read_only=True) as connection:
        connection.execute("set TimeZone = 'UTC'")
        connection.execute(
            "copy (select series_id, target_pool.pool, series.measurement, sample.ts, sample.value"
            " from sample join series using (series_id) join target_pool using (target_id)"
            " order by sample.ts) to $path (format parquet)",
            {"path": str(path)},
        )
    yield path
    path.unlink()


def stored(path: Path, folder: Path) -> int:
    report = create_store(folder / f"{next(NUMBERS)}.duckdb").load([path], OPTIONS)
    return report.sources[0].rows_kept


def in_database(folder: Path, statement: str, params: dict[str, str]) -> int:
    with duckdb.connect(str(folder / f"{next(NUMBERS)}.duckdb")) as connection:
        connection.execute("set enable_progress_bar = false")
        connection.execute(statement, params)
        return connection.execute("select count(*) from samples").fetchall()[0][0]


def by_python(path: Path, folder: Path) -> int:
    frames = [
        pl.DataFrame(
            {
                "series": [number] * len(one["values"]),
                "ts": [round(moment * 1e6) for moment, _ in one["values"]],
                "value": [float(text) for _, text in one["values"]],
            }
        )
        for number, one in enumerate(json.loads(path.read_bytes())["data"]["result"])
    ]
    frame = pl.concat(frames)
    with duckdb.connect(str(folder / f"{next(NUMBERS)}.duckdb")) as connection:
        connection.register("frame", frame)
        connection.execute("create table samples as from frame")
        return connection.execute("select count(*) from samples").fetchall()[0][0]


JSON_WAYS: dict[str, Callable[[Path, Path], int]] = {
    "python_json": by_python,
    "read_json": lambda path, folder: in_database(folder, UNNEST, {"path": str(path)}),
    "load": stored,
}
JSON_TIMES = Ways("Prometheus JSON to a store", ours="load")


@pytest.mark.benchmark(group="json-to-store")
@pytest.mark.parametrize("way", JSON_WAYS)
def test_bench_prometheus_json_to_a_store(benchmark, answer, gpus, tmp_path, request, way):
    count = JSON_TIMES.time(benchmark, request, way, lambda: JSON_WAYS[way](answer, tmp_path))
    assert count == gpus * len(GPU_METRICS) * POINTS


COPY = "create table samples as from read_parquet($path)"
PARQUET_TIMES = Ways("wide Parquet to a store, checks included", ours="load")


@pytest.mark.benchmark(group="parquet-to-store")
@pytest.mark.parametrize("way", ["create_table_as", "load"])
def test_bench_wide_parquet_to_a_store(benchmark, table, gpus, tmp_path, request, way):
    rows = gpus * POINTS
    if way == "load":
        work = lambda: stored(table, tmp_path)  # noqa: E731
    else:
        work = lambda: in_database(tmp_path, COPY, {"path": str(table)}) * len(GPU_METRICS)  # noqa: E731
    assert PARQUET_TIMES.time(benchmark, request, way, work) == rows * len(GPU_METRICS)


def by_store(connection: duckdb.DuckDBPyConnection) -> pl.DataFrame:
    start_us = int(START.timestamp()) * 1_000_000
    params = {
        "service": "bench",
        "tick_us": MINUTE_US,
        "phase_us": 0,
        "first_us": start_us - MINUTE_US,
        "last_us": start_us + POINTS * int(STEP_S * 1e6),
    }
    return run(connection, "gauge_per_tick", params)


def by_polars(path: Path) -> pl.DataFrame:
    minute = (pl.col("ts") - pl.duration(microseconds=1)).dt.truncate("1m")
    return (
        pl.scan_parquet(path)
        .group_by("pool", "measurement", "series_id", minute.alias("tick"))
        .agg(pl.col("value").mean())
        .group_by("pool", "measurement", "tick")
        .agg(pl.col("value").mean())
        .collect(engine="streaming")
    )


ROLL_TIMES = Ways("per-pool roll-up of 10 metrics to minutes", ours="mart")


@pytest.mark.benchmark(group="roll-up")
@pytest.mark.parametrize("way", ["polars_streaming", "mart"])
def test_bench_roll_up_to_minutes(benchmark, loaded, long, request, way):
    with reading(loaded) as connection:
        work = (lambda: by_store(connection)) if way == "mart" else (lambda: by_polars(long))
        frame = ROLL_TIMES.time(benchmark, request, way, work)
        mine = by_store(connection)["mean_value"].sum()
    assert frame.select("pool", "measurement").unique().height == 2 * len(GPU_METRICS)
    column = "mean_value" if way == "mart" else "value"
    assert frame[column].sum() == pytest.approx(mine, rel=1e-9)
    assert by_polars(long)["value"].sum() == pytest.approx(mine, rel=1e-9)


def test_a_store_takes_half_the_room_of_a_long_table(tmp_path):
    """Both in the order of time, in which telemetry comes and is asked for."""
    # of few GPUs the empty tables are the larger part
    table, store, path = (
        tmp_path / name for name in ("gpus.parquet", "fleet.duckdb", "long.duckdb")
    )
    write_gpu_table(table, gpus=30, points=POINTS, step_s=STEP_S)
    create_store(store).load([table], OPTIONS)
    with duckdb.connect(str(store), read_only=True) as source:
        samples = source.sql("select series_id, ts, value from sample").to_arrow_table()
    with duckdb.connect(str(path)) as connection:
        connection.register("samples", samples)
        connection.execute("create table long as from samples order by ts, series_id")
    assert store.stat().st_size <= 0.5 * path.stat().st_size
