"""Series whose truth is known: loads of a chosen character, and signals with a chosen lag, response and noise.

Everything is a pure function of its arguments and the generator that is passed in. Positions are ticks.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

__all__ = [
    "add_noise",
    "ar1",
    "clipped",
    "daily_load",
    "delayed",
    "noise_sigma",
    "power_response",
    "wandering_load",
]

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


def daily_load(
    count: int,
    tick_s: float,
    *,
    trough: float = 0.2,
    peak_hour: float = 15.0,
    wander: float = 0.0,
    phi: float = 0.99,
    rng: np.random.Generator,
) -> Array:
    """A day of low nights and high afternoons, with slow random departures from it.

    Args:
        count: number of ticks.
        tick_s: grid width, seconds.
        trough: load at night, as a share of the peak's 1.
        peak_hour: hour of the day at which it peaks.
        wander: standard deviation of ln load around the daily shape.
        phi: lag-1 autocorrelation of that departure.
        rng: source of randomness.

    Returns:
        float64 [count], above zero, about 1 at the peak.
    """
    hours = np.arange(count) * tick_s / 3600.0
    wave = 0.5 + 0.5 * np.cos(2 * np.pi * (hours - peak_hour) / 24.0)
    shape = trough + (1 - trough) * wave
    return np.asarray(shape * np.exp(wander * ar1(count, phi, rng)), dtype=np.float64)


def wandering_load(count: int, *, phi: float, spread: float, rng: np.random.Generator) -> Array:
    """A load without a daily shape whose logarithm is a first-order autoregression.

    Args:
        count: number of ticks.
        phi: lag-1 autocorrelation.
        spread: standard deviation of ln load.
        rng: source of randomness.

    Returns:
        float64 [count], above zero, median 1.
    """
    return np.exp(spread * ar1(count, phi, rng))


def delayed(make: Callable[[int], Array], count: int, lag: float) -> tuple[Array, Array]:
    """A load and its copy that comes later, by whole or fractional ticks.

    A fraction mixes two neighbouring ticks, which is what aggregation over a tick does to a shift.

    Args:
        make: gives a load of the number of ticks asked for.
        count: number of ticks wanted.
        lag: ticks by which the copy is late; negative for early.

    Returns:
        Two float64 [count]: the load, and the copy.
    """
    whole = int(np.floor(lag))
    part = lag - whole
    margin = abs(whole) + 2
    base = make(count + 2 * margin)
    inner = np.arange(margin, margin + count)
    late = (1 - part) * base[inner - whole] + part * base[inner - whole - 1]
    return base[inner], late


def power_response(load: Array, elasticity: float) -> Array:
    """A signal that moves by `elasticity` per cent when load moves by one.

    Args:
        load: float64 [n], above zero.
        elasticity: any number; 1 is proportional.

    Returns:
        float64 [n].
    """
    return np.asarray(load**elasticity, dtype=np.float64)


def clipped(values: Array, quantile: float) -> Array:
    """A signal that cannot exceed a capacity.

    Args:
        values: float64 [n].
        quantile: share of the values below the capacity.

    Returns:
        float64 [n].
    """
    return np.minimum(values, np.quantile(values, quantile))


def noise_sigma(noiseless: Array, snr_db: float) -> float:
    """Standard deviation of white noise that gives a signal-to-noise ratio.

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
