"""The tick grid."""

from __future__ import annotations

import polars as pl
import pytest

from signals.errors import AnalysisError, UsageError
from signals.store.ticks import best_phase, check_size, check_tick, default_tick, place_grid
from tests.sql.hand import SECOND, START_US, at

TICK = 15 * SECOND


@pytest.mark.parametrize(
    ("steps", "tick"),
    [([], 15.0), ([1.0, 5.0], 15.0), ([15.2], 15.0), ([30.0, 30.1, None], 30.0), ([180.0], 180.0)],
)
def test_the_tick_is_15_s_or_the_datas_own_step(steps: list[float | None], tick: float) -> None:
    assert default_tick(pl.Series(steps, dtype=pl.Float64)) == pytest.approx(tick, abs=0.06)


def test_the_grid_keeps_step_with_the_scrapes() -> None:
    assert best_phase({}, TICK) == 0
    assert best_phase({0: 9}, TICK) == 0
    assert best_phase({8_021_000: 9}, TICK) == 9 * SECOND
    assert best_phase({14_900_000: 9}, TICK) == 0
    # two groups: the younger sum wins
    assert best_phase({2 * SECOND: 10, 9 * SECOND: 1}, TICK) == 2 * SECOND


def test_other_widths_than_whole_seconds_stay_where_they_are() -> None:
    assert best_phase({8_021_000: 9}, 1_500_000) == 0


def test_ticks_cover_the_data() -> None:
    grid = place_grid((at(3), at(48)), 15.0, 0, None, None)
    assert (grid.first_us, grid.last_us) == (START_US, START_US + 60 * SECOND)
    assert len(grid.numbers) == 4
    moved = place_grid((at(3), at(48)), 15.0, 3 * SECOND, None, None)
    ticks = [n * TICK + 3 * SECOND - START_US for n in moved.numbers]
    assert [tick // SECOND for tick in ticks] == [3, 18, 33, 48]


def test_windows_and_holes_grow_with_the_tick() -> None:
    small = place_grid((at(0), at(600)), 15.0, 0, None, None)
    large = place_grid((at(0), at(6000)), 180.0, 0, None, None)
    assert (small.window_ticks, large.window_ticks) == (4, 1)
    assert (small.gap_us, large.gap_us) == (300 * SECOND, 900 * SECOND)


def test_impossible_grids_are_refused() -> None:
    with pytest.raises(AnalysisError):
        place_grid((at(0), at(60)), 15.0, 0, at(100), None)
    for width in (0.0, -1.0, float("nan"), float("inf"), 3.2e13):
        with pytest.raises(UsageError):
            check_tick(width)


def test_a_far_off_time_is_shown_with_what_leaves_it_out() -> None:
    extent = (at(-86400 * 365 * 50), at(60))
    with pytest.raises(AnalysisError) as caught:
        place_grid(extent, 15.0, 0, None, None)
    assert all(str(moment) in caught.value.where for moment in extent)
    assert "--from" in caught.value.hint
    assert "--to" in caught.value.hint
    assert len(place_grid(extent, 15.0, 0, at(0), None).numbers) == 5


def test_a_panel_beyond_memory_is_refused_with_what_makes_it_smaller() -> None:
    grid = place_grid((at(0), at(86400 * 10)), 1.0, 0, None, None)
    check_size(grid, 12)
    with pytest.raises(AnalysisError) as caught:
        check_size(grid, 100)
    assert "864,001 ticks of 1 s with 100 columns make 86,400,100 values" in caught.value.what
    assert "120,000 ticks, which are 1.39 days" in caught.value.expected
    assert "--since" in caught.value.hint
    assert "--tick" in caught.value.hint
    assert str(at(86400 * 10)) in caught.value.where


def test_spacings_of_years_make_no_tick() -> None:
    with pytest.raises(AnalysisError) as caught:
        default_tick(pl.Series([7e8]))
    assert "--from" in caught.value.hint
