"""Gauges: the mean in the window, carried forward a little, then over instances."""

from __future__ import annotations

import duckdb

from signals.store.sql import run
from tests.sql.hand import grid, put_series, ticks


def gauge(
    connection: duckdb.DuckDBPyConnection, last_s: float, value: str, **more: float
) -> dict[float, float | None]:
    return ticks(
        run(connection, "gauge_per_tick", grid(last_s, **more)),
        value,
        tick_s=more.get("tick_s", 15.0),
    )


def test_each_instance_gives_one_mean_whatever_its_spacing(
    memory: duckdb.DuckDBPyConnection,
) -> None:
    put_series(memory, 1, "kv_usage", [(5, 0.1), (10, 0.2), (15, 0.3)], resolution_s=5.0)
    put_series(memory, 2, "kv_usage", [(15, 0.6)], resolution_s=15.0)
    found = gauge(memory, 15, "mean_value")
    assert {tick: round(value or 0, 9) for tick, value in found.items()} == {15: 0.4}
    assert gauge(memory, 15, "total_value") == {15: 0.8}


def test_a_sample_at_the_tick_belongs_to_it(memory: duckdb.DuckDBPyConnection) -> None:
    put_series(memory, 1, "running", [(0, 1.0), (15, 2.0), (30, 3.0)])
    assert gauge(memory, 30, "mean_value") == {15: 2.0, 30: 3.0}


def test_a_value_is_carried_for_twice_its_resolution(memory: duckdb.DuckDBPyConnection) -> None:
    put_series(memory, 1, "running", [(10, 4.0), (70, 8.0)])
    # the sample of 10 s is 35 s old at 45 s, and the next one is seen at 75 s
    assert gauge(memory, 120, "total_value") == {15: 4.0, 30: 4.0, 75: 8.0, 90: 8.0}


def test_slow_series_reach_every_tick(memory: duckdb.DuckDBPyConnection) -> None:
    put_series(memory, 1, "gpu_util", [(0, 0.2), (60, 0.4), (120, 0.6)], resolution_s=60.0)
    found = gauge(memory, 120, "mean_value", tick_s=30.0)
    assert found == {30: 0.2, 60: 0.4, 90: 0.4, 120: 0.6}


def test_a_window_sees_what_came_before_it(memory: duckdb.DuckDBPyConnection) -> None:
    put_series(memory, 1, "running", [(10, 4.0), (40, 6.0)], resolution_s=30.0)
    assert gauge(memory, 30, "mean_value", first_s=15.0) == {30: 4.0}


def test_signals_and_measurements_of_one_name_stay_apart(memory: duckdb.DuckDBPyConnection) -> None:
    put_series(memory, 1, "decode_tps", [(15, 100.0)], part="signal", family="other")
    rows = run(memory, "gauge_per_tick", grid(15))
    assert rows.select("measurement", "part", "total_value", "series_count").rows() == [
        ("decode_tps", "signal", 100.0, 1)
    ]
