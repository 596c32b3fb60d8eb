"""Targets whose truth is known: the capacity of an instance at which latency turns, and the level a fleet carried."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from signals.schema import PanelColumn
from signals.series.synthetic import ar1, daily_load, wandering_load
from signals.study.panel import Observed
from signals.study.score import LoadChoice
from signals.study.target import operating_target
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
    share,
)

__all__ = ["TARGET"]

Array = npt.NDArray[np.float64]
Rng = np.random.Generator

TICK_S = 60.0
DAY = 1440
INSTANCES = 4.0
PEAK = 250.0
"""Load of an instance at the peak of an average day."""
RATIO = 2.5
_CHOICE = LoadChoice(
    "decode", "service:offered_output_tps", "load", "tokens/s", "offered", "default", "decode:ready"
)


@dataclass(frozen=True)
class Aimed:
    """A signal for a ratio rule, and a latency beside it.

    Attributes:
        load: `daily` or `wandering`.
        days: span.
        spread: standard deviation of ln(signal / load).
        phi: lag-1 autocorrelation of that.
        capacity: load of an instance at which latency turns, as a share of the peak; 0 without a latency.
    """

    load: str
    days: int
    spread: float
    phi: float
    capacity: float


def _draw(made: Aimed, rng: Rng) -> Mapping[str, float]:
    count = made.days * DAY
    shape = (
        daily_load(count, TICK_S, wander=0.1, phi=0.97, rng=rng)
        if made.load == "daily"
        else wandering_load(count, phi=0.99, spread=0.4, rng=rng)
    )
    load = INSTANCES * PEAK * shape
    signal = RATIO * load * np.exp(made.spread * ar1(count, made.phi, rng))
    guards = []
    if made.capacity:
        over = np.maximum(load / INSTANCES - made.capacity * PEAK, 0.0)
        latency = 0.2 + 0.01 * over + 0.03 * ar1(count, 0.8, rng)
        guards.append(_observed("ttft_p90", load, latency))
    target = operating_target(_observed("decode_tps", load, signal), guards, rng=rng)
    value, low, high = ends(target)
    turned = target.extra["basis"] == "knee"
    level = target.extra["load_per_instance"]
    stated = RATIO * (made.capacity * PEAK if made.capacity else float(str(level)))
    if made.capacity and not turned:
        value = low = high = np.nan
    return {"value": value, "low": low, "high": high, "stated": stated, "turned": float(turned)}


def _observed(name: str, load: Array, value: Array) -> Observed:
    total = name == "decode_tps"
    column = PanelColumn(f"decode:{name}", "decode", name, "", "total" if total else "average")
    ready = np.full(len(load), INSTANCES)
    reference = load if total else load / ready
    return Observed(
        column, _CHOICE, TICK_S, "rises", value, reference, value, reference, load, ready, 0.0
    )


def _sum_up(_: Aimed, outcomes: Outcomes) -> Figures:
    off = outcomes["value"] / outcomes["stated"] - 1
    return {
        "turned": share(outcomes["turned"]),
        "off": float(np.nanmedian(off)) * 100,
        "width": float(np.nanmedian(outcomes["high"] / outcomes["low"] - 1)) * 100,
        "coverage": coverage(outcomes["low"], outcomes["high"], outcomes["stated"]),
    }


def _asked(made: Aimed, _: Figures) -> Sequence[Check]:
    band = Check("coverage", 0.92, 0.98)
    return (band, Check("turned", 0.98, 1.0)) if made.capacity else (band,)


def _setting(made: Aimed) -> Setting:
    where = f"turn at {made.capacity:g} of the peak" if made.capacity else "no latency"
    noise = f"spread {made.spread:g}, AR(1) {made.phi:g}"
    return Setting(f"{where}, {made.load} load, {noise}, {made.days} days", made)


TARGET = Family(
    name="target",
    title="target of a recommendation",
    text="""\
A signal that is 2.5 times the load of four instances times noise (`spread` is that of its logarithm, AR(1) its autocorrelation). With a latency beside it,
which turns upwards at a share of the load of the peak (0.2 s below, 10 ms for each more, noise of 30 ms with AR(1) 0.8), the stated target is 2.5 times the load
there; without one, 2.5 times the load of the record's busiest quarter hours. `turned`: share of the series in which the turn was found; the other columns are of
those. `off` and `width` in per cent of the target, medians. Asked: a coverage of 0.92 to 0.98, and the turn found in 98 %.""",
    columns=(
        Column("turned", "turned", "share"),
        Column("off", "off, %", "2"),
        Column("width", "width, %", "1"),
        Column("coverage", "coverage", "coverage"),
    ),
    settings=tuple(
        _setting(Aimed(load, days, spread, phi, capacity))
        for capacity in (0.0, 0.6, 0.8)
        for load in ("daily", "wandering")
        for days in (1, 7)
        for spread, phi in ((0.02, 0.0), (0.1, 0.9))
        if capacity or load == "daily"
    ),
    draw=_draw,
    summarise=_sum_up,
    asked=_asked,
    short=(
        "no latency, daily load, spread 0.1, AR(1) 0.9, 1 days",
        "turn at 0.8 of the peak, daily load, spread 0.1, AR(1) 0.9, 1 days",
    ),
    reasons=(
        Reason(
            "wandering",
            "This load swings by 15 % within two minutes, the width of the means on which a turn is sought, so the turn reads too high; "
            "and of a single day only a small part lies below a turn at 0.6 of the peak, so that it is missed in some.",
        ),
    ),
)
