"""Quantiles and means against an obvious twin, over any histograms."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import duckdb
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from signals.store.connect import empty
from signals.store.sql import run
from tests.sql.hand import grid, put_histogram

VIEWS = ("stg_series", "stg_sample", "stg_histogram", "stg_request")
BOUNDS = [0.1, 0.5, 1.0, 5.0, math.inf]
SETTINGS = settings(max_examples=25, deadline=None)
Buckets = list[list[int]]


@pytest.fixture(scope="module")
def memory() -> Iterator[duckdb.DuckDBPyConnection]:
    """One store in memory for all examples."""
    with empty("schema", VIEWS) as connection:
        yield connection


@st.composite
def histograms(draw: st.DrawFn) -> Buckets:
    """Observations per bucket and scrape of one process, not cumulative."""
    row = st.lists(st.integers(0, 30), min_size=len(BOUNDS), max_size=len(BOUNDS))
    return draw(st.lists(row, min_size=2, max_size=6))


def twin(counts: Sequence[int], q: float) -> float | None:
    """Linear inside the bucket that holds the rank; unknown above the top bound."""
    rank, below, lower = q * sum(counts), 0, 0.0
    for count, bound in zip(counts, BOUNDS, strict=True):
        if count and below + count >= rank:
            if math.isinf(bound):
                return None
            return lower + (bound - lower) * (rank - below) / count
        below, lower = below + count, bound
    return None


@SETTINGS
@given(fleet=st.lists(histograms(), min_size=1, max_size=3))
def test_quantiles_are_those_of_all_observations(
    memory: duckdb.DuckDBPyConnection, fleet: list[Buckets]
) -> None:
    for table in ("histogram", "bounds", "series", "target_pool", "target"):
        memory.execute(f"delete from {table}").fetchall()
    for number, rows in enumerate(fleet):
        running = np.cumsum(np.cumsum([[0] * len(BOUNDS), *rows], axis=1), axis=0)
        points = [(15.0 * i, [int(v) for v in row]) for i, row in enumerate(running)]
        put_histogram(memory, number + 1, BOUNDS, points)
    last = max(len(rows) for rows in fleet)
    params = grid(15.0 * last) | {"gap_us": 300_000_000, "window_ticks": 2}
    first_no = params["first_us"] // params["tick_us"]  # type: ignore[operator]
    frame = run(memory, "quantile_per_tick", params)
    found = {row["tick_no"] - first_no: row for row in frame.iter_rows(named=True)}
    for tick in range(1, last + 1):
        window = [rows[i - 1] for rows in fleet for i in (tick - 1, tick) if 1 <= i <= len(rows)]
        counts = [sum(column) for column in zip(*window, strict=True)] or [0]
        if not sum(counts):
            assert tick not in found
            continue
        for name, q in (("p50", 0.5), ("p90", 0.9), ("p99", 0.99)):
            wanted = twin(counts, q)
            value = found[tick][name]
            assert (value is None) == (wanted is None)
            assert value is None or value == pytest.approx(wanted)
