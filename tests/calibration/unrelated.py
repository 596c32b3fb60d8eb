"""Where there is no lag, or none in reach: is "undetermined" the answer?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import numpy.typing as npt

from signals.series.smooth import detrend
from signals.series.synthetic import add_noise, ar1, delayed, noise_sigma
from signals.study.lag import estimate_lag, estimate_late_lag
from tests.calibration.lag import LOADS, TICK_S, ends, make_load
from tests.calibration.table import Check, Column, Family, Figures, Outcomes, Reason, Setting

__all__ = ["UNRELATED"]

Array = npt.NDArray[np.float64]
Rng = np.random.Generator

ESTIMATORS = {"one window": estimate_lag, "two windows": estimate_late_lag}
SIGNALS: dict[str, Callable[[int, Rng], Array]] = {
    **LOADS,
    "white noise": lambda count, rng: rng.standard_normal(count),
    "AR(1) 0.97": lambda count, rng: ar1(count, 0.97, rng),
    "AR(1) 0.97 under white noise": lambda count, rng: (
        ar1(count, 0.97, rng) + rng.standard_normal(count)
    ),
    "a constant": lambda count, _: np.full(count, 0.3),
}


@dataclass(frozen=True)
class Apart:
    """A load, and what has no lag that could be found.

    Attributes:
        load: name of the load.
        signal: name of an unrelated signal; empty for a copy of the load that comes too late.
        lag: ticks by which the copy is late.
        estimator: which of the two.
        count: ticks of the series.
    """

    load: str
    signal: str
    lag: float
    estimator: str
    count: int

    @property
    def setting(self) -> Setting:
        """Its row."""
        what = self.signal or f"its copy {self.lag:g} ticks late at 10 dB"
        return Setting(f"load {self.load}, signal {what}, {self.estimator}, N {self.count:,}", self)


def _draw(made: Apart, rng: Rng) -> Mapping[str, float]:
    load, signal = _pair(made, rng)
    estimate = ESTIMATORS[made.estimator](load, signal, TICK_S, rng=rng)
    _, low, high = (end / TICK_S for end in ends(estimate))
    right = not made.signal and low <= made.lag <= high
    return {"determined": float(estimate.determined and not right)}


def _pair(made: Apart, rng: Rng) -> tuple[Array, Array]:
    if made.signal:
        return SIGNALS[made.load](made.count, rng), SIGNALS[made.signal](made.count, rng)
    load, late = delayed(make_load(made.load, rng), made.count, made.lag)
    return load, add_noise(late, noise_sigma(detrend(late, TICK_S), 10.0), rng)


def _summarise(_: Apart, outcomes: Outcomes) -> Figures:
    return {"determined": float(outcomes["determined"].mean())}


def _asked(_made: Apart, _figures: Figures) -> Sequence[Check]:
    return (Check("determined", high=0.07),)


_PAIRS = (
    ("white noise", "white noise"),
    ("AR(1) 0.5", "white noise"),
    ("AR(1) 0.9", "white noise"),
    ("AR(1) 0.99", "white noise"),
    ("daily", "white noise"),
    ("bursty", "white noise"),
    ("AR(1) 0.9", "a constant"),
    ("a constant", "white noise"),
    ("AR(1) 0.5", "AR(1) 0.5"),
    ("AR(1) 0.9", "AR(1) 0.9"),
    ("AR(1) 0.97", "AR(1) 0.97"),
    ("AR(1) 0.97", "AR(1) 0.97 under white noise"),
    ("AR(1) 0.97 under white noise", "AR(1) 0.97 under white noise"),
    ("daily", "AR(1) 0.97"),
    ("bursty", "AR(1) 0.97"),
    ("bursty", "bursty"),
)
_LONG_PAIRS = (
    ("AR(1) 0.9", "white noise"),
    ("daily", "white noise"),
    ("AR(1) 0.97 under white noise", "AR(1) 0.97 under white noise"),
    ("bursty", "bursty"),
)
SETTINGS = (
    [Apart(load, signal, 0.0, "two windows", 1440) for load, signal in _PAIRS]
    + [Apart(load, signal, 0.0, "two windows", 10_080) for load, signal in _LONG_PAIRS]
    + [
        Apart(load, "", lag, estimator, 1440)
        for load, (lag, estimator) in product(
            ("AR(1) 0.9", "daily", "bursty"),
            ((45.0, "one window"), (90.0, "two windows"), (-45.0, "two windows")),
        )
    ]
)

UNRELATED = Family(
    name="undetermined",
    title="lag_s: nothing to be found",
    text="""\
Signals that have nothing to do with load, constants, and copies of load that come later than the window reaches. `one window` is a
search over 30 ticks each way; `two windows` is what a scorecard does, which looks twice as far where the late edge is not
excluded. False: determined, and (for a copy) with an interval that does not hold its lag. Asked: at most 7 %.""",
    columns=(Column("determined", "false", "share"),),
    settings=tuple(apart.setting for apart in SETTINGS),
    draw=_draw,
    summarise=_summarise,
    asked=_asked,
    short=(
        "load AR(1) 0.9, signal white noise, two windows, N 1,440",
        "load daily, signal white noise, two windows, N 1,440",
        "load AR(1) 0.97, signal AR(1) 0.97, two windows, N 1,440",
        "load AR(1) 0.9, signal a constant, two windows, N 1,440",
        "load AR(1) 0.9, signal its copy 45 ticks late at 10 dB, one window, N 1,440",
    ),
    reasons=(
        Reason(
            "under white noise",
            "the number of independent pairs is taken from neighbouring ticks alone, and white noise on a slow series "
            "hides there how slow it is.",
        ),
    ),
)
