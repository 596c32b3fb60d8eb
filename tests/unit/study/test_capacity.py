"""How wrong would the instance count be that a ratio rule on this signal orders?"""

from __future__ import annotations

import numpy as np
import pytest

from signals.series.grid import folds
from signals.series.synthetic import daily_load
from signals.study.capacity import (
    HeldOut,
    calibrated_errors,
    capacity_error,
    capacity_error_instances,
    constant_error,
    floor_of,
    mean_error,
    peak_bias,
    ratio_errors,
    trend_gap,
)
from signals.study.trend import rising_and_falling

TICK_S = 60.0


@pytest.fixture
def load(rng: np.random.Generator) -> np.ndarray:
    """A day with slow departures."""
    return 100 * daily_load(1440, TICK_S, wander=0.1, phi=0.98, rng=rng)


def test_perfect_signal_has_exactly_no_error(load: np.ndarray, rng: np.random.Generator) -> None:
    """In proportion means right at every load: 0, and nothing to either side."""
    held = ratio_errors(load, load / 4, load, TICK_S)
    estimate = capacity_error(held, rng=rng)
    assert (estimate.value, estimate.low, estimate.high) == (0.0, 0.0, 0.0)
    assert peak_bias(held, load, rng=rng).value == 0.0
    assert trend_gap(held, *rising_and_falling(load, TICK_S), rng=rng).value == 0.0


def test_constant_signal_has_the_stated_error(load: np.ndarray, rng: np.random.Generator) -> None:
    """mean |ln l - median of ln l over the training folds|, fold by fold."""
    expected = np.empty(1440)
    for fold in folds(1440, TICK_S, 15):
        part = slice(fold.first, fold.last)
        expected[part] = np.abs(np.log(load[part]) - np.median(np.log(load[fold.train])))
    held = ratio_errors(load, np.full(1440, 0.9), load, TICK_S)
    assert capacity_error(held, rng=rng).value == pytest.approx(expected.mean())
    assert constant_error(load, load, load, TICK_S) == pytest.approx(expected.mean())


def test_average_is_held_against_load_per_instance(
    load: np.ndarray, rng: np.random.Generator
) -> None:
    """A utilisation in proportion to load per instance is perfect while the fleet changes."""
    ready = np.where(np.arange(1440) < 700, 4.0, 9.0)
    held = ratio_errors(load / ready, load / ready / 50, load, TICK_S)
    assert capacity_error(held, rng=rng).value == 0.0


def test_error_is_shown_to_people_as_a_percentage(
    load: np.ndarray, rng: np.random.Generator
) -> None:
    """exp(e) - 1: half of the ticks ordered double, half right, reads 41 %."""
    swing = load * np.where(np.arange(1440) % 2, 2.0, 1.0)
    estimate = capacity_error(ratio_errors(load, swing, load, TICK_S), rng=rng)
    assert estimate.value == pytest.approx(np.log(2) / 2)
    assert estimate.extra["percent"] == pytest.approx(41.4, abs=0.1)


def test_idle_ticks_are_not_judged(load: np.ndarray) -> None:
    """Below 5 % of the 95th percentile an error costs nothing."""
    quiet = load.copy()
    quiet[100:200] = 0.04 * np.quantile(load, 0.95)
    quiet[200:210] = 0.0
    held = ratio_errors(quiet, load, quiet, TICK_S)
    assert np.isnan(held.errors[100:210]).all()
    assert np.isfinite(held.errors[:100]).all()


def test_clipped_signal_under_orders_at_the_peak(
    load: np.ndarray, rng: np.random.Generator
) -> None:
    """Served load: right until capacity, then blind."""
    clipped = np.minimum(load, np.quantile(load, 0.8))
    held = ratio_errors(load, clipped, load, TICK_S)
    bias = peak_bias(held, load, rng=rng).value
    assert bias is not None
    top = load > np.quantile(load, 0.95)
    assert bias == pytest.approx(np.mean(np.log(clipped[top] / load[top])), abs=1e-9)


def test_late_signal_has_a_negative_trend_gap(load: np.ndarray, rng: np.random.Generator) -> None:
    """Ten ticks late orders less on the way up than on the way down; early does the reverse."""
    masks = rising_and_falling(load, TICK_S)
    late = trend_gap(ratio_errors(load, np.roll(load, 10), load, TICK_S), *masks, rng=rng)
    early = trend_gap(ratio_errors(load, np.roll(load, -10), load, TICK_S), *masks, rng=rng)
    assert late.value is not None
    assert early.value is not None
    assert late.value < -0.1
    assert early.value > 0.1


def test_calibration_saves_a_bent_signal_but_not_noise(
    load: np.ndarray, rng: np.random.Generator
) -> None:
    """A controller that knows the curve reads a square root; no curve undoes noise."""
    bent = mean_error(calibrated_errors(load, np.sqrt(load), load, TICK_S, "rises"), rng=rng)
    raw = capacity_error(ratio_errors(load, np.sqrt(load), load, TICK_S), rng=rng)
    assert bent.value is not None
    assert raw.value is not None
    assert bent.value < 0.05 < raw.value
    noisy = load * np.exp(0.4 * rng.standard_normal(1440))
    lost = mean_error(calibrated_errors(load, noisy, load, TICK_S, "rises"), rng=rng)
    assert lost.value is not None
    assert lost.value > 0.2


def test_calibration_of_a_falling_signal_follows_its_direction(
    load: np.ndarray, rng: np.random.Generator
) -> None:
    """1 / load is as good as load once its curve is known."""
    for direction in ("falls", "either"):
        held = calibrated_errors(load, 1 / load, load, TICK_S, direction)
        estimate = mean_error(held, rng=rng)
        assert estimate.value is not None
        assert estimate.value < 0.05


def test_signal_at_zero_is_a_large_but_finite_error(
    load: np.ndarray, rng: np.random.Generator
) -> None:
    """Zero orders nothing; its logarithm is replaced, never infinite."""
    queue = np.maximum(load - np.quantile(load, 0.7), 0)
    estimate = capacity_error(ratio_errors(load, queue, load, TICK_S), rng=rng)
    assert estimate.value is not None
    assert 0.5 < estimate.value < 5


def test_interval_in_instances_does_not_tell_night_from_peak(rng: np.random.Generator) -> None:
    """A tenth too many and too few in turn, all day: each block misses the same share of what it needs."""
    load = daily_load(1440, TICK_S, rng=rng)
    held = HeldOut(np.tile(np.log([0.9, 1 / 0.9]), 720), float(np.quantile(load, 0.95)))
    estimate = capacity_error_instances(held, load, np.full(1440, 10_000.0), rng=rng)
    assert estimate.value is not None
    assert estimate.low == pytest.approx(estimate.value, rel=0.01)
    assert estimate.high == pytest.approx(estimate.value, rel=0.01)


def test_error_in_instances_is_that_of_whole_ones(
    load: np.ndarray, rng: np.random.Generator
) -> None:
    """Twice what is needed of a fleet of 4: ceil(2 x) for ceil(x) of up to 4 and a little more."""
    need = 4 * load / np.quantile(load, 0.95)
    held = HeldOut(np.full(1440, np.log(2.0)), float(np.quantile(load, 0.95)))
    estimate = capacity_error_instances(held, load, np.full(1440, 4.0), rng=rng)
    assert estimate.value == pytest.approx(np.mean(np.ceil(2 * need) - np.ceil(need)))
    assert (estimate.extra["fleet"], estimate.extra["fleet_known"]) == (4, True)
    assert estimate.low is not None
    assert estimate.high is not None
    assert estimate.low <= estimate.value <= estimate.high


def test_perfect_signal_misses_no_instance(load: np.ndarray, rng: np.random.Generator) -> None:
    """Also where the need is a whole number but for rounding."""
    held = ratio_errors(load, load * 1.1, load, TICK_S)
    estimate = capacity_error_instances(held, load, None, rng=rng)
    assert (estimate.value, estimate.low, estimate.high) == (0.0, 0.0, 0.0)
    assert (estimate.extra["fleet"], estimate.extra["fleet_known"]) == (10, False)
    close = HeldOut(np.full(1440, 1e-11), 5.0)
    for near in (5.0, 5.0 * (1 + 1e-12)):
        assert capacity_error_instances(close, np.full(1440, near), None, rng=rng).value == 0.0
    below = HeldOut(np.full(1440, -1e-11), 5.0)
    assert capacity_error_instances(below, np.full(1440, near), None, rng=rng).value == 0.0


def test_fleet_of_the_peak_is_what_served_then(load: np.ndarray, rng: np.random.Generator) -> None:
    """The median count at the 95th percentile of load and above; ticks without one do not count."""
    held = ratio_errors(load, load, load, TICK_S)
    ready = np.where(load >= held.top, 7.0, 2.0)
    ready[np.argsort(load)[-20:]] = 0.0
    assert capacity_error_instances(held, load, ready, rng=rng).extra["fleet"] == 7
    never = np.zeros(1440)
    assert capacity_error_instances(held, load, never, rng=rng).extra["fleet_known"] is False


def test_absurd_error_stays_a_number(load: np.ndarray, rng: np.random.Generator) -> None:
    """A signal of 1e300 once, or a load."""
    odd = load.copy()
    odd[500] = 1e300
    for reference, signal in ((load, odd), (odd, load)):
        held = ratio_errors(reference, signal, reference, TICK_S)
        value = capacity_error_instances(held, reference, None, rng=rng).value
        assert value is not None
        assert np.isfinite(value)


def test_smallest_numbers_have_a_logarithm() -> None:
    """A hundredth of the smallest number that there is would be zero."""
    assert floor_of(np.array([5e-324, 0.0])) > 0
    assert floor_of(np.array([2.0, 4.0, 0.0, np.nan])) == pytest.approx(0.03)
    assert floor_of(np.array([0.0, -1.0])) == 1.0


def test_too_few_ticks_have_no_error(rng: np.random.Generator) -> None:
    """Twelve ticks cannot be held out."""
    load = np.arange(1.0, 13.0)
    held = ratio_errors(load, load, load, TICK_S)
    assert capacity_error(held, rng=rng).value is None
    assert peak_bias(held, load, rng=rng).value is None
    assert mean_error(held, rng=rng).value is None
    assert capacity_error_instances(held, load, None, rng=rng).value is None
    idle = HeldOut(np.zeros(40), 0.0)
    assert "hardly any load" in capacity_error_instances(idle, np.zeros(40), None, rng=rng).reason
    none = np.zeros(12, dtype=bool)
    assert trend_gap(held, none, none, rng=rng).value is None
    assert constant_error(load, load, load, TICK_S) is None


def test_interval_holds_the_error_of_a_longer_series() -> None:
    """White noise of 20 %: mean |e| is 0.16, and intervals from one day hold it nearly always."""
    rng = np.random.default_rng(11)
    inside = 0
    for _ in range(60):
        load = daily_load(1440, TICK_S, rng=rng)
        signal = load * np.exp(0.2 * rng.standard_normal(1440))
        estimate = capacity_error(ratio_errors(load, signal, load, TICK_S), rng=rng)
        assert estimate.low is not None
        assert estimate.high is not None
        inside += estimate.low <= 0.2 * np.sqrt(2 / np.pi) <= estimate.high
    assert inside >= 0.87 * 60
