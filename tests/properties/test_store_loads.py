"""However the same samples are cut into loads, the same store comes out."""

from __future__ import annotations

import itertools
import tempfile
from pathlib import Path

import duckdb
import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from signals.store.parsed import Series
from signals.store.sql import query_names
from tests.sql.hand import Hand, chunk_of

SETTINGS = settings(max_examples=8, deadline=None)
NAMES = ("vllm:generation_tokens_total", "vllm:num_requests_running")


def series(number: int) -> Series:
    return Series(NAMES[number % 2], {"pod": f"decode-{number // 2}"})


def contents(hand: Hand) -> tuple[list[tuple[object, ...]], list[tuple[object, ...]]]:
    """Samples by name and pod, and what is known of their series."""
    with duckdb.connect(str(hand.path), read_only=True) as connection:
        connection.execute("set TimeZone = 'UTC'")
        samples = connection.execute(
            "select metric, labels['pod'], ts, value from sample join series using (series_id)"
            " order by all"
        ).fetchall()
        known = connection.execute(
            "select metric, labels['pod'], samples, resets, first_at, last_at, resolution_s"
            " from series order by all"
        ).fetchall()
    return samples, known


def told_resets(hand: Hand) -> int:
    """Falls of counters by the findings of all sources; many in one load are told as those of a gauge."""
    findings = hand.store.inventory().findings
    told = findings.filter(pl.col("code").is_in(["counter_reset", "counter_as_gauge"]))
    return int(told["count"].sum())


@SETTINGS
@given(
    values=st.lists(st.integers(0, 100), min_size=8, max_size=24),
    cuts=st.lists(st.integers(0, 23), min_size=1, max_size=3),
    overlap=st.integers(0, 4),
)
def test_cuts_and_overlaps_do_not_matter(values: list[int], cuts: list[int], overlap: int) -> None:
    rows = [(number % 4, 15.0 * (number // 4), value) for number, value in enumerate(values)]
    with tempfile.TemporaryDirectory() as folder:
        whole, cut = Hand(Path(folder) / "whole"), Hand(Path(folder) / "cut")
        for hand in (whole, cut):
            hand.folder.mkdir()
        whole.load(chunk_of(*points_of(rows)))
        edges = [0, *sorted(c for c in set(cuts) if 0 < c < len(rows)), len(rows)]
        for first, last in itertools.pairwise(edges):
            cut.load(chunk_of(*points_of(rows[max(0, first - overlap) : last])))
        assert contents(cut) == contents(whole)
        assert told_resets(cut) == told_resets(whole) == falls_of(values)
        for hand in (whole, cut):
            for check in (name for name in query_names() if name.startswith("checks/")):
                assert hand.store.query(check).is_empty(), check


def falls_of(values: list[int]) -> int:
    """Of the counters among the four series whose values take turns."""
    counters = [values[number::4] for number in (0, 2)]
    return sum(b < a for one in counters for a, b in itertools.pairwise(one))


@SETTINGS
@given(
    values=st.lists(st.integers(0, 4), min_size=8, max_size=12),
    cuts=st.sets(st.integers(1, 7), min_size=2, max_size=4),
    data=st.data(),
)
def test_each_reset_is_told_by_one_load_in_whatever_order_they_come(
    values: list[int], cuts: set[int], data: st.DataObject
) -> None:
    edges = [0, *sorted(cuts), len(values)]
    loads = [(15.0 * a, values[a:b]) for a, b in itertools.pairwise(edges)]
    wanted = sum(b < a for a, b in itertools.pairwise(values))
    for order in (loads, data.draw(st.permutations(loads))):
        with tempfile.TemporaryDirectory() as folder:
            hand = Hand(Path(folder))
            for start, part in order:
                points = [(start + 15 * n, float(value)) for n, value in enumerate(part)]
                hand.load(chunk_of((series(0), points)))
            assert told_resets(hand) == wanted


def points_of(
    rows: list[tuple[int, float, int]],
) -> list[tuple[Series, list[tuple[float, float]]]]:
    numbers = sorted({number for number, _, _ in rows})
    return [
        (series(number), [(seconds, float(value)) for n, seconds, value in rows if n == number])
        for number in numbers
    ]
