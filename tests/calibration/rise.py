"""Sudden changes of load that a signal follows after a known time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import numpy.typing as npt

from signals.series.align import shift
from signals.series.synthetic import scale_noise, smeared, stepped_load
from signals.study.rise import load_changes, rise_s
from tests.calibration.lag import ends
from tests.calibration.table import Check, Column, Family, Figures, Outcomes, Setting, coverage

__all__ = ["RISE"]

Array = npt.NDArray[np.float64]
Rng = np.random.Generator

TICK_S = 15.0
COUNT = 5760
EVENTS = 24


@dataclass(frozen=True)
class Stepped:
    """A load in steps, and a signal that follows late, at once or slowly.

    Attributes:
        late: ticks after which the signal begins to move.
        constant: ticks in which it covers 1 - 1/e of the way; 0 for at once.
        spread: standard deviation of the logarithm of the noise of both.
    """

    late: int
    constant: float
    spread: float

    @property
    def truth_s(self) -> float:
        """Time until half of the way is covered, in whole ticks."""
        way = self.late
        if self.constant:
            way += int(np.ceil(self.constant * np.log(2) - 1 - 1e-9))
        return way * TICK_S


def _draw(made: Stepped, rng: Rng) -> Mapping[str, float]:
    starts = np.sort(rng.choice(np.arange(1, COUNT // 120), EVENTS, replace=False)) * 120
    starts += rng.integers(0, 40, EVENTS)
    levels = 1 + 0.5 * np.arange(EVENTS + 1) % 2 + rng.uniform(0, 0.2, EVENTS + 1)
    load = stepped_load(COUNT, starts.tolist(), levels.tolist())
    clean = smeared(load, made.constant) if made.constant else load
    late = shift(clean, made.late)
    late[: made.late] = load[0]
    noisy = scale_noise(load, made.spread, rng), scale_noise(late, made.spread, rng)
    estimate = rise_s(noisy[1], load_changes(noisy[0], TICK_S), TICK_S, rng=rng)
    return dict(zip(("value", "low", "high"), ends(estimate), strict=True))


def _sum_up(made: Stepped, outcomes: Outcomes) -> Figures:
    value, low, high = (outcomes[name] for name in ("value", "low", "high"))
    return {
        "truth": made.truth_s,
        "median": float(np.nanmedian(value)),
        "rmse": float(np.sqrt(np.nanmean((value - made.truth_s) ** 2))),
        "coverage": coverage(low, high, made.truth_s),
        "width": float(np.nanmedian(high - low)),
        "missing": float(np.isnan(value).mean()),
    }


def _asked(_: Stepped, _figures: Figures) -> Sequence[Check]:
    return (Check("coverage", 0.95),)


RISE = Family(
    name="rise",
    title="rise_s",
    text="""\
A day of ticks of 15 s with 24 steps of load of a quarter and more, and a signal that moves after a number of ticks, at
once or like a first-order response. Noise is on both; on a slow rise it makes a tick seem half-way too early.
Seconds. Asked: a coverage of at least 0.95; the interval is wider by a tick on each side, to which change and answer
are known.""",
    columns=(
        Column("truth", "truth", "1"),
        Column("median", "median", "1"),
        Column("rmse", "RMSE", "1"),
        Column("coverage", "coverage", "coverage"),
        Column("width", "median width", "1"),
        Column("missing", "missing", "share"),
    ),
    settings=tuple(
        Setting(
            f"after {late} ticks, time constant {constant:g} ticks, noise {spread:.0%}".replace(
                "%", " %"
            ),
            Stepped(late, constant, spread),
        )
        for late, constant, spread in product((4, 20), (0.0, 8.0), (0.02, 0.1))
    ),
    draw=_draw,
    summarise=_sum_up,
    asked=_asked,
    short=("after 4 ticks, time constant 8 ticks, noise 10 %",),
)
