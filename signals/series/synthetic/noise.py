"""Noise of a chosen size and colour."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["add_ar_noise", "add_noise", "ar1", "noise_sigma", "scale_noise"]

Array = npt.NDArray[np.float64]


def ar1(count: int, phi: float, rng: np.random.Generator) -> Array:
    """A first-order autoregression with unit variance, started in its stationary state.

    Args:
        count: number of ticks.
        phi: lag-1 autocorrelation, |phi| < 1.
        rng: source of randomness.

    Returns:
        float64 [count].
    """
    from scipy.signal import lfilter

    shocks = rng.standard_normal(count) * np.sqrt(1 - phi * phi)
    start = rng.standard_normal()
    values, _ = lfilter([1.0], [1.0, -phi], shocks, zi=[phi * start])
    return np.asarray(values, dtype=np.float64)


def noise_sigma(noiseless: Array, snr_db: float) -> float:
    """Standard deviation of noise that gives a signal-to-noise ratio.

    Args:
        noiseless: float64 [n], what is signal: detrended as the estimator under test will detrend it.
        snr_db: decibels of the variance of `noiseless` over that of the noise.

    Returns:
        In the signal's unit.
    """
    return float(np.std(noiseless) * 10 ** (-snr_db / 20))


def add_noise(values: Array, sigma: float, rng: np.random.Generator) -> Array:
    """White normal noise on top.

    Args:
        values: float64 [n].
        sigma: its standard deviation.
        rng: source of randomness.

    Returns:
        float64 [n].
    """
    return values + sigma * rng.standard_normal(len(values))


def add_ar_noise(values: Array, sigma: float, phi: float, rng: np.random.Generator) -> Array:
    """Noise on top whose neighbours are alike.

    Args:
        values: float64 [n].
        sigma: its standard deviation, of all frequencies together.
        phi: its lag-1 autocorrelation, |phi| < 1.
        rng: source of randomness.

    Returns:
        float64 [n].
    """
    return values + sigma * ar1(len(values), phi, rng)


def scale_noise(
    values: Array, spread: float, rng: np.random.Generator, *, phi: float = 0.0
) -> Array:
    """Noise in proportion to the value, so that a positive series stays positive.

    Args:
        values: float64 [n].
        spread: standard deviation of ln(noisy / noiseless); their median ratio is 1.
        rng: source of randomness.
        phi: lag-1 autocorrelation of that logarithm.

    Returns:
        float64 [n].
    """
    return np.asarray(values * np.exp(spread * ar1(len(values), phi, rng)), dtype=np.float64)
