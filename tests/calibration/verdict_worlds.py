"""Loads and fleets for the calibration of verdicts: what surrounds a signal whose truth is known."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from signals.series.grid import DAY_S, ticks_in
from signals.series.smooth import trailing_mean
from signals.series.synthetic import (
    bursty_load,
    daily_load,
    hold_load,
    scale_noise,
    stepped_load,
    wandering_load,
    weekly_load,
)

__all__ = ["World", "draw_flat_world", "draw_short_world", "draw_world", "span_of"]

Array = npt.NDArray[np.float64]

TICKS_S = (15.0, 20.0, 30.0, 60.0)
MOST_TICKS = 20_160
"""A week of 30 s; finer ticks get fewer days."""
HOUR_S = 3600.0


@dataclass(frozen=True)
class World:
    """One service over some days.

    Attributes:
        tick_s: grid width, seconds.
        days: span.
        shape: what kind of load it has.
        before: ticks of `load` that lie before the panel begins, for signals that come late.
        load: float64 [before + n], total load in 50,000ths.
        ready: float64 [n], instances, or None where the panel does not know them.
        held: whether a scaler holds load per instance flat, so that only totals can be judged.
    """

    tick_s: float
    days: float
    shape: str
    before: int
    load: Array
    ready: Array | None
    held: bool

    @property
    def count(self) -> int:
        """Ticks of the panel."""
        return len(self.load) - self.before

    @property
    def now(self) -> Array:
        """Load on the panel's ticks."""
        return self.load[self.before :]

    def per(self, scope: str) -> Array:
        """Float64 [before + n]: load as a signal of this scope sees it; the first count serves before."""
        if scope == "total" or self.ready is None:
            return self.load
        fleet = np.concatenate([np.full(self.before, self.ready[0]), self.ready])
        return self.load / fleet

    def minutes(self, values: Array) -> Array:
        """The means of a minute that decisions look at, on the panel's ticks."""
        return trailing_mean(values[self.before :], ticks_in(60.0, self.tick_s))


def span_of(values: Array) -> float:
    """95th over 5th percentile."""
    low, high = np.quantile(values, (0.05, 0.95))
    return float(high / low)


def _phi(tick_s: float, hours: float) -> float:
    """Autocorrelation per tick of something that is forgotten within hours."""
    return float(np.exp(-tick_s / (hours * HOUR_S)))


def _daily(count: int, tick_s: float, rng: np.random.Generator) -> Array:
    make = daily_load if rng.random() < 0.7 else weekly_load
    return make(
        count,
        tick_s,
        trough=rng.uniform(0.05, 0.4),
        peak_hour=rng.uniform(0, 24),
        wander=rng.uniform(0.1, 0.3),
        phi=_phi(tick_s, rng.uniform(1, 4)),
        rng=rng,
    )


def _wandering(count: int, tick_s: float, rng: np.random.Generator) -> Array:
    phi = _phi(tick_s, rng.uniform(1, 4))
    return wandering_load(count, phi=phi, spread=rng.uniform(0.3, 0.5), rng=rng)


def _bursty(count: int, tick_s: float, rng: np.random.Generator) -> Array:
    bursts = bursty_load(
        count,
        tick_s,
        bursts_per_h=rng.uniform(0.5, 3),
        hold_s=rng.uniform(600, 3000),
        height=rng.uniform(0.5, 1.5),
        rng=rng,
    )
    return bursts * daily_load(count, tick_s, trough=rng.uniform(0.3, 0.6), rng=rng)


_SHAPES: dict[str, Callable[[int, float, np.random.Generator], Array]] = {
    "daily": _daily,
    "wandering": _wandering,
    "bursty": _bursty,
}


def draw_world(rng: np.random.Generator) -> World:
    """One to seven days of ticks of 15 to 60 s under a load that spans at least a factor 1.8, and who serves it."""
    while True:
        tick_s, days = float(rng.choice(TICKS_S)), int(rng.integers(1, 8))
        if days * DAY_S / tick_s > MOST_TICKS:
            continue
        shape = str(rng.choice(list(_SHAPES)))
        before = ticks_in(1800, tick_s)
        count = round(days * DAY_S / tick_s)
        load = _SHAPES[shape](before + count, tick_s, rng)
        load = scale_noise(load, rng.uniform(0.0, 0.1), rng)
        ready, held = _fleet(load[before:], tick_s, rng)
        world = World(tick_s, days, shape, before, load, ready, held)
        scopes = ("total",) if held else ("total", "average")
        if min(span_of(world.minutes(world.per(scope))) for scope in scopes) >= 1.8:
            return world


def _fleet(load: Array, tick_s: float, rng: np.random.Generator) -> tuple[Array | None, bool]:
    kind = rng.choice(["unknown", "fixed", "stepped", "held"])
    if kind == "unknown":
        return None, False
    if kind == "fixed":
        return np.full(len(load), float(rng.integers(4, 40))), False
    if kind == "held":
        target = float(np.quantile(load, 0.95)) / rng.integers(15, 40)
        delay = ticks_in(rng.uniform(30, 120), tick_s)
        return hold_load(load, target, every=ticks_in(60, tick_s), delay=delay).count, True
    changes = np.sort(rng.choice(len(load), size=3, replace=False))
    return stepped_load(len(load), list(changes), list(rng.integers(10, 15, size=4))), False


def draw_flat_world(rng: np.random.Generator) -> World:
    """A load that spans at most a factor 1.25, or does so per instance because a scaler holds it."""
    while True:
        tick_s = float(rng.choice(TICKS_S))
        days = int(rng.integers(1, 4))
        count = round(days * DAY_S / tick_s)
        before = ticks_in(1800, tick_s)
        if rng.random() < 0.5:
            load = daily_load(
                before + count, tick_s, trough=rng.uniform(0.85, 1), wander=0.02, rng=rng
            )
            world = World(tick_s, days, "flat", before, load, None, held=False)
        else:
            load = _daily(before + count, tick_s, rng)
            target = float(np.quantile(load, 0.95)) / rng.integers(40, 80)
            ready = hold_load(load[before:], target, delay=ticks_in(30, tick_s)).count
            world = World(tick_s, days, "held", before, load, ready, held=True)
        if span_of(world.minutes(world.per("average"))) <= 1.25:
            return world


def draw_short_world(rng: np.random.Generator) -> World:
    """At most 99 ticks, over which load moves well enough."""
    while True:
        tick_s = float(rng.choice(TICKS_S))
        count, before = int(rng.integers(20, 100)), ticks_in(1800, tick_s)
        phi = _phi(tick_s, 0.1)
        load = wandering_load(before + count, phi=phi, spread=0.6, rng=rng)
        world = World(tick_s, count * tick_s / DAY_S, "short", before, load, None, held=False)
        if span_of(world.minutes(load)) >= 1.8:
            return world
