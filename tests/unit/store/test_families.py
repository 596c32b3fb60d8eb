"""Samples of one scrape side by side."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from signals.schema import TIMESTAMP
from signals.store.batch import Distinct
from signals.store.families import side_by_side, table_of, times_of

Key = tuple[int, str, dict[int, float]]


def arranged(keys: list[Key], source_id: int = 7) -> pl.DataFrame:
    """Keys, each a target, a measurement and values by second."""
    lengths = [len(points) for _, _, points in keys]
    samples = Distinct(
        np.arange(len(keys)),
        np.concatenate(([0], np.cumsum(lengths))),
        np.array([1_000_000 * s for *_, points in keys for s in sorted(points)], dtype=np.int64),
        np.array([points[s] for *_, points in keys for s in sorted(points)], dtype=np.float64),
    )
    return side_by_side(
        samples,
        np.array([target for target, _, _ in keys], dtype=np.int64),
        [name for _, name, _ in keys],
        source_id=source_id,
    )


def rows(frame: pl.DataFrame, *columns: str) -> list[tuple[object, ...]]:
    return frame.select(pl.col("ts").dt.epoch("s"), "target_id", *columns).rows()


def test_a_family_has_its_table() -> None:
    assert table_of("engine") == "sample_engine"


def test_a_scrape_is_one_row() -> None:
    frame = arranged([(3, "running", {0: 1, 15: 2}), (3, "queue_depth", {0: 8, 15: 9})])
    assert rows(frame, "running", "queue_depth") == [(0, 3, 1, 8), (15, 3, 2, 9)]
    assert frame.columns == ["ts", "target_id", "source_id", "queue_depth", "running"]
    assert frame["source_id"].to_list() == [7, 7]
    assert frame.schema["ts"] == TIMESTAMP
    assert frame.schema["target_id"] == frame.schema["source_id"] == pl.Int32


def test_ragged_series_leave_holes() -> None:
    frame = arranged([(3, "running", {0: 1, 15: 2}), (3, "queue_depth", {15: 9, 30: 10})])
    assert rows(frame, "running", "queue_depth") == [
        (0, 3, 1, None),
        (15, 3, 2, 9),
        (30, 3, None, 10),
    ]


def test_series_of_equal_length_and_other_moments_are_not_taken_for_one_scrape() -> None:
    frame = arranged([(3, "running", {0: 1, 15: 2}), (3, "queue_depth", {1: 9, 16: 10})])
    assert [row[2:] for row in rows(frame, "running", "queue_depth")] == [
        (1, None),
        (None, 9),
        (2, None),
        (None, 10),
    ]


def test_targets_come_in_order_and_may_lack_measurements() -> None:
    frame = arranged(
        [
            (9, "running", {0: 1}),
            (2, "queue_depth", {30: 5}),
            (9, "queue_depth", {0: 4}),
            (2, "queue_depth_2", {30: 6}),
        ]
    )
    assert rows(frame, "running", "queue_depth", "queue_depth_2") == [
        (30, 2, None, 5, 6),
        (0, 9, 1, 4, None),
    ]


def test_columns_without_holes_have_no_nulls() -> None:
    frame = arranged([(1, "running", {0: 1, 15: 2}), (2, "running", {0: 3})])
    assert frame["running"].null_count() == 0
    assert frame["running"].to_list() == [1, 2, 3]


@pytest.mark.parametrize(
    ("micros", "moment"),
    [
        (0, datetime(1970, 1, 1, tzinfo=UTC)),
        (-1, datetime(1969, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC)),
        (-2_208_988_800_000_000, datetime(1900, 1, 1, tzinfo=UTC)),
        (16_725_225_600_000_000, datetime(2500, 1, 1, tzinfo=UTC)),
    ],
)
def test_times_are_utc(micros: int, moment: datetime) -> None:
    column = times_of(np.array([micros]))
    assert column.dtype == TIMESTAMP
    assert column.to_list() == [moment]


@given(
    table=st.dictionaries(
        st.tuples(st.integers(1, 3), st.sampled_from(["a", "b", "c"])),
        st.dictionaries(st.integers(-2, 4), st.integers(0, 5), min_size=1),
        min_size=1,
    ),
    order=st.randoms(use_true_random=False),
)
def test_every_value_is_found_where_it_belongs_and_nothing_else(
    table: dict[tuple[int, str], dict[int, float]], order: object
) -> None:
    keys = [(target, name, points) for (target, name), points in table.items()]
    order.shuffle(keys)  # type: ignore[attr-defined]
    frame = arranged(keys)
    found = {
        (row["target_id"], name, int(row["ts"].timestamp())): row[name]
        for row in frame.iter_rows(named=True)
        for name in frame.columns[3:]
        if row[name] is not None
    }
    assert found == {(t, n, s): v for (t, n), points in table.items() for s, v in points.items()}
    moments = {(target, second) for (target, _), points in table.items() for second in points}
    assert [(t, s) for s, t in rows(frame)] == sorted(moments)
