"""How long after a sudden change of load has the signal moved?"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from signals.series.synthetic import daily_load
from signals.study.rise import LoadChanges, event_response, load_changes, rise_s

TICK_S = 60.0
HOLD = 30


def stairs(levels: int, rng: np.random.Generator, *, hold: int = HOLD) -> np.ndarray:
    """Levels of 1 to 3.4, each 1.5 or 2.25 times the one before or as much less, held for `hold` ticks."""
    height = np.cumsum(rng.integers(1, 3, levels)) % 4
    return np.repeat(1.5**height, hold)


def test_change_points_are_those_that_were_made(rng: np.random.Generator) -> None:
    """Twenty steps under 2 % of noise: every one, at its tick, and nothing else."""
    load = 100 * stairs(20, rng) * (1 + 0.02 * rng.standard_normal(600))
    changes = load_changes(load, TICK_S)
    np.testing.assert_array_equal(changes.edges, np.arange(0, 601, HOLD))
    np.testing.assert_array_equal(changes.events, np.arange(1, 20))


@pytest.mark.parametrize(("step", "events"), [(1.19, 0), (1.21, 1), (0.81, 0), (0.79, 1)])
def test_change_counts_from_a_fifth_on(step: float, events: int) -> None:
    """20 % up or down of the level before."""
    load = np.where(np.arange(200) < 100, 1.0, step)
    assert len(load_changes(load, TICK_S).events) == events


@pytest.mark.parametrize(("hold", "events"), [(9, 1), (10, 2)])
def test_change_has_to_last(hold: int, events: int) -> None:
    """A level of nine minutes is no event, ten are; the way back lasts in both."""
    load = np.ones(200)
    load[100 : 100 + hold] = 2.0
    assert len(load_changes(load, TICK_S).events) == events


def test_noise_a_constant_and_a_smooth_day_hold_no_sudden_change(rng: np.random.Generator) -> None:
    for load in (
        100 * (1 + 0.1 * rng.standard_normal(1440)),
        np.full(1440, 3.0),
        np.zeros(1440),
        daily_load(1440, TICK_S, rng=rng),
        daily_load(1440, TICK_S, rng=rng) * (1 + 0.05 * rng.standard_normal(1440)),
    ):
        assert len(load_changes(load, TICK_S).events) == 0


def test_change_inside_a_gap_has_no_moment(rng: np.random.Generator) -> None:
    """Load that is double after a gap has changed, but nobody knows when; later changes keep their ticks."""
    load = stairs(6, rng)
    load[85:95] = np.nan
    changes = load_changes(load, TICK_S)
    np.testing.assert_array_equal(changes.edges[changes.events], [30, 60, 120, 150])


def test_long_series_are_thinned_first_and_their_edges_found_to_the_tick(
    rng: np.random.Generator,
) -> None:
    """A week of 15 s ticks: steps at odd ticks, found as closely as at one minute."""
    width = rng.integers(100, 400, 161)
    load = np.repeat(np.tile([1.0, 2.0], 81)[:161], width) * (
        1 + 0.03 * rng.standard_normal(width.sum())
    )
    changes = load_changes(load, 15.0)
    np.testing.assert_array_equal(changes.edges[changes.events], np.cumsum(width)[:-1])


@pytest.mark.parametrize("lag", [0, 3, 7])
@pytest.mark.parametrize("noise", [0.0, 0.02, 0.1])
def test_delay_is_read_back(lag: int, noise: float, rng: np.random.Generator) -> None:
    """A copy that comes `lag` ticks later: half and nine tenths of the way after as many."""
    base = stairs(50, rng)
    signal = np.roll(base, lag) * (1 + noise * rng.standard_normal(len(base)))
    estimate = rise_s(signal, load_changes(base, TICK_S), TICK_S, rng=rng)
    assert estimate.value == lag * TICK_S
    assert estimate.extra["t90_s"] == lag * TICK_S
    assert estimate.low == max(0, lag - 1) * TICK_S
    assert estimate.high == (lag + 1) * TICK_S
    assert estimate.extra["changes"] == 49
    assert estimate.extra["events"] >= 20


def test_slow_signal_takes_what_its_curve_takes(rng: np.random.Generator) -> None:
    """An exponential approach with a time constant of 5 ticks: ln 2 and ln 10 of them."""
    from scipy.signal import lfilter

    base = np.tile(np.repeat([1.0, 3.0], 60), 20)
    keep = np.exp(-1 / 5)
    late, _ = lfilter([1 - keep], [1, -keep], base, zi=[keep * base[0]])
    estimate = rise_s(late, load_changes(base, TICK_S), TICK_S, rng=rng)
    # the first tick of the new level holds one tick of approach already
    assert estimate.value == np.ceil(5 * np.log(2) - 1) * TICK_S
    assert estimate.extra["t90_s"] == np.ceil(5 * np.log(10) - 1) * TICK_S


def test_signal_that_falls_with_load_rises_all_the_same(rng: np.random.Generator) -> None:
    """The way is covered in either direction."""
    base = stairs(40, rng)
    estimate = rise_s(1 / np.roll(base, 2), load_changes(base, TICK_S), TICK_S, rng=rng)
    assert estimate.value == 2 * TICK_S


def test_events_have_quartiles(rng: np.random.Generator) -> None:
    """Half of the changes are answered at once, half after ten ticks."""
    base = np.tile(np.repeat([1.0, 3.0], 60), 20)
    signal = base.copy()
    for change in range(60, 2400, 120):
        signal[change : change + 10] = 1.0
    estimate = rise_s(signal, load_changes(base, TICK_S), TICK_S, rng=rng)
    assert (estimate.extra["t50_q25_s"], estimate.extra["t50_q75_s"]) == (0.0, 600.0)
    assert (estimate.extra["events"], estimate.extra["changes"]) == (39, 39)


@pytest.mark.parametrize(
    "make",
    [
        lambda rng: rng.standard_normal(1500),
        lambda rng: np.ones(1500),
        lambda rng: np.full(1500, np.nan),
        lambda rng: np.where(np.arange(1500) % 2, np.nan, rng.standard_normal(1500)),
    ],
    ids=["noise", "constant", "missing", "holes"],
)
def test_signal_that_does_not_move_has_no_rise(make, rng: np.random.Generator) -> None:
    """Noise crosses any line at once; it is not taken for an answer."""
    estimate = rise_s(make(rng), load_changes(stairs(50, rng), TICK_S), TICK_S, rng=rng)
    assert estimate.value is None
    assert not estimate.determined
    assert "are needed" in estimate.reason


@pytest.mark.parametrize(("missing", "events"), [(15, 49), (16, 0)])
def test_level_needs_half_of_its_values(
    missing: int, events: int, rng: np.random.Generator
) -> None:
    """Of 30 ticks of a level, 15 with a value say where the signal was; 14 do not."""
    base = stairs(50, rng)
    signal = np.where(np.arange(len(base)) % HOLD < missing, np.nan, base)
    estimate = rise_s(signal, load_changes(base, TICK_S), TICK_S, rng=rng)
    assert estimate.extra["events"] == events


@pytest.mark.parametrize(("levels", "settled"), [(5, False), (6, True)])
def test_five_events_are_needed(levels: int, settled: bool, rng: np.random.Generator) -> None:
    base = stairs(levels, rng)
    estimate = rise_s(base, load_changes(base, TICK_S), TICK_S, rng=rng)
    assert estimate.determined is settled
    assert estimate.extra["events"] == levels - 1


def test_one_odd_value_is_no_answer(rng: np.random.Generator) -> None:
    """A spike right after each change does not count as the rise that comes at tick 8."""
    base = np.tile(np.repeat([1.0, 3.0], 60), 20)
    signal = np.roll(base, 8)
    for change in range(60, 2400, 60):
        signal[change + 3] = base[change]
    assert rise_s(signal, load_changes(base, TICK_S), TICK_S, rng=rng).value == 8 * TICK_S


def test_interval_holds_the_median_of_scattered_answers() -> None:
    """Delays of 0 to 12 ticks, uniform; the interval of 40 events holds their median, nearly always."""
    rng = np.random.default_rng(5)
    inside = 0
    for _ in range(100):
        base = np.tile(np.repeat([1.0, 3.0], 40), 21)
        signal = base.copy()
        for change in range(40, len(base), 40):
            signal[change : change + rng.integers(0, 13)] = base[change - 1]
        estimate = rise_s(signal, load_changes(base, TICK_S), TICK_S, rng=rng)
        assert estimate.low is not None
        assert estimate.high is not None
        inside += estimate.low <= 6 * TICK_S <= estimate.high
    assert inside >= 93


def test_response_runs_from_the_level_before_to_the_level_after(rng: np.random.Generator) -> None:
    """Load steps at tick 0, its copy 4 ticks later; both from 0 to 1 whatever their direction and size."""
    base = stairs(40, rng)
    response = event_response(base, -5 * np.roll(base, 4), load_changes(base, TICK_S), TICK_S)
    np.testing.assert_array_equal(response.offsets, np.arange(-10, 16))
    assert response.events == 39
    before = response.offsets < 0
    np.testing.assert_allclose(response.load, np.where(before, 0.0, 1.0)[None].repeat(3, axis=0))
    late = response.offsets < 4
    # shortly after the change before, the signal still comes from there
    np.testing.assert_allclose(response.signal[1], np.where(late, 0.0, 1.0), atol=1e-9)


def test_response_ends_where_a_level_ends(rng: np.random.Generator) -> None:
    """Levels of 12 ticks say nothing about tick 12 after the change, nor about 15 minutes later."""
    base = np.tile(np.repeat([1.0, 3.0], 12), 10)
    response = event_response(base, base, load_changes(base, TICK_S), TICK_S)
    assert np.isnan(response.load[:, response.offsets >= 12]).all()
    assert np.isfinite(response.load[:, response.offsets < 12]).all()


def test_no_event_no_response() -> None:
    load = np.ones(100)
    response = event_response(load, load, load_changes(load, TICK_S), TICK_S)
    assert response.events == 0
    assert np.isnan(response.signal).all()


@settings(max_examples=40)
@given(seed=st.integers(0, 2**32 - 1), power=st.integers(-30, 30), count=st.integers(0, 300))
def test_units_and_holes_do_not_matter(seed: int, power: int, count: int) -> None:
    """Both series in other units: the same events, the same answer; nothing is raised on short ones."""
    rng = np.random.default_rng(seed)
    load = np.repeat(np.exp(rng.standard_normal(count // 12 + 1)), 12)[:count]
    load *= 1 + 0.05 * rng.standard_normal(count)
    signal = np.roll(load, 1)
    load[rng.random(count) < 0.05] = np.nan
    signal[rng.random(count) < 0.05] = np.nan
    changes = load_changes(load, TICK_S)
    scaled = load_changes(load * 2.0**power, TICK_S)
    np.testing.assert_array_equal(changes.edges, scaled.edges)
    np.testing.assert_array_equal(changes.events, scaled.events)
    one, other = (
        rise_s(values, changes, TICK_S, rng=np.random.default_rng(0))
        for values in (signal, signal * 2.0**power)
    )
    assert one == other
    event_response(load, signal, changes, TICK_S)


def test_changes_are_of_the_ticks_they_were_found_on() -> None:
    """Edges begin at 0 and end with the series, whatever is missing."""
    for load in (np.zeros(0), np.ones(3), np.full(50, np.nan)):
        changes = load_changes(load, TICK_S)
        assert isinstance(changes, LoadChanges)
        assert changes.edges.tolist() == [0, len(load)]
