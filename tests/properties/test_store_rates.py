"""What holds for rates of any counter: nothing is lost, nothing is invented, nothing is foreseen."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import duckdb
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from signals.store.connect import empty
from signals.store.sql import run
from tests.sql.hand import grid, put_series, ticks

VIEWS = ("stg_series", "stg_sample", "stg_histogram", "stg_request")
GAP = 300_000_000
SETTINGS = settings(max_examples=25, deadline=None)

Points = list[tuple[float, float]]


@st.composite
def counters(draw: st.DrawFn, spacing: float = 15.0) -> Points:
    """A counter at a fixed offset: whole increments, restarts, missed scrapes."""
    offset = draw(st.integers(0, int(spacing * 10) - 1)) / 10
    steps = draw(st.lists(st.integers(-1, 500), min_size=4, max_size=40))
    missed = draw(st.sets(st.integers(2, len(steps) - 2), max_size=3)) if len(steps) > 4 else set()
    value, points = float(draw(st.integers(0, 1000))), []
    for number, step in enumerate(steps):
        value = 0.0 if step < 0 else value + step
        if number not in missed:
            points.append((offset + spacing * number, value))
    return points


def increase(points: Points) -> float:
    """The obvious twin: what was counted between the first and the last sample."""
    return sum(b - a if b >= a else b for (_, a), (_, b) in pairwise(points))


@pytest.fixture(scope="module")
def memory() -> Iterator[duckdb.DuckDBPyConnection]:
    """One store in memory for all examples; making its tables is the slow part."""
    with empty("schema", VIEWS) as connection:
        yield connection


def rates(
    connection: duckdb.DuckDBPyConnection,
    series: list[Points],
    last_s: float,
    spacing: float = 15.0,
) -> dict[float, float]:
    for table in ("sample_other", "series", "target_pool", "target"):
        connection.execute(f"delete from {table}").fetchall()
    for number, points in enumerate(series):
        put_series(
            connection,
            number + 1,
            "decode_tokens_total",
            points,
            kind="counter",
            resolution_s=spacing,
        )
    frame = run(connection, "rate_per_tick", grid(last_s) | {"gap_us": GAP})
    return {tick: value for tick, value in ticks(frame, "rate_per_s").items() if value is not None}


@SETTINGS
@given(points=counters())
def test_the_total_is_kept(memory: duckdb.DuckDBPyConnection, points: Points) -> None:
    found = rates(memory, [points], 15.0 * 50)
    assert sum(found.values()) * 15 == pytest.approx(increase(points), abs=1e-6)


@SETTINGS
@given(points=counters())
def test_rates_are_never_negative_and_have_no_hole(
    memory: duckdb.DuckDBPyConnection, points: Points
) -> None:
    found = rates(memory, [points], 15.0 * 50)
    assert min(found.values()) >= 0
    assert np.diff(sorted(found)).tolist() == [15.0] * (len(found) - 1)


@SETTINGS
@given(one=counters(), two=counters())
def test_the_sum_of_series_is_the_sum_of_their_rates(
    memory: duckdb.DuckDBPyConnection, one: Points, two: Points
) -> None:
    both, first, second = (rates(memory, s, 15.0 * 50) for s in ([one, two], [one], [two]))
    for tick, value in both.items():
        assert value == pytest.approx(first.get(tick, 0) + second.get(tick, 0), abs=1e-9)


@SETTINGS
@given(
    steps=st.lists(st.integers(-1, 500), min_size=12, max_size=60),
    offset=st.integers(0, 49),
    cut=st.integers(2, 12),
)
def test_the_future_does_not_matter(
    memory: duckdb.DuckDBPyConnection, steps: list[int], offset: int, cut: int
) -> None:
    values = np.maximum.accumulate(np.cumsum(np.maximum(steps, 0))).astype(float)
    points = [(offset / 10 + 5.0 * number, value) for number, value in enumerate(values)]
    seen = [(s, v) for s, v in points if s <= 15.0 * cut]
    now, later = rates(memory, [seen], 15.0 * cut, 5.0), rates(memory, [points], 15.0 * 50, 5.0)
    for tick, value in now.items():
        # the last tick of a series that ends may be covered in part
        if tick < seen[-1][0]:
            assert later[tick] == pytest.approx(value)


@SETTINGS
@given(
    lives=st.lists(st.tuples(st.integers(0, 20), st.integers(1, 40)), min_size=1, max_size=4),
    missed=st.sets(st.tuples(st.integers(0, 4), st.integers(0, 40)), max_size=12),
)
def test_a_pool_is_never_lower_than_the_pods_it_has(
    memory: duckdb.DuckDBPyConnection, lives: list[tuple[int, int]], missed: set[tuple[int, int]]
) -> None:
    """Pods that count ten a second, each while it is there, scraped with some scrapes missed."""
    spans = [(0, 40), *((first, min(first + length, 40)) for first, length in lives)]
    fleet = [
        [(15.0 * i, 150.0 * i) for i in range(first, last + 1) if (pod, i) not in missed]
        for pod, (first, last) in enumerate(spans)
    ]
    fleet = [points for points in fleet if points]
    newest = max(points[-1][0] for points in fleet)
    for tick, value in rates(memory, fleet, 15.0 * 40).items():
        # the twin: who has samples at or before a tick's begin and at or after its end is there
        there = [points for points in fleet if points[0][0] < tick <= points[-1][0]]
        unsure = [p for p in fleet if p[-1][0] < tick and newest - p[-1][0] < 30 and len(p) > 1]
        assert value == pytest.approx(10.0 * len(there))
        assert not unsure


@SETTINGS
@given(points=counters(), seed=st.integers(0, 99))
def test_the_order_of_rows_does_not_matter(
    memory: duckdb.DuckDBPyConnection, points: Points, seed: int
) -> None:
    mixed = [points[i] for i in np.random.default_rng(seed).permutation(len(points))]
    assert rates(memory, [mixed], 15.0 * 50) == pytest.approx(rates(memory, [points], 15.0 * 50))
