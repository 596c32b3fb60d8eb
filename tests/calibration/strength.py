"""Pairs that go together as much as is known: does the interval hold it?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import numpy.typing as npt

from signals.series.synthetic import ar1
from signals.study.association import partial
from tests.calibration.association import MEASURES, PHIS
from tests.calibration.lag import ends
from tests.calibration.table import (
    Check,
    Column,
    Family,
    Figures,
    Outcomes,
    Setting,
    coverage,
)

__all__ = ["PARTIAL_STRENGTH", "STRENGTH"]

Array = npt.NDArray[np.float64]
Rng = np.random.Generator

LOW, HIGH = 0.88, 0.98
STRENGTHS = (0.3, 0.9)
QUARTERS = 96


@dataclass(frozen=True)
class Tied:
    """Two autoregressions with a known correlation.

    Attributes:
        r: theirs, at every tick.
        phi: lag-1 autocorrelation of both.
        days: whole days of quarters of an hour under one daily shape; 0 for 1,440 ticks without.
    """

    r: float
    phi: float
    days: int = 0


def _truths(r: float) -> dict[str, float]:
    """Of two normal variables.

    Source: Spearman's by Pearson 1907; distance correlation by Székely, Rizzo and Bakirov 2007, theorem 7.
    """
    square = r * np.arcsin(r) + np.sqrt(1 - r * r) - r * np.arcsin(r / 2) - np.sqrt(4 - r * r) + 1
    distance = np.sqrt(max(square, 0.0) / (1 + np.pi / 3 - np.sqrt(3)))
    return {
        "pearson": r,
        "spearman": float(6 / np.pi * np.arcsin(r / 2)),
        "distance_corr": float(distance),
        "partial": r,
    }


def _pair(count: int, made: Tied, rng: Rng) -> tuple[Array, Array]:
    x = ar1(count, made.phi, rng)
    return x, made.r * x + np.sqrt(1 - made.r**2) * ar1(count, made.phi, rng)


def _draw(made: Tied, rng: Rng) -> Mapping[str, float]:
    x, y = _pair(1440, made, rng)
    drawn: dict[str, float] = {}
    for name, ask in MEASURES.items():
        drawn |= _interval(name, ask(x, y))
    return drawn


def _draw_day(made: Tied, rng: Rng) -> Mapping[str, float]:
    count = made.days * QUARTERS
    day = 3 * np.sin(2 * np.pi * np.arange(count) / QUARTERS)
    x, y = _pair(count, made, rng)
    return _interval("partial", partial(day + x, day + y, 900.0))


def _interval(name: str, estimate) -> dict[str, float]:
    _, low, high = ends(estimate)
    return {f"{name}_low": low, f"{name}_high": high}


def _summarise(made: Tied, outcomes: Outcomes) -> Figures:
    figures: Figures = {}
    for name, truth in _truths(made.r).items():
        if f"{name}_low" in outcomes:
            low, high = outcomes[f"{name}_low"], outcomes[f"{name}_high"]
            figures[name] = coverage(low, high, truth)
            figures[f"{name}_width"] = float(np.nanmedian(high - low))
    return figures


def _asked(_: Tied, figures: Figures) -> Sequence[Check]:
    return [Check(name, LOW, HIGH) for name in figures if not name.endswith("_width")]


def _columns(names: Sequence[str]) -> tuple[Column, ...]:
    return tuple(
        column
        for name in names
        for column in (
            Column(name, f"`{name}`", "coverage"),
            Column(f"{name}_width", "width"),
        )
    )


STRENGTH = Family(
    name="strength",
    title="pearson, spearman, distance_corr: intervals",
    text="""\
Two normal autoregressions of 1,440 ticks with the correlation of the setting. Coverage of the 95 % interval and its median
width. Asked: 0.88 to 0.98.""",
    columns=_columns(tuple(MEASURES)),
    settings=tuple(
        Setting(f"r {r:g}, AR(1) {phi:g}", Tied(r, phi))
        for r, phi in product(STRENGTHS, (0.5, 0.97))
    ),
    draw=_draw,
    summarise=_summarise,
    asked=_asked,
    short=("r 0.3, AR(1) 0.5", "r 0.9, AR(1) 0.97"),
)
PARTIAL_STRENGTH = Family(
    name="partial-strength",
    title="partial: intervals",
    text="""\
The same in quarters of an hour on one daily shape. Asked: 0.88 to 0.98.""",
    columns=_columns(("partial",)),
    settings=tuple(
        Setting(f"r {r:g}, {days} days, AR(1) {phi:g}", Tied(r, phi, days))
        for r, days, phi in product((0.0, 0.6, 0.9), (3, 7, 14), PHIS)
    ),
    draw=_draw_day,
    summarise=_summarise,
    asked=_asked,
    short=("r 0.6, 7 days, AR(1) 0.9", "r 0.6, 3 days, AR(1) 0.97"),
)
