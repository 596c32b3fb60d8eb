"""Instances that give samples."""

from __future__ import annotations

import duckdb

from signals.store.sql import run
from tests.sql.hand import grid, put_series, ticks


def test_distinct_instances_are_counted_once(memory: duckdb.DuckDBPyConnection) -> None:
    put_series(memory, 1, "running", [(15, 0.0), (30, 0.0)], instance="a")
    put_series(memory, 2, "kv_usage", [(15, 0.0), (30, 0.0)], instance="a")
    put_series(memory, 3, "running", [(30, 0.0)], instance="b")
    assert ticks(run(memory, "ready_per_tick", grid(30)), "ready_count") == {15: 1, 30: 2}


def test_a_vanished_instance_goes_after_twice_its_resolution(
    memory: duckdb.DuckDBPyConnection,
) -> None:
    put_series(memory, 1, "running", [(15, 0.0)], instance="a")
    put_series(memory, 2, "running", [(s, 0.0) for s in range(15, 90, 15)], instance="b")
    found = ticks(run(memory, "ready_per_tick", grid(75)), "ready_count")
    assert found == {15: 2, 30: 2, 45: 2, 60: 1, 75: 1}


def test_nameless_instances_and_hardware_are_no_evidence(memory: duckdb.DuckDBPyConnection) -> None:
    put_series(memory, 1, "running", [(15, 0.0)])
    put_series(memory, 2, "gpu_util", [(15, 0.0)], instance="node", family="gpu")
    assert run(memory, "ready_per_tick", grid(15)).is_empty()
