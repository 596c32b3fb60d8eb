"""What is known of series without asking their samples."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from signals.schema import TIMESTAMP
from signals.store import extents
from signals.store.extents import Extents, describe
from tests.sql.hand import at
from tests.unit.store.extents_of import (
    SECOND,
    Points,
    added,
    every,
    portion_of,
    shifted,
    slowly,
    stored,
)


def test_a_run_is_described() -> None:
    points = [(0, 5.0), (15, 5.0), (30, 5.0), (45, 2.0), (120, 3.0), (135, 3.0)]
    assert {name: column[0] for name, column in portion_of(points).items()} == {
        "samples": 6,
        "first_us": 0,
        "last_us": 135 * SECOND,
        "spacing_us": 15 * SECOND,
        "least_spacing_us": 15 * SECOND,
        "most_spacing_us": 75 * SECOND,
        "gaps": 1,
        "falls": 1,
        "lowest": 2.0,
        "highest": 5.0,
        "longest_still": 3,
        "first_still": 3,
        "last_still": 2,
        "first_value": 5.0,
        "last_value": 3.0,
    }


def test_nothing_leaks_from_one_series_into_the_next() -> None:
    # equal values and a fall meet at the border of two series
    found = portion_of([(0, 9.0), (15, 9.0)], [(5, 9.0), (10, 9.0), (15, 9.0)], [(0, 1.0)])
    assert found["falls"].tolist() == [0, 0, 0]
    assert found["longest_still"].tolist() == [2, 3, 1]
    assert found["least_spacing_us"].tolist() == [15 * SECOND, 5 * SECOND, 0]
    assert found["most_spacing_us"].tolist() == [15 * SECOND, 5 * SECOND, 0]
    assert np.isnan(found["spacing_us"][2])


RUNS = st.lists(
    st.dictionaries(st.integers(-40, 40), st.integers(0, 3), min_size=1, max_size=12),
    min_size=1,
    max_size=4,
)


@given(runs=RUNS, block=st.sampled_from([1, 3, 8, extents._BLOCK]))
def test_descriptions_are_those_of_the_obvious_way(runs: list[dict[int, int]], block: int) -> None:
    points = [sorted((float(s), float(v)) for s, v in run.items()) for run in runs]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(extents, "_BLOCK", block)
        found = portion_of(*points)
    for row, run in enumerate(points):
        one = {name: column[row] for name, column in found.items()}
        assert one == pytest.approx(slowly(run), nan_ok=True)
        assert set(one) == set(slowly(run))


@given(
    values=st.lists(st.integers(0, 3), min_size=2, max_size=30),
    cuts=st.sets(st.integers(1, 29), max_size=3),
    missing=st.sets(st.integers(0, 29), max_size=3),
)
def test_portions_of_a_regular_series_add_up_to_the_whole(
    values: list[int], cuts: set[int], missing: set[int]
) -> None:
    points = [p for n, p in enumerate(every(15, [float(v) for v in values])) if n not in missing]
    edges = [0, *sorted(cut for cut in cuts if cut < len(points)), len(points)]
    pieces = [points[a:b] for a, b in pairwise(edges) if b > a]
    if not pieces:
        return
    extents = added(*pieces)
    found = extents.touched().row(0, named=True)
    wanted = slowly(points)
    exact = [name for name in wanted if name not in {"spacing_us", "gaps"}]
    assert {name: found[name] for name in exact} == {name: wanted[name] for name in exact}
    if 3 not in extents.unsure and len(points) > 1:
        assert found["spacing_us"] == wanted["spacing_us"]


def test_a_value_that_does_not_move_is_followed_over_seams() -> None:
    values = [7.0, 7.0, 7.0, 7.0, 7.0, 8.0, 8.0]
    pieces = [every(15, values[n : n + 1], 15.0 * n) for n in range(7)]
    for order in (pieces, pieces[::-1]):
        row = added(*order).touched().row(0, named=True)
        assert (row["longest_still"], row["first_still"], row["last_still"]) == (5, 5, 2)
    # what the store held before is not known, and counts for nothing
    extents = stored(every(15, [7.0, 7.0]))
    for first in (30, 45):
        extents.add(np.array([3]), portion_of(shifted(every(15, [7.0], first))))
    assert extents.touched()["longest_still"].to_list() == [2]


def test_a_fall_at_the_seam_counts() -> None:
    extents = added(every(15, [1, 2, 9]), every(15, [3, 4], 45))
    assert extents.touched()["falls"].to_list() == [1]
    assert extents.rows()["resets"].to_list() == [1]
    assert extents.unsure == set()


def test_a_gap_at_the_seam_counts_and_leaves_the_median() -> None:
    extents = added(every(15, [1, 2, 3]), every(15, [3, 4, 5], 3600))
    row = extents.touched().row(0, named=True)
    assert (row["gaps"], row["spacing_us"], row["samples"]) == (1, 15e6, 6)
    assert row["most_spacing_us"] == (3600 - 30) * SECOND
    assert extents.unsure == set()


def test_a_sample_by_itself_at_the_pace_leaves_the_median() -> None:
    extents = added(every(15, [1, 2, 3]), [(45.2, 4.0)])
    assert extents.unsure == set()
    assert extents.touched()["least_spacing_us"].to_list() == [15 * SECOND]


@pytest.mark.parametrize("order", [(0, 1, 2), (0, 2, 1), (1, 0, 2), (2, 1, 0)])
def test_the_order_of_parts_does_not_change_the_spacing(order: tuple[int, ...]) -> None:
    """Scrapes tremble: the medians of the hours of a series are not quite the same."""
    steps = (15.01, 14.98, 15.02)
    hours = [[(3600 * hour + step * n, 1.0) for n in range(240)] for hour, step in enumerate(steps)]
    extents = added(*(hours[number] for number in order))
    if not extents.unsure:
        assert extents.touched()["spacing_us"].to_list() == [14.98e6]


def test_samples_by_themselves_at_another_pace_are_looked_up() -> None:
    # one by one an hour apart: in the end most spacings are an hour
    assert added(every(15, [1, 2, 3]), [(3600, 4.0)]).unsure == {3}


@pytest.mark.parametrize(
    "portion",
    [
        every(30, [1, 2, 3], 60),  # another pace
        every(15, [1, 2], -60),  # earlier
        every(15, [1, 2], 7),  # in between
    ],
)
def test_whatever_else_comes_is_looked_up(portion: Points) -> None:
    extents = added(every(15, [1, 2, 3]), portion)
    assert extents.unsure == {3}
    assert extents.rows().is_empty()


def test_an_earlier_portion_has_its_seam_too() -> None:
    extents = added(every(15, [5, 6], 30), every(15, [8, 9]))
    row = extents.touched().row(0, named=True)
    assert (row["falls"], row["first_value"], row["last_value"]) == (1, 8.0, 6.0)
    assert (row["first_us"], row["last_us"]) == (0, 45 * SECOND)


def test_series_meet_where_their_spans_touch() -> None:
    extents = added(every(15, [1, 2, 3]))
    for first, last, meets in ((30, 60, True), (31, 60, False), (-9, 0, True), (-9, -1, False)):
        portion = portion_of([(first, 1.0), (last, 1.0)])
        assert extents.meeting(np.array([3]), portion).tolist() == [meets]
        assert extents.meeting(np.array([4]), portion).tolist() == [False]


def test_a_series_at_the_epoch_is_not_taken_for_one_without_samples() -> None:
    extents = Extents()
    portion = portion_of([(0, 1.0)])
    assert extents.meeting(np.array([0]), portion).tolist() == [False]
    extents.add(np.array([0]), portion)
    assert extents.meeting(np.array([0]), portion).tolist() == [True]


def test_appending_to_stored_samples_leaves_the_step_at_the_seam_to_be_looked_up() -> None:
    extents = stored(every(15, [1, 5, 3]))
    extents.add(np.array([3]), portion_of(shifted(every(15, [0, 4], 45))))
    assert extents.seams().rows() == [(3, at(30))]
    (row,) = extents.rows().iter_rows(named=True)
    assert row == {
        "series_id": 3,
        "resolution_s": 15.0,
        "first_at": at(0),
        "last_at": at(60),
        "samples": 5,
        "resets": 1,
    }


def test_several_portions_appended_have_one_seam_with_the_store() -> None:
    extents = stored(every(15, [1, 2, 3]))
    extents.add(np.array([3]), portion_of(shifted(every(15, [9, 8], 45))))
    extents.add(np.array([3]), portion_of(shifted(every(15, [2, 4], 75))))
    assert extents.seams().rows() == [(3, at(30))]
    assert extents.rows()["resets"].to_list() == [2]
    row = extents.touched().row(0, named=True)
    # all figures but the total of `rows` are those of what was loaded now
    assert (row["samples"], row["lowest"], row["highest"]) == (4, 2.0, 9.0)
    assert (row["falls"], row["known_falls"], row["first_us"]) == (
        2,
        0,
        round(at(45).timestamp() * 1e6),
    )
    assert extents.rows()["samples"].to_list() == [7]
    assert (row["least_spacing_us"], row["most_spacing_us"]) == (15 * SECOND, 15 * SECOND)


def test_an_earlier_portion_than_the_stored_ones_needs_no_seam() -> None:
    extents = stored(every(15, [1, 2, 3]))
    extents.add(np.array([3]), portion_of(shifted(every(15, [7, 8], -60))))
    assert extents.unsure == {3}
    assert extents.seams().is_empty()
    assert extents.touched()["falls"].to_list() == [0]


def test_a_stored_sample_by_itself_tells_no_pace() -> None:
    extents = stored([(0, 1.0)])
    extents.add(np.array([3]), portion_of(shifted(every(15, [1, 2], 15))))
    assert extents.unsure == {3}


def test_what_a_load_did_not_touch_is_not_written() -> None:
    extents = stored(every(15, [1, 2, 3]), series=8)
    extents.add(np.array([70]), portion_of(every(15, [1.0])))
    assert extents.rows()["series_id"].to_list() == [70]
    assert extents.rows()["resolution_s"].to_list() == [None]
    assert extents.seams().is_empty()


@given(
    values=st.lists(st.integers(0, 3), min_size=2, max_size=20),
    cuts=st.sets(st.integers(1, 19), max_size=3),
)
def test_what_was_stored_before_does_not_change_what_a_load_brought(
    values: list[int], cuts: set[int]
) -> None:
    points = every(15, [float(value) for value in values])
    edges = [0, *sorted(cut for cut in cuts if cut < len(points)), len(points)]
    extents = stored(every(15, [3.0, 1.0], -30))
    alone = Extents()
    for first, last in pairwise(edges):
        for one in (extents, alone):
            one.add(np.array([3]), portion_of(shifted(points[first:last])))
    assert extents.touched().drop("known_falls").equals(alone.touched().drop("known_falls"))
    assert extents.touched()["known_falls"].to_list() == [1]


def test_a_store_without_samples_is_known_too() -> None:
    extents = stored(every(15, [1, 2]))
    extents.know(
        pl.DataFrame(
            {"series_id": [9], "first_at": [None], "last_at": [None], "samples": [0]},
            schema={
                "series_id": pl.Int32,
                "first_at": TIMESTAMP,
                "last_at": TIMESTAMP,
                "samples": pl.Int64,
            },
        )
    )
    assert extents.touched().is_empty()


def test_many_series_have_room() -> None:
    many = 70_000
    extents = Extents()
    starts = 2 * np.arange(many + 1)
    ts_us = np.tile([0, 15 * SECOND], many)
    extents.add(np.arange(many), describe(ts_us, np.repeat(np.arange(many) / 2, 2), starts))
    frame = extents.touched()
    assert frame.height == many
    assert frame["samples"].sum() == 2 * many
    assert frame["first_value"].to_list()[-1] == (many - 1) / 2
