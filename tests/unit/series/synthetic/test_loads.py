"""Loads must have the shape, the spread and the times that were asked for."""

from __future__ import annotations

import numpy as np
import pytest

from signals.series.synthetic import (
    bursty_load,
    daily_load,
    stepped_load,
    wandering_load,
    weekly_load,
)


def test_daily_load_peaks_and_falls_at_its_hours(rng: np.random.Generator) -> None:
    """1 at the peak's hour, the trough's share twelve hours from it."""
    load = daily_load(24, 3600.0, trough=0.25, peak_hour=15, rng=rng)
    assert load[15] == pytest.approx(1.0)
    assert load[3] == pytest.approx(0.25)


def test_daily_load_wanders_around_its_shape(rng: np.random.Generator) -> None:
    """The departure's logarithm has the spread that was asked for."""
    calm = daily_load(20_000, 60.0, rng=rng)
    load = daily_load(20_000, 60.0, wander=0.3, phi=0.5, rng=rng)
    assert np.log(load / calm).std() == pytest.approx(0.3, rel=0.05)


def test_weekly_load_is_quieter_on_two_days_of_seven(rng: np.random.Generator) -> None:
    """Saturday and Sunday of both weeks have their share of a weekday, hour by hour."""
    days = weekly_load(14 * 24, 3600.0, weekend=0.4, rng=rng).reshape(14, 24)
    monday = daily_load(24, 3600.0, rng=rng)
    for number, day in enumerate(days):
        share = 0.4 if number % 7 in {5, 6} else 1.0
        np.testing.assert_allclose(day, share * monday)


def test_wandering_load_has_its_spread(rng: np.random.Generator) -> None:
    """The standard deviation of ln load is as asked."""
    assert np.log(wandering_load(20_000, phi=0.3, spread=0.4, rng=rng)).std() == pytest.approx(
        0.4, rel=0.05
    )


@pytest.mark.parametrize("tick_s", [15.0, 300.0])
def test_bursty_load_has_its_mean_spread_and_memory(
    tick_s: float, rng: np.random.Generator
) -> None:
    """Mean and autocorrelation of a Poisson process of decaying bursts, whatever the tick."""
    load = bursty_load(200_000, tick_s, bursts_per_h=6, hold_s=600, height=3, rng=rng)
    assert load.min() >= 1
    assert load.mean() == pytest.approx(1 + 6 / 3600 * 600 * 3, rel=0.03)
    rest = load - load.mean()
    later = round(600 / tick_s)
    assert rest[later:] @ rest[:-later] / (rest @ rest) == pytest.approx(np.exp(-1), abs=0.03)
    # Campbell: rate x mean squared height x hold / 2; a gamma of shape 2 and mean 3 has 13.5
    if tick_s < 60:
        assert load.var() == pytest.approx(6 / 3600 * 13.5 * 600 / 2, rel=0.05)


def test_bursty_load_leaps_up_and_decays(rng: np.random.Generator) -> None:
    """Where it rises it rises in one tick; else it keeps a share of what is above 1."""
    above = bursty_load(5000, 60.0, bursts_per_h=0.5, hold_s=600, height=3, rng=rng) - 1
    quiet = np.diff(above) <= 0
    np.testing.assert_allclose(above[1:][quiet], above[:-1][quiet] * np.exp(-0.1), atol=1e-12)
    assert 0.9 < quiet.mean() < 1


def test_bursty_load_does_not_begin_in_silence(rng: np.random.Generator) -> None:
    """The first tick is as loaded as any other."""
    first = [
        bursty_load(1, 60.0, bursts_per_h=6, hold_s=600, height=3, rng=rng) for _ in range(500)
    ]
    assert np.mean(first) == pytest.approx(4, rel=0.1)


def test_stepped_load_changes_at_its_ticks() -> None:
    """The tick named is the first of the new level."""
    np.testing.assert_array_equal(stepped_load(6, [2, 5], [1.0, 3.0, 2.0]), [1, 1, 3, 3, 3, 2])
