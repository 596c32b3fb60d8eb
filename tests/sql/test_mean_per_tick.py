"""Means of histograms: the increase of the sum over that of the count."""

from __future__ import annotations

from itertools import permutations

import duckdb
import pytest

from signals.store.sql import run
from tests.sql.hand import grid, put_series, ticks

GAP = 300_000_000


def means(
    connection: duckdb.DuckDBPyConnection, last_s: float, window: int = 1
) -> dict[float, float | None]:
    params = grid(last_s) | {"gap_us": GAP, "window_ticks": window}
    return ticks(run(connection, "mean_per_tick", params), "mean_value")


def put(
    connection: duckdb.DuckDBPyConnection, number: int, sums: list[float], counts: list[float]
) -> None:
    for offset, (part, values) in enumerate((("sum", sums), ("count", counts))):
        points = [(15.0 * i, v) for i, v in enumerate(values)]
        put_series(connection, number + offset, "ttft", points, kind="counter", part=part)


def test_increases_of_instances_add_before_the_division(memory: duckdb.DuckDBPyConnection) -> None:
    put(memory, 1, [0, 10, 10], [0, 10, 10])
    put(memory, 3, [100, 190, 190], [5, 35, 35])
    assert means(memory, 30) == {15: pytest.approx(100 / 40)}


def test_a_window_joins_ticks(memory: duckdb.DuckDBPyConnection) -> None:
    put(memory, 1, [0, 10, 40], [0, 10, 20])
    assert means(memory, 30, window=2) == {15: 1.0, 30: 2.0}


def test_a_reset_counts_the_new_values(memory: duckdb.DuckDBPyConnection) -> None:
    put(memory, 1, [1000, 6], [500, 3])
    assert means(memory, 15) == {15: 2.0}


def test_the_last_digit_does_not_depend_on_what_was_loaded_first(
    memory: duckdb.DuckDBPyConnection,
) -> None:
    answers = set()
    for turn, order in enumerate(permutations((0.1, 0.2, 0.3))):
        for number, one in enumerate(order):
            for offset, (part, value) in enumerate((("sum", one), ("count", 1.0))):
                number_of = 10 * turn + 2 * number + offset
                points = [(0.0, 0.0), (15.0, value)]
                put_series(
                    *(memory, number_of, "ttft", points),
                    kind="counter",
                    part=part,
                    service=f"svc{turn}",
                )
        params = grid(15, gap_us=GAP, window_ticks=1) | {"service": f"svc{turn}"}
        answers.update(run(memory, "mean_per_tick", params)["mean_value"].to_list())
    assert len(answers) == 1
