"""Answers to load whose elasticity or bend is known."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import numpy.typing as npt

from signals.series.synthetic import (
    add_noise,
    daily_load,
    noise_sigma,
    power_response,
    saturating,
    two_segments,
)
from signals.study.elasticity import elasticity
from signals.study.response import bin_means, knee
from tests.calibration.lag import ends
from tests.calibration.table import (
    Check,
    Column,
    Family,
    Figures,
    Outcomes,
    Setting,
    coverage,
    share,
)

__all__ = ["ELASTICITY", "KNEE", "SMOOTH"]

Array = npt.NDArray[np.float64]
Rng = np.random.Generator

TICK_S = 60.0
NEAR = 0.05


def _load(days: int, rng: Rng) -> Array:
    return daily_load(days * 1440, TICK_S, wander=0.1, phi=0.99, rng=rng)


def _under_noise(clean: Array, snr_db: float, rng: Rng) -> Array:
    return add_noise(clean, noise_sigma(clean, snr_db), rng)


@dataclass(frozen=True)
class Elastic:
    """A power of load under white noise.

    Attributes:
        elasticity: the power.
        snr_db: variance of the clean signal over that of the noise, decibels.
        days: span.
    """

    elasticity: float
    snr_db: float
    days: int


def _draw_elastic(made: Elastic, rng: Rng) -> Mapping[str, float]:
    load = _load(made.days, rng)
    signal = _under_noise(power_response(load, made.elasticity), made.snr_db, rng)
    estimate = elasticity(load, signal, bin_means(load, signal, TICK_S), TICK_S, rng=rng)
    return dict(zip(("value", "low", "high"), ends(estimate), strict=True))


def _sum_up_elastic(made: Elastic, outcomes: Outcomes) -> Figures:
    value, low, high = (outcomes[name] for name in ("value", "low", "high"))
    return {
        "median": float(np.nanmedian(value)),
        "off": float(np.nanmedian(value) / made.elasticity - 1),
        "rmse": float(np.sqrt(np.nanmean((value - made.elasticity) ** 2))),
        "coverage": coverage(low, high, made.elasticity),
        "width": float(np.nanmedian(high - low)),
        "missing": float(np.isnan(value).mean()),
    }


def _asked_elastic(made: Elastic, _: Figures) -> Sequence[Check]:
    return (Check("off", -NEAR, NEAR, counted=False),) if made.snr_db >= 10 else ()


ELASTICITY = Family(
    name="elasticity",
    title="elasticity",
    text="""\
A daily load from 0.2 to 1 with departures of 10 % that last for hours, and a power of it under white noise. Asked at
10 dB and above: a median within 5 % of the truth. Of the interval nothing is asked. It is the slope between two means,
and a power of a mean is not the mean of powers: where there is next to no noise that difference, of 0.1 %, is wider
than the interval.""",
    columns=(
        Column("median", "median", "3"),
        Column("off", "off by", "share"),
        Column("rmse", "RMSE", "3"),
        Column("coverage", "coverage", "coverage"),
        Column("width", "median width", "3"),
        Column("missing", "missing", "share"),
    ),
    settings=tuple(
        Setting(f"truth {truth:g}, {snr:g} dB, {days} days", Elastic(truth, snr, days))
        for truth, snr, days in product((0.3, 0.5, 1.0, 2.0), (0.0, 10.0, 20.0), (1, 7))
    ),
    draw=_draw_elastic,
    summarise=_sum_up_elastic,
    asked=_asked_elastic,
    short=("truth 0.3, 10 dB, 1 days", "truth 2, 10 dB, 1 days", "truth 1, 10 dB, 7 days"),
)


@dataclass(frozen=True)
class Bent:
    """Two lines that meet, under white noise.

    Attributes:
        knee: load at which they meet.
        below: slope under it.
        above: slope over it.
        snr_db: decibels.
        days: span.
    """

    knee: float
    below: float
    above: float
    snr_db: float
    days: int

    @property
    def setting(self) -> Setting:
        """Its row."""
        slopes = f"slopes {self.below:g} and {self.above:g}"
        return Setting(
            f"knee at {self.knee:g}, {slopes}, {self.snr_db:g} dB, {self.days} days", self
        )


def _draw_bent(made: Bent, rng: Rng) -> Mapping[str, float]:
    load = _load(made.days, rng)
    clean = two_segments(load, made.knee, below=made.below, above=made.above)
    return {"value": ends(knee(load, _under_noise(clean, made.snr_db, rng), TICK_S))[0]}


def _sum_up_bent(made: Bent, outcomes: Outcomes) -> Figures:
    value = outcomes["value"]
    found = np.isfinite(value)
    off = value[found] / made.knee - 1
    return {
        "found": float(found.mean()),
        "off": float(np.median(off)) if len(off) else np.nan,
        "spread": float(np.sqrt(np.mean(off**2))) if len(off) else np.nan,
    }


def _asked_bent(_: Bent, _figures: Figures) -> Sequence[Check]:
    return (Check("off", -NEAR, NEAR, counted=False),)


KNEE = Family(
    name="knee",
    title="knee: two lines that meet",
    text="""\
The same load, and two straight lines that meet, under white noise. Asked: the median of the knees that are found within 5 % of the truth.
`RMSE` is that of the knees found, as a share of the truth.""",
    columns=(
        Column("found", "found", "share"),
        Column("off", "off by", "share"),
        Column("spread", "RMSE", "share"),
    ),
    settings=tuple(
        Bent(where, below, above, snr, days).setting
        for (below, above), where, snr, days in product(
            ((1.0, 5.0), (0.1, 1.0), (1.0, 0.1)), (0.4, 0.8), (10.0, 20.0), (1, 7)
        )
    ),
    draw=_draw_bent,
    summarise=_sum_up_bent,
    asked=_asked_bent,
    short=(
        "knee at 0.4, slopes 1 and 5, 10 dB, 1 days",
        "knee at 0.8, slopes 0.1 and 1, 20 dB, 7 days",
        "knee at 0.4, slopes 1 and 0.1, 20 dB, 7 days",
    ),
)

CURVES: dict[str, Callable[[Array], Array]] = {
    "a straight line": lambda load: load + 0.3,
    "load to the power of 0.5": lambda load: power_response(load, 0.5),
    "load to the power of 1.5": lambda load: power_response(load, 1.5),
    "load to the power of 2": lambda load: power_response(load, 2.0),
    "load to the power of 3": lambda load: power_response(load, 3.0),
    "load / (load + 0.5)": lambda load: saturating(load, 0.5),
    "load / (load + 0.1)": lambda load: saturating(load, 0.1),
    "exp(3 load)": lambda load: np.exp(3 * load),
}


@dataclass(frozen=True)
class Smooth:
    """A curve without a bend, under white noise.

    Attributes:
        curve: its name.
        snr_db: decibels.
        days: span.
    """

    curve: str
    snr_db: float
    days: int


def _draw_smooth(made: Smooth, rng: Rng) -> Mapping[str, float]:
    load = _load(made.days, rng)
    signal = _under_noise(CURVES[made.curve](load), made.snr_db, rng)
    return {"found": float(knee(load, signal, TICK_S).value is not None)}


def _sum_up_smooth(_: Smooth, outcomes: Outcomes) -> Figures:
    return {"found": share(outcomes["found"])}


def _asked_smooth(_: Smooth, _figures: Figures) -> Sequence[Check]:
    return (Check("found", high=0.05),)


SMOOTH = Family(
    name="smooth",
    title="knee: smooth curves",
    text="""\
The same load, and curves that bend smoothly or not at all, under white noise. Share in which a knee is found. Asked: at most 5 %.""",
    columns=(Column("found", "found", "share"),),
    settings=tuple(
        Setting(f"{curve}, {snr:g} dB, {days} days", Smooth(curve, snr, days))
        for curve, snr, days in product(CURVES, (10.0, 30.0), (1, 7))
    ),
    draw=_draw_smooth,
    summarise=_sum_up_smooth,
    asked=_asked_smooth,
    short=("a straight line, 30 dB, 1 days", "load / (load + 0.5), 10 dB, 1 days"),
)
