"""By how many per cent does the signal move when load moves by one?"""

from __future__ import annotations

import numpy as np
import pytest

from signals.schema import Estimate
from signals.series.smooth import detrend
from signals.series.synthetic import add_noise, ar1, daily_load, noise_sigma, power_response
from signals.study.elasticity import elasticity, following, residual_elasticity
from signals.study.response import bin_means

TICK_S = 60.0


@pytest.mark.parametrize("truth", [0.3, 0.5, 1.0, 2.0])
def test_known_elasticity_is_found_within_five_per_cent(
    truth: float, rng: np.random.Generator
) -> None:
    """At 10 dB; the mean over series, since the truth is what they scatter around."""
    found = []
    for _ in range(20):
        load = daily_load(1440, TICK_S, wander=0.1, rng=rng)
        signal = power_response(load, truth)
        signal = add_noise(signal, noise_sigma(detrend(signal, TICK_S), 10), rng)
        bins = bin_means(load, signal, TICK_S)
        estimate = elasticity(load, signal, bins, TICK_S, rng=rng)
        assert estimate.value is not None
        found.append(estimate.value)
    assert np.mean(found) == pytest.approx(truth, rel=0.05)


def test_perfect_signal_has_elasticity_one_and_no_width(rng: np.random.Generator) -> None:
    """Three times the load: exactly 1, in every third and every draw."""
    load = daily_load(1440, TICK_S, rng=rng)
    estimate = elasticity(load, 3 * load, bin_means(load, 3 * load, TICK_S), TICK_S, rng=rng)
    assert (estimate.value, estimate.low, estimate.high) == pytest.approx((1.0, 1.0, 1.0))
    assert list(estimate.extra.values()) == pytest.approx([1.0, 1.0, 1.0])


def test_two_slopes_show_in_the_thirds(rng: np.random.Generator) -> None:
    """0.5 below and 2 above average to about 1, and the thirds tell."""
    load = np.exp(np.linspace(-1, 1, 1440))
    signal = np.where(load < 1, load**0.5, load**2)
    estimate = elasticity(load, signal, bin_means(load, signal, TICK_S), TICK_S, rng=rng)
    assert estimate.value == pytest.approx(1.25, abs=0.05)
    assert estimate.extra["low_third"] == pytest.approx(0.5, abs=0.02)
    assert estimate.extra["high_third"] == pytest.approx(2.0, abs=0.05)


def test_signal_at_zero_has_no_elasticity(rng: np.random.Generator) -> None:
    """The logarithm of zero is no number; too few ticks neither."""
    load = daily_load(1440, TICK_S, rng=rng)
    queue = np.maximum(load - 0.8, 0)
    estimate = elasticity(load, queue, bin_means(load, queue, TICK_S), TICK_S, rng=rng)
    assert (estimate.value, estimate.reason) == (None, "a mean is not above zero")
    assert elasticity(load, load, None, TICK_S, rng=rng).reason == "too few ticks"


def _four_days(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    clock = daily_load(4 * 1440, TICK_S, rng=rng)
    return clock, clock * np.exp(0.25 * ar1(len(clock), 0.998, rng))


def test_residual_elasticity_tells_load_from_clock(rng: np.random.Generator) -> None:
    """1 for a signal that follows load beyond the daily shape, 0 for the daily shape itself."""
    clock, load = _four_days(rng)
    followed = residual_elasticity(load, 2 * load, TICK_S, rng=rng)
    assert followed.value == pytest.approx(1.0)
    by_clock = residual_elasticity(load, clock, TICK_S, rng=rng)
    assert by_clock.value == pytest.approx(0.0, abs=1e-9)


def test_residual_elasticity_of_yesterdays_load_is_not_positive(rng: np.random.Generator) -> None:
    """What happened a day ago says nothing about today's departure."""
    _, load = _four_days(rng)
    estimate = residual_elasticity(load, np.roll(load, 1440), TICK_S, rng=rng)
    assert estimate.value is not None
    assert estimate.value < 0.2


@pytest.mark.parametrize(
    ("residual", "whole", "expected"),
    [(0.9, 1.0, 0.9), (-0.8, -0.9, 0.8), (0.3, -0.9, -0.3), (-0.3, 1.0, -0.3), (0.4, None, 0.4)],
)
def test_following_is_told_in_the_signals_own_sense(
    residual: float, whole: float | None, expected: float
) -> None:
    """One that falls as load grows follows load too; one that then rises with it does not."""
    assert following(Estimate(residual), Estimate(whole)) == expected
    assert following(Estimate(None), Estimate(whole)) is None


def test_residual_elasticity_needs_three_days_and_a_departure(rng: np.random.Generator) -> None:
    """Without either there is no answer, and it says why."""
    clock, load = _four_days(rng)
    short = residual_elasticity(load[:2880], load[:2880], TICK_S, rng=rng)
    assert short.reason == "fewer than three whole days"
    same = residual_elasticity(clock, clock, TICK_S, rng=rng)
    assert same.reason == "load hardly departs from its daily shape"
