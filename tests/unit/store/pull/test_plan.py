"""Windows: nothing twice, nothing lost, never wider than a server answers."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signals.store.pull.plan import (
    LEAST_WIDTH_MS,
    Window,
    aligned,
    gaps,
    halved,
    next_width,
    range_selector,
    seconds_text,
    union,
    widest,
)

windows = st.tuples(st.integers(0, 60), st.integers(0, 20)).map(lambda p: Window(p[0], p[0] + p[1]))


def moments(found):
    """Every millisecond of some windows, as often as it is in them."""
    return [moment for window in found for moment in range(window.start_ms, window.end_ms)]


def test_gaps_of_a_window_partly_covered():
    """The begin is there, a hole in the middle and the end are not."""
    covered = [Window(0, 20), Window(30, 40)]
    assert gaps(Window(10, 50), covered) == [Window(20, 30), Window(40, 50)]
    assert gaps(Window(10, 15), covered) == []


@given(windows, st.lists(windows, max_size=6))
def test_gaps_and_covered_make_the_whole(asked, covered):
    """Each moment that was asked is either covered or in exactly one gap."""
    missing = moments(gaps(asked, covered))
    assert len(missing) == len(set(missing))
    assert set(missing) == set(moments([asked])) - set(moments(covered))


@given(st.lists(windows, max_size=6))
def test_union_holds_the_same_time_once(found):
    """Windows of a union are sorted and apart."""
    merged = union(found)
    assert set(moments(merged)) == set(moments(found))
    assert all(a.end_ms < b.start_ms for a, b in pairwise(merged))


@given(
    st.integers(0, 10**6),
    st.lists(st.integers(1, 10**5), min_size=1, max_size=6),
    st.integers(1, 10**5),
)
def test_points_of_neighbouring_windows_are_a_grid(start, widths, step):
    """Range queries over windows side by side give each point of the grid once."""
    points, at = [], start
    for width in widths:
        ends = list(aligned(Window(at, at + width), step))
        points += list(range(ends[0], ends[1] + 1, step)) if ends else []
        at += width
    assert points == [p for p in range(0, at, step) if p >= start]


def test_width_follows_the_size_of_answers():
    """It grows fourfold at most, shrinks at once, and stays between its ends."""
    assert next_width(1_000, 10, 1_000_000) == 4_000
    assert next_width(100_000, 2_000, 1_000) == 40_000
    assert next_width(1_000, 10**9, 1) == LEAST_WIDTH_MS
    assert next_width(10**12, 0, 10**9) == widest(0)
    assert next_width(150_000_000, 1, 10**9, step_ms=15_000) == 150_000_000 == widest(15_000)


def test_halving_ends_at_the_least_width():
    """A second, or a step."""
    assert halved(5_000) == 2_500
    assert halved(1_500) == LEAST_WIDTH_MS
    assert halved(LEAST_WIDTH_MS) == 0
    assert halved(20_000, step_ms=15_000) == 15_000
    assert halved(15_000, step_ms=15_000) == 0


def test_range_selector_covers_the_window_to_its_last_millisecond():
    """Open to the left or closed: [start, end) lies inside."""
    query, time = range_selector(" up ", Window(1_700_000_000_000, 1_700_000_300_000))
    assert (query, time) == ("up[300000ms]", "1700000299.999")


@pytest.mark.parametrize(
    ("ms", "text"), [(0, "0.000"), (1_001, "1.001"), (1_700_000_000_070, "1700000000.070")]
)
def test_seconds_are_exact(ms, text):
    """Three decimals, no rounding."""
    assert seconds_text(ms) == text
