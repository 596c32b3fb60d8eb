"""Ratio rules whose error is known: exactly, or up to the noise of the signal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

import numpy as np
import numpy.typing as npt

from signals.series.synthetic import ar1, daily_load, scale_noise
from signals.study.capacity import (
    ASSUMED_FLEET,
    capacity_error,
    capacity_error_instances,
    ratio_errors,
)
from signals.study.flapping import flap_rate
from tests.calibration.lag import ends
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

__all__ = ["CAPACITY", "FLAPPING"]

Array = npt.NDArray[np.float64]
Rng = np.random.Generator

TICK_S = 60.0
DAY = 1440
GAP = 15
EXACT = 1e-12
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Ruled:
    """A signal that a ratio rule follows.

    Attributes:
        signal: `perfect`, `constant` or `noisy`.
        spread: standard deviation of ln(signal / load).
        phi: lag-1 autocorrelation of that.
        days: span.
    """

    signal: str
    spread: float
    phi: float
    days: int


def _draw(made: Ruled, rng: Rng) -> Mapping[str, float]:
    load = daily_load(made.days * DAY, TICK_S, wander=0.1, phi=0.99, rng=rng)
    if made.signal == "constant":
        signal, stated = np.full(len(load), 0.7), _of_a_constant(load)
    else:
        signal = 3 * scale_noise(load, made.spread, rng, phi=made.phi)
        stated = made.spread * np.sqrt(2 / np.pi)
    held = ratio_errors(load, signal, load, TICK_S)
    value, low, high = ends(capacity_error(held, rng=rng))
    drawn = {"value": value, "low": low, "high": high, "stated": float(stated)}
    whole = ends(capacity_error_instances(held, load, None, rng=rng))
    missed = _instances_missed(load, made.spread) if made.signal == "noisy" else np.nan
    names = ("instances", "instances_low", "instances_high")
    return {**drawn, **dict(zip(names, whole, strict=True)), "missed": missed}


def _of_a_constant(load: Array) -> float:
    """Mean distance of ln load from its median over the other days, without a quarter of an hour at the seams."""
    logs, index = np.log(load), np.arange(len(load))
    errors = []
    for first in range(0, len(load), DAY):
        apart = (index < first - GAP) | (index >= first + DAY + GAP)
        errors.append(np.abs(logs[first : first + DAY] - np.median(logs[apart])))
    return float(np.concatenate(errors).mean())


def _instances_missed(load: Array, spread: float) -> float:
    """Expected instances missed at these loads: sum over counts m of the chance to be on the wrong side of m."""
    from scipy.special import ndtr

    wanted = ASSUMED_FLEET * load / np.quantile(load, 0.95)
    needed = np.ceil(wanted - _ROUNDING)
    count = np.arange(1, 5 * ASSUMED_FLEET)[:, None]
    under = ndtr((np.log(count) - np.log(wanted)) / spread)
    return float(np.where(count >= needed, 1 - under, under).sum(axis=0).mean())


def _sum_up(made: Ruled, outcomes: Outcomes) -> Figures:
    value, stated = outcomes["value"], outcomes["stated"]
    figures = {
        "stated": float(stated.mean()),
        "median": float(np.median(value)),
        "farthest": float(np.abs(value - stated).max()),
        "coverage": coverage(outcomes["low"], outcomes["high"], stated),
        "missed": float(outcomes["missed"].mean()),
        "instances": float(np.median(outcomes["instances"])),
        "instances_coverage": np.nan,
        "instances_width": float(np.median(outcomes["instances_high"] - outcomes["instances_low"])),
    }
    if made.signal == "noisy":
        figures["instances_coverage"] = coverage(
            outcomes["instances_low"], outcomes["instances_high"], outcomes["missed"]
        )
    return figures


def _asked(made: Ruled, _: Figures) -> Sequence[Check]:
    if made.signal == "perfect":
        return (Check("farthest", 0, 0, counted=False),)
    if made.signal == "constant":
        return (Check("farthest", 0, EXACT, counted=False),)
    return Check("coverage", 0.9, 0.98), Check("instances_coverage", 0.9, 0.98)


CAPACITY = Family(
    name="capacity",
    title="capacity_error, capacity_error_instances",
    text="""\
A daily load with departures of 10 %, and a signal that is three times the load, a constant, or three times the load times noise
(`spread` is that of its logarithm, AR(1) its autocorrelation). Stated: 0; mean abs(ln load less the median of it on the other days); spread times
sqrt(2 / pi). Asked: the perfect signal has exactly 0 and the constant exactly what is stated, in every single series (`farthest` is the greatest
distance); under noise a coverage of 0.90 to 0.98. Instances: of a fleet of ten, expected at the loads of the series.""",
    columns=(
        Column("stated", "stated", "4"),
        Column("median", "median", "4"),
        Column("farthest", "farthest", "exact"),
        Column("coverage", "coverage", "coverage"),
        Column("missed", "instances stated", "3"),
        Column("instances", "instances", "3"),
        Column("instances_coverage", "coverage", "coverage"),
        Column("instances_width", "width", "3"),
    ),
    settings=(
        Setting("perfect, 4 days", Ruled("perfect", 0.0, 0.0, 4)),
        Setting("constant, 4 days", Ruled("constant", 0.0, 0.0, 4)),
        *(
            Setting(
                f"spread {spread:g}, AR(1) {phi:g}, {days} days", Ruled("noisy", spread, phi, days)
            )
            for spread, phi, days in product((0.1, 0.3), (0.0, 0.9), (1, 4))
        ),
    ),
    draw=_draw,
    summarise=_sum_up,
    asked=_asked,
    short=("perfect, 4 days", "constant, 4 days", "spread 0.1, AR(1) 0.9, 1 days"),
    reasons=(
        Reason(
            r"AR\(1\) 0\.9, 1 days",
            "errors that last for ten minutes leave a day twenty blocks, and the spread of so few comes out too small: the "
            "interval is a sixth too short. With four days it is not.",
        ),
    ),
)


@dataclass(frozen=True)
class Restless:
    """A demand under noise that a rule follows.

    Attributes:
        spread: standard deviation of ln(signal / load).
        phi: lag-1 autocorrelation of that.
        days: span.
    """

    spread: float
    phi: float
    days: int


_TRUTH_DAYS = 400


def _rate(made: Restless, days: int, rng: Rng) -> tuple[float, float, float]:
    load = daily_load(days * DAY, TICK_S, rng=rng)
    signal = load * np.exp(made.spread * ar1(len(load), made.phi, rng))
    return ends(flap_rate(signal, None, TICK_S, scope="total", rng=rng))


@lru_cache(maxsize=64)
def _true_rate(made: Restless) -> float:
    seed = np.random.default_rng((round(1000 * made.spread), round(100 * made.phi)))
    days = [_rate(made, made.days, seed)[0] for _ in range(_TRUTH_DAYS // made.days)]
    return float(np.mean(days))


def _draw_flaps(made: Restless, rng: Rng) -> Mapping[str, float]:
    return dict(zip(("value", "low", "high"), _rate(made, made.days, rng), strict=True))


def _sum_up_flaps(made: Restless, outcomes: Outcomes) -> Figures:
    truth = _true_rate(made)
    low, high = outcomes["low"], outcomes["high"]
    return {
        "truth": truth,
        "median": float(np.nanmedian(outcomes["value"])),
        "coverage": coverage(low, high, truth),
        "width": float(np.nanmedian(high - low)),
    }


def _asked_flaps(_: Restless, _figures: Figures) -> Sequence[Check]:
    return (Check("coverage", 0.9),)


FLAPPING = Family(
    name="flapping",
    title="flap_rate",
    text=f"""\
A demand that follows the hour of the day under noise of its logarithm. The truth is the mean of {_TRUTH_DAYS} other days. Flaps per hour.
Asked: a coverage of at least 0.90; quiet hours and busy ones are drawn alike, so that it may be too careful.""",
    columns=(
        Column("truth", "truth", "3"),
        Column("median", "median", "3"),
        Column("coverage", "coverage", "coverage"),
        Column("width", "median width", "3"),
    ),
    settings=tuple(
        Setting(f"spread {spread:g}, AR(1) {phi:g}, {days} days", Restless(spread, phi, days))
        for spread, phi, days in product((0.05, 0.1, 0.2), (0.0, 0.9), (1, 4))
    ),
    draw=_draw_flaps,
    summarise=_sum_up_flaps,
    asked=_asked_flaps,
    short=("spread 0.1, AR(1) 0.9, 1 days",),
)
