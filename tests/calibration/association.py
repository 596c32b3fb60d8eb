"""Pairs that have nothing to do with each other: is a test at 5 % wrong in 5 % of them?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import numpy.typing as npt

from signals.schema import Estimate
from signals.series.synthetic import ar1
from signals.study.association import partial, pearson, spearman
from signals.study.distance import distance_corr
from signals.study.granger import granger
from tests.calibration.table import Check, Column, Family, Figures, Outcomes, Reason, Setting, share

__all__ = ["CHANCE", "GRANGER", "MEASURES", "PHIS", "SHARED_DAY", "number_of"]

Array = npt.NDArray[np.float64]
Rng = np.random.Generator

LEVEL = 0.05
LOW, HIGH = 0.03, 0.07
PHIS = (0.0, 0.5, 0.9, 0.97)
MEASURES: dict[str, Callable[[Array, Array], Estimate]] = {
    "pearson": pearson,
    "spearman": spearman,
    "distance_corr": distance_corr,
}


@dataclass(frozen=True)
class Alone:
    """Two autoregressions that know nothing of each other.

    Attributes:
        phi: lag-1 autocorrelation of both.
        count: ticks.
    """

    phi: float
    count: int


@dataclass(frozen=True)
class SameDay:
    """Two autoregressions that know nothing of each other, on one daily shape.

    Attributes:
        phi: lag-1 autocorrelation of both.
        days: whole days.
        tick_s: grid width, seconds.
    """

    phi: float
    days: int
    tick_s: float

    @property
    def setting(self) -> Setting:
        """Its row."""
        return Setting(f"{self.days} days, AR(1) {self.phi:g}, ticks of {self.tick_s:g} s", self)


def number_of(estimate: Estimate, name: str = "p_value") -> float:
    """A number of `extra`, NaN where there is none."""
    number = estimate.extra.get(name)
    return float(number) if isinstance(number, int | float) else np.nan


def _rejected(p_value: float) -> float:
    return np.nan if np.isnan(p_value) else float(p_value < LEVEL)


def _draw_alone(made: Alone, rng: Rng) -> Mapping[str, float]:
    x, y = ar1(made.count, made.phi, rng), ar1(made.count, made.phi, rng)
    return {name: _rejected(number_of(ask(x, y))) for name, ask in MEASURES.items()}


def _pair_of_days(made: SameDay, rng: Rng) -> tuple[Array, Array]:
    ticks = round(86_400 / made.tick_s)
    count = made.days * ticks
    day = 3 * np.sin(2 * np.pi * np.arange(count) / ticks)
    return day + ar1(count, made.phi, rng), day + ar1(count, made.phi, rng)


def _draw_day(made: SameDay, rng: Rng) -> Mapping[str, float]:
    return {"partial": _rejected(number_of(partial(*_pair_of_days(made, rng), made.tick_s)))}


def _draw_granger(made: SameDay, rng: Rng) -> Mapping[str, float]:
    estimate = granger(*_pair_of_days(made, rng), made.tick_s)
    one = _rejected(number_of(estimate))
    return {
        "f_test": one,
        "shifts": _rejected(number_of(estimate, "p_shifts")),
        "both": one if estimate.determined else 0.0,
    }


def _shares(_: object, outcomes: Outcomes) -> Figures:
    return {name: share(flags) for name, flags in outcomes.items()}


def _asked_of_all(_: object, figures: Figures) -> Sequence[Check]:
    return [Check(name, LOW, HIGH) for name in figures]


def _asked_of_granger(_: object, _figures: Figures) -> Sequence[Check]:
    return (Check("f_test", LOW, HIGH), Check("both", high=HIGH))


CHANCE = Family(
    name="association",
    title="pearson, spearman, distance_corr: unrelated pairs",
    text="""\
Two independent autoregressions of 1,440 ticks with the same phi. Share of pairs for which the single test, before
the correction for many signals, says at 5 % that they go together. Asked: 3 to 7 %.""",
    columns=tuple(Column(name, f"`{name}`", "share") for name in MEASURES),
    settings=tuple(Setting(f"AR(1) {phi:g}", Alone(phi, 1440)) for phi in PHIS),
    draw=_draw_alone,
    summarise=_shares,
    asked=_asked_of_all,
    short=("AR(1) 0.5", "AR(1) 0.97"),
)
SHARED_DAY = Family(
    name="partial",
    title="partial: pairs that share the day and nothing else",
    text="""\
Two independent autoregressions on one daily shape three times as high. Share of pairs for which the single test
says at 5 % that they go together beyond the day. Asked: 3 to 7 %.""",
    columns=(Column("partial", "`partial`", "share"),),
    settings=tuple(
        SameDay(phi, days, tick_s).setting
        for tick_s, days, phi in product((300.0, 900.0), (3, 7, 14), PHIS)
    ),
    draw=_draw_day,
    summarise=_shares,
    asked=_asked_of_all,
    short=(
        "3 days, AR(1) 0.9, ticks of 300 s",
        "7 days, AR(1) 0.97, ticks of 900 s",
        "3 days, AR(1) 0.5, ticks of 900 s",
    ),
)
GRANGER = Family(
    name="granger",
    title="granger: pairs that share the day and nothing else",
    text="""\
The same pairs. `F test` is the value, `shifts` its check by circular shifts, `both` the share that is determined and under 5 %.
Asked: 3 to 7 % of the F test, at most 7 % of both.""",
    columns=(
        Column("f_test", "F test", "share"),
        Column("shifts", "shifts", "share"),
        Column("both", "both", "share"),
    ),
    settings=tuple(SameDay(phi, days, 900.0).setting for days, phi in product((3, 7), PHIS)),
    draw=_draw_granger,
    summarise=_shares,
    asked=_asked_of_granger,
    short=("7 days, AR(1) 0.9, ticks of 900 s",),
    reasons=(
        Reason(
            r"AR\(1\) 0\.97",
            "the F test itself, which is that of statsmodels, is too bold on few and slow pairs: of 288 ticks with phi 0.97 "
            "and no day at all it rejects 9 % (1,500 pairs). That is what the shifts are for.",
        ),
    ),
)
