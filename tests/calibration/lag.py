"""Lags that are known: does the interval hold them, and is the estimate near the best that there could be?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle, product

import numpy as np
import numpy.typing as npt

from signals.schema import Estimate
from signals.series.smooth import detrend
from signals.series.synthetic import (
    add_ar_noise,
    ar1,
    bursty_load,
    daily_load,
    delayed,
    noise_sigma,
)
from signals.study.lag import estimate_lag, lag_window
from tests.calibration.table import (
    Check,
    Column,
    Family,
    Figures,
    Outcomes,
    Reason,
    Setting,
    coverage,
)

__all__ = ["DAY", "LOADS", "TICK_S", "WEEK", "ends", "make_load"]

Array = npt.NDArray[np.float64]
Rng = np.random.Generator

TICK_S = 60.0
NOISE_PHI = 0.9
SURE_TICKS = 0.2
"""Width over which an interval may not hold the truth too often either."""

LOADS: dict[str, Callable[[int, Rng], Array]] = {
    "AR(1) 0.5": lambda count, rng: ar1(count, 0.5, rng),
    "AR(1) 0.9": lambda count, rng: ar1(count, 0.9, rng),
    "AR(1) 0.99": lambda count, rng: ar1(count, 0.99, rng),
    "daily": lambda count, rng: daily_load(count, TICK_S, wander=0.1, phi=0.95, rng=rng),
    "bursty": lambda count, rng: bursty_load(
        count, TICK_S, bursts_per_h=6, hold_s=300, height=1, rng=rng
    ),
}


@dataclass(frozen=True)
class Late:
    """A load, and a signal that comes later under noise.

    Attributes:
        load: name of the load.
        noise_phi: lag-1 autocorrelation of the noise.
        snr_db: variance of the delayed noiseless signal, detrended, over that of the noise, decibels.
        lag: ticks.
        count: ticks of the series.
    """

    load: str
    noise_phi: float
    snr_db: float
    lag: float
    count: int

    @property
    def setting(self) -> Setting:
        """Its row."""
        noise = f"AR(1) {self.noise_phi:g}" if self.noise_phi else "white"
        return Setting(f"{self.load}, {noise} noise, {self.snr_db:g} dB, lag {self.lag:g}", self)


def make_load(name: str, rng: Rng) -> Callable[[int], Array]:
    """A maker of one of the loads."""
    return lambda count: LOADS[name](count, rng)


def ends(estimate: Estimate) -> tuple[float, float, float]:
    """Value and interval as numbers, NaN where missing."""
    parts = (estimate.value, estimate.low, estimate.high)
    value, low, high = (np.nan if part is None else float(part) for part in parts)
    return value, low, high


def _draw(made: Late, rng: Rng) -> Mapping[str, float]:
    load, late = delayed(make_load(made.load, rng), made.count, made.lag)
    clean = detrend(late, TICK_S)
    sigma = noise_sigma(clean, made.snr_db)
    signal = add_ar_noise(late, sigma, made.noise_phi, rng)
    estimate = estimate_lag(load, signal, TICK_S, rng=rng)
    value, low, high = (end / TICK_S if estimate.determined else np.nan for end in ends(estimate))
    return {
        "value": value,
        "low": low,
        "high": high,
        "determined": float(estimate.determined),
        "bound": _bound(detrend(load, TICK_S), sigma, made),
    }


def _bound(load: Array, sigma: float, made: Late) -> float:
    """Least standard error of an unbiased estimate, ticks: of white noise, or after making the noise white."""
    reach = lag_window(made.count, TICK_S)
    slope = np.diff(load)[reach : made.count - reach]
    white = slope[1:] - made.noise_phi * slope[:-1]
    return float(sigma * np.sqrt(1 - made.noise_phi**2) / np.sqrt(white @ white))


def _summarise(made: Late, outcomes: Outcomes) -> Figures:
    error = outcomes["value"] - made.lag
    error = error[np.isfinite(error)]
    low, high = outcomes["low"], outcomes["high"]
    return {
        "determined": float(outcomes["determined"].mean()),
        "coverage": coverage(low, high, made.lag),
        "width": float(np.nanmedian(high - low)) if len(error) else np.nan,
        "median_error": float(np.median(error)) if len(error) else np.nan,
        "rmse": float(np.sqrt(np.mean(error**2))) if len(error) else np.nan,
        "bound": float(np.mean(outcomes["bound"])),
    }


def _asked(made: Late, figures: Figures) -> Sequence[Check]:
    sure = figures["width"] <= SURE_TICKS
    band = Check("coverage", 0.95) if sure else Check("coverage", 0.92, 0.98)
    if made.snr_db < 0:
        return (band,)
    return band, Check("median_error", -0.25, 0.25, counted=False)


_COLUMNS = (
    Column("determined", "determined", "share"),
    Column("coverage", "coverage", "coverage"),
    Column("width", "median width"),
    Column("median_error", "median error", "3"),
    Column("rmse", "RMSE", "3"),
    Column("bound", "bound", "3"),
)
_TEXT = """\
A load, and its copy that comes later by the lag of the setting, under noise. `AR(1) 0.9` is a first-order
autoregression, `daily` a day from 0.2 to 1 with slow departures of 10 %, `bursty` six bursts an hour that decay in
five minutes. dB: variance of the late copy, detrended as the measure does it, over that of the noise. A fraction of
a tick is a mixture of two neighbouring ticks. All in ticks of one minute.

Asked of the lags that are determined: a coverage of 0.92 to 0.98 where the median width of the interval exceeds 0.2 tick
and of at least 0.95 elsewhere; at 0 dB and above a median error of at most a quarter of a tick. RMSE stands beside the
bound of Cramér and Rao: sigma over the root of the sum of squared differences of neighbouring ticks of load (for
AR(1) noise after making it white). At whole lags the RMSE may lie under it, as the estimate often is the tick itself.
Under AR(1) noise the bound is out of reach of least squares, which the estimate is."""

_LOADS = ("AR(1) 0.9", "daily", "bursty")
_PHIS = (0.0, NOISE_PHI)
# a whole lag and a fraction for each kind of series, in turn: all pairs of kinds and of lags occur
_WHOLE, _FRACTION = (0.0, 20.0, 13.0), (7.25, 0.5, 3.5)
DAY_SETTINGS = [
    Late(load, phi, snr, lags[number % 3], 1440)
    for number, (load, phi, snr) in enumerate(product(_LOADS, _PHIS, (-5.0, 0.0, 10.0, 20.0)))
    for lags in (_WHOLE, _FRACTION)
]
DAY_SETTINGS += [
    Late(load, 0.0, 0.0, lag, 1440)
    for load, lag in product(("AR(1) 0.5", "AR(1) 0.99"), (7.25, 20.0))
]
DAY_SETTINGS += [
    Late(load, phi, snr, lag, 1440)
    for (load, phi, snr), lag in product(
        (("AR(1) 0.9", 0.0, 0.0), ("AR(1) 0.9", NOISE_PHI, -5.0), ("daily", NOISE_PHI, -5.0)),
        (3.05, 3.1),
    )
]
WEEK_SETTINGS = [
    Late(load, phi, snr, lag, 10_080)
    for (load, phi, snr), lag in zip(
        product(_LOADS, _PHIS, (0.0, 20.0)), cycle((0.5, 20.0, 7.25)), strict=False
    )
]
_REASONS = (
    Reason(
        r"lag (0|13|20)$",
        "a lag of exactly so many ticks is found exactly in a fifth of the series and more, and so held more often than lags beside it. "
        "The interval is as short as lags a twentieth of a tick beside a whole one allow.",
    ),
)

DAY = Family(
    name="lag",
    title="lag_s: 1,440 ticks",
    text=_TEXT,
    columns=_COLUMNS,
    settings=tuple(late.setting for late in DAY_SETTINGS),
    draw=_draw,
    summarise=_summarise,
    asked=_asked,
    short=(
        "AR(1) 0.9, white noise, 0 dB, lag 3.05",
        "AR(1) 0.9, AR(1) 0.9 noise, 10 dB, lag 7.25",
        "daily, white noise, 0 dB, lag 7.25",
        "daily, white noise, -5 dB, lag 3.5",
        "bursty, white noise, 20 dB, lag 20",
        "bursty, AR(1) 0.9 noise, 0 dB, lag 7.25",
    ),
    reasons=_REASONS,
)
WEEK = Family(
    name="lag-week",
    title="lag_s: 10,080 ticks",
    text="The same on a week of minutes.",
    columns=_COLUMNS,
    settings=tuple(late.setting for late in WEEK_SETTINGS),
    draw=_draw,
    summarise=_summarise,
    asked=_asked,
    short=("daily, white noise, 0 dB, lag 20",),
    reasons=_REASONS,
)
