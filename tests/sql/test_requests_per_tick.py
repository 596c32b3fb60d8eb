"""Arrivals on a grid."""

from __future__ import annotations

import duckdb

from signals.store.sql import execute, run
from tests.sql.hand import grid, request_frame, ticks


def put(connection: duckdb.DuckDBPyConnection, *rows: dict[str, object]) -> None:
    connection.register("chunk", request_frame(rows))
    execute(connection, "load/stage_requests", {"source_id": 1, "service": "svc"})
    connection.unregister("chunk")


def test_a_quiet_tick_is_zero_and_outside_is_missing(memory: duckdb.DuckDBPyConnection) -> None:
    put(
        memory,
        {"arrived_s": 31, "prompt_tokens": 30, "output_tokens": 15},
        {"arrived_s": 31, "prompt_tokens": 30, "output_tokens": 15},
        {"arrived_s": 75, "prompt_tokens": 15, "output_tokens": 30},
    )
    rows = run(memory, "requests_per_tick", grid(120))
    assert ticks(rows, "request_rate_rps") == {45: 2 / 15, 60: 0.0, 75: 1 / 15}
    assert ticks(rows, "offered_prompt_tps") == {45: 4.0, 60: 0.0, 75: 1.0}
    assert ticks(rows, "offered_output_tps") == {45: 2.0, 60: 0.0, 75: 2.0}


def test_asked_tokens_come_before_produced_ones(memory: duckdb.DuckDBPyConnection) -> None:
    put(
        memory,
        {"arrived_s": 5, "prompt_tokens": 1, "output_tokens": 0, "asked_output_tokens": 150},
        {"arrived_s": 6, "prompt_tokens": 1, "output_tokens": 150},
    )
    rows = run(memory, "requests_per_tick", grid(15))
    assert ticks(rows, "offered_output_tps") == {15: 20.0}


def test_a_log_without_lengths_has_a_rate_but_no_tokens(memory: duckdb.DuckDBPyConnection) -> None:
    put(memory, {"arrived_s": 5})
    rows = run(memory, "requests_per_tick", grid(15))
    assert rows.select("request_rate_rps", "offered_prompt_tps").rows() == [(1 / 15, None)]
