"""Series whose truth is known: they must have it."""

from __future__ import annotations

import numpy as np
import pytest

from signals.series.synthetic import (
    add_noise,
    ar1,
    clipped,
    daily_load,
    delayed,
    noise_sigma,
    power_response,
    wandering_load,
)


@pytest.mark.parametrize("phi", [0.0, 0.5, 0.95])
def test_ar1_has_unit_variance_and_its_autocorrelation(
    phi: float, rng: np.random.Generator
) -> None:
    """Mean square 1, lag-1 product phi, from the first tick on."""
    many = np.stack([ar1(50, phi, rng) for _ in range(2000)])
    assert np.mean(many[:, 0] ** 2) == pytest.approx(1.0, abs=0.1)
    assert np.mean(many[:, 1:] * many[:, :-1]) == pytest.approx(phi, abs=0.03)


def test_daily_load_peaks_and_falls_at_its_hours(rng: np.random.Generator) -> None:
    """1 at the peak's hour, the trough's share twelve hours from it."""
    load = daily_load(24, 3600.0, trough=0.25, peak_hour=15, rng=rng)
    assert load[15] == pytest.approx(1.0)
    assert load[3] == pytest.approx(0.25)


def test_wandering_load_has_its_spread(rng: np.random.Generator) -> None:
    """The standard deviation of ln load is as asked."""
    assert np.log(wandering_load(20_000, phi=0.3, spread=0.4, rng=rng)).std() == pytest.approx(
        0.4, rel=0.05
    )


@pytest.mark.parametrize("lag", [3, -2, 0])
def test_delayed_by_whole_ticks_is_a_shift(lag: int, rng: np.random.Generator) -> None:
    """The copy at tick i is the load at tick i - lag."""
    x, y = delayed(lambda count: rng.normal(size=count), 50, lag)
    inner = np.arange(5, 45)
    np.testing.assert_array_equal(y[inner], x[inner - lag])


def test_delayed_by_a_fraction_mixes_neighbours() -> None:
    """2.25 ticks late on a ramp is 2.25 lower."""
    x, y = delayed(lambda count: np.arange(float(count)), 20, 2.25)
    np.testing.assert_allclose(x - y, 2.25)


def test_power_response_has_its_elasticity() -> None:
    """Twice the load, 2^0.5 times the signal."""
    np.testing.assert_allclose(power_response(np.array([1.0, 4.0]), 0.5), [1, 2])


def test_clipped_never_exceeds_its_quantile() -> None:
    """Half of the ticks lie at the cap."""
    values = clipped(np.arange(101.0), 0.5)
    assert values.max() == 50


def test_noise_sigma_gives_the_ratio_of_variances(rng: np.random.Generator) -> None:
    """At 20 dB the noise has a hundredth of the signal's variance."""
    signal = rng.normal(size=50_000) * 3
    noise = add_noise(np.zeros(50_000), noise_sigma(signal, 20), rng)
    assert signal.var() / noise.var() == pytest.approx(100, rel=0.05)
