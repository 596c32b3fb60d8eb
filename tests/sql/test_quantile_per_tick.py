"""Quantiles from merged buckets."""

from __future__ import annotations

import math

import duckdb
import polars as pl
import pytest

from signals.store.sql import run
from tests.sql.hand import grid, put_histogram

GAP = 300_000_000
INF = math.inf


def quantiles(
    connection: duckdb.DuckDBPyConnection, last_s: float, window: int = 1
) -> pl.DataFrame:
    params = grid(last_s) | {"gap_us": GAP, "window_ticks": window}
    return run(connection, "quantile_per_tick", params)


def test_linear_inside_a_bucket_and_open_above_the_top(memory: duckdb.DuckDBPyConnection) -> None:
    bounds = [1.0, 2.5, 5.0, 7.5, 10.0, INF]
    put_histogram(memory, 1, bounds, [(0, [0] * 6), (15, [40, 60, 80, 90, 94, 100])])
    row = quantiles(memory, 15).row(0, named=True)
    assert row["p50"] == pytest.approx(1.75)
    assert row["p90"] == pytest.approx(7.5)
    assert row["p99"] is None
    assert row["top_bound"] == 10.0
    assert row["share_above_top"] == pytest.approx(0.06)
    assert row["observations"] == 100


def test_different_bounds_merge_on_the_common_ones(memory: duckdb.DuckDBPyConnection) -> None:
    old, new = [1.0, 5.0, 10.0, INF], [1.0, 5.0, 10.0, 20.0, 40.0, 80.0, INF]
    put_histogram(memory, 1, old, [(0, [0] * 4), (15, [50, 80, 90, 100])])
    put_histogram(memory, 2, new, [(0, [0] * 7), (15, [10, 30, 50, 80, 95, 100, 100])])
    row = quantiles(memory, 15).row(0, named=True)
    assert row["p50"] == pytest.approx(4.2)
    assert row["p90"] is None
    assert row["top_bound"] == 10.0
    # of the 200, 90 and 95 at least are at or below 40 s, but only 90 and 80 at or below 20 s
    assert (row["p50_most"], row["p90_most"], row["p99_most"]) == (None, 40.0, None)


def test_nothing_bounds_what_lies_above_the_only_list(memory: duckdb.DuckDBPyConnection) -> None:
    put_histogram(memory, 1, [1.0, INF], [(0, [0, 0]), (15, [1, 10])])
    put_histogram(memory, 2, [1.0, INF], [(0, [0, 0]), (15, [1, 10])])
    row = quantiles(memory, 15).row(0, named=True)
    assert row["p90"] is None
    assert row["p90_most"] is None


def test_a_reset_counts_the_new_buckets(memory: duckdb.DuckDBPyConnection) -> None:
    put_histogram(memory, 1, [1.0, 2.0, INF], [(0, [500, 900, 900]), (15, [0, 10, 10])])
    row = quantiles(memory, 15).row(0, named=True)
    assert row["observations"] == 10
    assert row["p50"] == pytest.approx(1.5)


def test_the_window_looks_back_only(memory: duckdb.DuckDBPyConnection) -> None:
    points = [(0, [0, 0]), (15, [10, 10]), (30, [10, 10]), (45, [10, 10]), (60, [10, 10])]
    put_histogram(memory, 1, [1.0, INF], points)
    assert quantiles(memory, 60, window=2).select("tick_no").height == 2
    assert quantiles(memory, 60, window=2)["observations"].to_list() == [10.0, 10.0]


def test_ticks_between_samples_keep_the_window(memory: duckdb.DuckDBPyConnection) -> None:
    points = [(0, [0, 0]), (30, [10, 10]), (60, [30, 30])]
    put_histogram(memory, 1, [1.0, INF], points)
    assert quantiles(memory, 60, window=4)["observations"].to_list() == [10.0, 10.0, 30.0]


def test_without_an_observation_there_is_no_row(memory: duckdb.DuckDBPyConnection) -> None:
    put_histogram(memory, 1, [1.0, INF], [(0, [5, 5]), (15, [5, 5])])
    assert quantiles(memory, 15).is_empty()


def test_negative_bounds_do_not_start_at_zero(memory: duckdb.DuckDBPyConnection) -> None:
    put_histogram(memory, 1, [-1.0, 1.0, INF], [(0, [0, 0, 0]), (15, [0, 10, 10])])
    assert quantiles(memory, 15)["p50"].to_list() == [0.0]
