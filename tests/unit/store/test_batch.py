"""Samples by key and time, one per moment."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from signals.store.batch import Batch, Distinct, distinct

LONG_AGO = np.iinfo(np.int64).min
Run = tuple[int, int, Sequence[tuple[int, float]]]


def batch_of(*chunks: Sequence[Run]) -> Batch:
    """Chunks of runs: key, exported series, and (time, value) points."""
    batch = Batch()
    for runs in chunks:
        points = [point for _, _, run in runs for point in run]
        batch.add(
            np.array([key for key, _, _ in runs], dtype=np.int64),
            np.array([one for _, one, _ in runs], dtype=np.int64),
            np.array([len(run) for _, _, run in runs], dtype=np.int64),
            np.array([ts for ts, _ in points], dtype=np.int64),
            np.array([value for _, value in points], dtype=np.float64),
        )
    return batch


def newest(inputs: int = 9) -> np.ndarray:
    return np.full(inputs, LONG_AGO)


def points_of(found: Distinct) -> dict[int, list[tuple[int, float]]]:
    pairs = list(zip(found.ts_us.tolist(), found.values.tolist(), strict=True))
    assert found.starts[-1] == len(pairs)
    return {
        int(key): pairs[found.starts[number] : found.starts[number + 1]]
        for number, key in enumerate(found.keys)
    }


def copies(found: Distinct) -> tuple[int, int, int]:
    return found.duplicates, found.conflicts, found.disordered


def test_keys_come_in_order_whatever_the_order_of_reading() -> None:
    found = distinct(batch_of([(2, 0, [(1, 20.0), (2, 21.0)]), (0, 1, [(5, 1.0)])]), newest())
    assert points_of(found) == {0: [(5, 1.0)], 2: [(1, 20.0), (2, 21.0)]}
    assert found.keys.tolist() == [0, 2]
    assert copies(found) == (0, 0, 0)


def test_a_run_goes_on_over_the_seam_of_chunks() -> None:
    batch = batch_of([(0, 0, [(1, 1.0), (2, 2.0)])], [(0, 0, [(3, 3.0)]), (1, 1, [(1, 9.0)])])
    assert batch.size == 4
    found = distinct(batch, newest())
    assert points_of(found) == {0: [(1, 1.0), (2, 2.0), (3, 3.0)], 1: [(1, 9.0)]}


def test_a_series_that_comes_back_later_is_put_together() -> None:
    batch = batch_of([(0, 0, [(1, 1.0)]), (1, 1, [(1, 5.0)]), (0, 0, [(2, 2.0)])])
    assert points_of(distinct(batch, newest())) == {0: [(1, 1.0), (2, 2.0)], 1: [(1, 5.0)]}


def test_copies_and_conflicts_are_told_apart_and_the_first_read_stays() -> None:
    run = [(1, 1.0), (2, 2.0), (2, 2.0), (2, 7.0), (2, 2.0), (3, 3.0)]
    found = distinct(batch_of([(0, 0, run)]), newest())
    assert points_of(found) == {0: [(1, 1.0), (2, 2.0), (3, 3.0)]}
    assert copies(found) == (2, 1, 0)


def test_two_collectors_of_one_series_are_stored_once() -> None:
    pair = batch_of([(0, 0, [(1, 1.0), (2, 2.0)]), (0, 1, [(1, 1.0), (2, 2.5), (3, 3.0)])])
    found = distinct(pair, newest())
    assert points_of(found) == {0: [(1, 1.0), (2, 2.0), (3, 3.0)]}
    # each collector's own samples are in order: the second one's begin anew
    assert copies(found) == (1, 1, 0)


def test_disorder_is_counted_where_a_sample_is_older_than_the_one_read_before() -> None:
    found = distinct(batch_of([(0, 0, [(3, 3.0), (1, 1.0), (2, 2.0), (0, 0.0)])]), newest())
    assert points_of(found) == {0: [(0, 0.0), (1, 1.0), (2, 2.0), (3, 3.0)]}
    assert copies(found) == (0, 0, 2)


def test_of_samples_at_one_moment_the_first_read_stays_even_if_sorted() -> None:
    found = distinct(batch_of([(0, 0, [(2, 5.0), (1, 1.0), (2, 6.0)])]), newest())
    assert points_of(found) == {0: [(1, 1.0), (2, 5.0)]}
    assert copies(found) == (0, 1, 1)


def test_disorder_is_seen_over_the_seam_of_batches() -> None:
    times = newest(2)
    distinct(batch_of([(0, 0, [(5, 1.0)]), (1, 1, [(9, 1.0)])]), times)
    assert times.tolist() == [5, 9]
    found = distinct(batch_of([(0, 0, [(4, 1.0)]), (1, 1, [(9, 1.0)])]), times)
    assert copies(found) == (0, 0, 1)
    assert times.tolist() == [4, 9]


def test_the_newest_is_the_last_read_not_the_latest() -> None:
    times = newest(1)
    assert distinct(batch_of([(0, 0, [(5, 1.0), (2, 1.0)])]), times).disordered == 1
    assert distinct(batch_of([(0, 0, [(3, 1.0)])]), times).disordered == 0


def test_more_series_than_narrow_codes_can_number() -> None:
    many = 2**16 + 3
    keys = np.concatenate((np.arange(many), np.arange(many)))[::-1].copy()
    batch = Batch()
    batch.add(keys, keys, np.ones(2 * many, np.int64), np.arange(2 * many)[::-1].copy(), keys / 2)
    found = distinct(batch, newest(many))
    assert found.keys.size == many
    assert np.array_equal(found.starts, 2 * np.arange(many + 1))
    assert np.array_equal(found.values, np.repeat(np.arange(many) / 2, 2))
    assert np.array_equal(found.ts_us[::2], np.arange(many))
    assert found.disordered == many


def test_a_batch_knows_what_it_holds() -> None:
    batch = batch_of([(3, 0, [(1, 1.0)])], [(7, 1, [(1, 1.0)])])
    assert batch.holds({7, 8})
    assert batch.holds({3})
    assert not batch.holds({0, 1, 8})
    assert not Batch().holds({0})


@pytest.mark.parametrize("chosen", [[True, False, True], [True, True, True], [False, True, False]])
def test_some_keys_can_be_taken(chosen: list[bool]) -> None:
    whole = distinct(
        batch_of([(0, 0, [(1, 1.0), (2, 2.0)]), (4, 1, [(3, 3.0)]), (5, 2, [(6, 4.0)])]), newest()
    )
    wanted = [pair for pair, is_in in zip(points_of(whole).items(), chosen, strict=True) if is_in]
    assert points_of(whole.take(np.array(chosen))) == dict(wanted)


def test_keys_that_lose_all_samples_go() -> None:
    whole = distinct(
        batch_of([(0, 0, [(1, 1.0), (2, 2.0)]), (4, 1, [(3, 3.0)]), (5, 2, [(6, 4.0)])]), newest()
    )
    left = whole.without(np.array([True, False, True, False]))
    assert points_of(left) == {0: [(2, 2.0)], 5: [(6, 4.0)]}


RUNS = st.lists(
    st.tuples(
        st.integers(0, 2),
        st.integers(0, 1),
        st.lists(st.tuples(st.integers(0, 4), st.integers(0, 2)), min_size=1, max_size=4),
    ),
    min_size=1,
    max_size=6,
)


@given(chunks=st.lists(RUNS, min_size=1, max_size=3))
def test_a_batch_is_brought_into_order_as_by_a_dictionary(
    chunks: list[list[tuple[int, int, list[tuple[int, int]]]]],
) -> None:
    # an exported series has one key; a key may have two of them
    named = [[(key, 2 * key + one, run) for key, one, run in runs] for runs in chunks]
    kept: dict[int, dict[int, float]] = {}
    before: dict[int, int] = {}
    wanted: Counter[str] = Counter()
    for key, one, run in (found for runs in named for found in runs):
        for ts, value in run:
            wanted["disordered"] += ts < before.get(one, ts)
            before[one] = ts
            first = kept.setdefault(key, {}).setdefault(ts, value)
            wanted["conflicts"] += first != value
            wanted["samples"] += 1
    times = newest()
    found = distinct(batch_of(*named), times)
    assert points_of(found) == {key: sorted(kept[key].items()) for key in sorted(kept)}
    stored = sum(len(points) for points in kept.values())
    duplicates = wanted["samples"] - stored - wanted["conflicts"]
    assert copies(found) == (duplicates, wanted["conflicts"], wanted["disordered"])
    assert {one: int(ts) for one, ts in enumerate(times) if ts != LONG_AGO} == before


MINUTE = 60_000_000
HOUR = 60 * MINUTE


def minutes(first: int, last: int, value: float = 0.0) -> list[tuple[int, float]]:
    return [(MINUTE * number, value + number) for number in range(first, last)]


def returns_of(*chunks: Sequence[Run]) -> list[list[int]]:
    return distinct(batch_of(*chunks), newest()).returns.tolist()


@pytest.mark.parametrize("hours", [1, 2, 3])
def test_times_that_go_through_hours_again(hours: int) -> None:
    run = minutes(0, 240) + minutes(240 - 60 * hours, 300, 0.5)
    found = distinct(batch_of([(0, 0, run), (1, 1, run)]), newest())
    assert found.returns.tolist() == [[239 * MINUTE, hours]] * 2
    assert found.conflicts == 2 * 60 * hours


def test_uneven_times_go_back_by_about_an_hour() -> None:
    late = [
        (ts + 5_000_000 * (number % 3), value) for number, (ts, value) in enumerate(minutes(0, 120))
    ]
    late += [(ts - HOUR, value) for ts, value in minutes(120, 200)]
    assert returns_of([(0, 0, late)]) == [[late[119][0], 1]]


@pytest.mark.parametrize(
    "run",
    [
        pytest.param(minutes(0, 300), id="in order"),
        pytest.param(minutes(0, 240) + minutes(200, 300), id="no hour"),
        pytest.param(minutes(0, 300) + minutes(0, 300), id="five hours"),
        pytest.param(minutes(80, 120) + minutes(60, 120), id="never been there"),
        pytest.param(minutes(180, 240) + minutes(120, 180) + minutes(60, 120), id="hours in reverse"),
        pytest.param([*minutes(0, 120), *minutes(60, 120) * 3], id="too often"),
        pytest.param([(HOUR, 1.0), (0, 2.0)], id="no spacing"),
    ],
)  # fmt: skip
def test_other_steps_back_are_no_hours(run: list[tuple[int, float]]) -> None:
    assert returns_of([(0, 0, run)]) == []


def test_an_hour_that_began_in_an_earlier_batch_comes_again() -> None:
    times = newest()
    distinct(batch_of([(0, 0, minutes(0, 100))]), times)
    later = [(0, 0, minutes(100, 120) + minutes(60, 200))]
    assert distinct(batch_of(later), times).returns.tolist() == [[119 * MINUTE, 1]]
    assert returns_of(later) == []
