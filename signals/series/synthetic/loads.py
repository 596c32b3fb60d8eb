"""Loads of a chosen character: by the hour, by the week, wandering, in bursts, in steps."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from signals.series.grid import DAY_S
from signals.series.synthetic.noise import ar1

__all__ = ["bursty_load", "daily_load", "stepped_load", "wandering_load", "weekly_load"]

Array = npt.NDArray[np.float64]

_WEEKDAYS = 5


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


def weekly_load(
    count: int,
    tick_s: float,
    *,
    weekend: float = 0.6,
    trough: float = 0.2,
    peak_hour: float = 15.0,
    wander: float = 0.0,
    phi: float = 0.99,
    rng: np.random.Generator,
) -> Array:
    """Five days of `daily_load`, then two that are quieter at every hour; the first tick is on a Monday.

    Args:
        count: number of ticks.
        tick_s: grid width, seconds.
        weekend: load of the sixth and seventh day, as a share of a weekday's at the same hour.
        trough: as in `daily_load`.
        peak_hour: as in `daily_load`.
        wander: as in `daily_load`.
        phi: as in `daily_load`.
        rng: source of randomness.

    Returns:
        float64 [count], above zero.
    """
    load = daily_load(
        count, tick_s, trough=trough, peak_hour=peak_hour, wander=wander, phi=phi, rng=rng
    )
    day = np.floor(np.arange(count) * tick_s / DAY_S + 1e-9) % 7
    return np.where(day < _WEEKDAYS, load, weekend * load)


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


def bursty_load(
    count: int,
    tick_s: float,
    *,
    bursts_per_h: float,
    hold_s: float,
    height: float,
    shape: float = 2.0,
    rng: np.random.Generator,
) -> Array:
    """A quiet load of 1 on which bursts come at random, leap up at once and decay.

    Bursts are a Poisson process; heights are gamma distributed. Mean (above the 1) `bursts_per_h / 3600 *
    hold_s * height`, autocorrelation exp(-t / hold_s).

    Args:
        count: number of ticks.
        tick_s: grid width, seconds.
        bursts_per_h: how many begin in an hour, on average.
        hold_s: time in which a burst decays to 1/e, seconds.
        height: mean height of a burst at its start, in units of the quiet load.
        shape: of the gamma distribution: 1 for exponential heights, large for equal ones.
        rng: source of randomness.

    Returns:
        float64 [count], at least 1; what came before the first tick is in it.
    """
    from scipy.signal import lfilter

    before = int(np.ceil(10 * hold_s / tick_s))
    bursts = rng.poisson(bursts_per_h * tick_s / 3600, size=before + count)
    # a sum of gammas of one scale is a gamma of the summed shapes
    leaps = rng.gamma(shape * bursts, height / shape)
    keep = float(np.exp(-tick_s / hold_s))
    # the mean of the decay inside the tick in which a burst begins, wherever in it that is
    inside = hold_s / tick_s * (1 - keep)
    decayed = lfilter([inside], [1.0, -keep], leaps)
    return np.asarray(1 + decayed[before:], dtype=np.float64)


def stepped_load(count: int, starts: Sequence[int], levels: Sequence[float]) -> Array:
    """A load that stands on levels and changes between two ticks.

    Args:
        count: number of ticks.
        starts: ticks at which the second, third, ... level begins, rising.
        levels: one more than `starts`.

    Returns:
        float64 [count].
    """
    which = np.searchsorted(np.asarray(starts), np.arange(count), side="right")
    return np.asarray(levels, dtype=np.float64)[which]
