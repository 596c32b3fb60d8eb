"""Noise must have the size and colour that was asked for."""

from __future__ import annotations

import numpy as np
import pytest

from signals.series.synthetic import add_ar_noise, add_noise, ar1, noise_sigma, scale_noise


def neighbours(values: np.ndarray) -> float:
    """Lag-1 autocorrelation."""
    return float(np.corrcoef(values[1:], values[:-1])[0, 1])


@pytest.mark.parametrize("phi", [0.0, 0.5, 0.95])
def test_ar1_has_unit_variance_and_its_autocorrelation(
    phi: float, rng: np.random.Generator
) -> None:
    """Mean square 1, lag-1 product phi, from the first tick on."""
    many = np.stack([ar1(50, phi, rng) for _ in range(2000)])
    assert np.mean(many[:, 0] ** 2) == pytest.approx(1.0, abs=0.1)
    assert np.mean(many[:, 1:] * many[:, :-1]) == pytest.approx(phi, abs=0.03)


def test_noise_sigma_gives_the_ratio_of_variances(rng: np.random.Generator) -> None:
    """At 20 dB the noise has a hundredth of the signal's variance."""
    signal = rng.normal(size=50_000) * 3
    noise = add_noise(np.zeros(50_000), noise_sigma(signal, 20), rng)
    assert signal.var() / noise.var() == pytest.approx(100, rel=0.05)


@pytest.mark.parametrize("phi", [0.0, 0.8])
def test_ar_noise_has_its_size_and_colour(phi: float, rng: np.random.Generator) -> None:
    """Its standard deviation counts all frequencies, so that a ratio in decibels holds for any colour."""
    signal = rng.normal(size=50_000) * 3
    noise = add_ar_noise(signal, noise_sigma(signal, 0), phi, rng) - signal
    assert signal.var() / noise.var() == pytest.approx(1, rel=0.06)
    assert neighbours(noise) == pytest.approx(phi, abs=0.02)


@pytest.mark.parametrize("phi", [0.0, 0.9])
def test_scaled_noise_is_in_proportion(phi: float, rng: np.random.Generator) -> None:
    """At every level the same spread of the logarithm, median 1, never a change of sign."""
    level = np.repeat([1.0, 1000.0], 40_000)
    noise = np.log(scale_noise(level, 0.3, rng, phi=phi) / level)
    for half in (noise[:40_000], noise[40_000:]):
        assert half.std() == pytest.approx(0.3, rel=0.05)
        assert np.median(half) == pytest.approx(0, abs=0.03)
    assert neighbours(noise) == pytest.approx(phi, abs=0.02)
