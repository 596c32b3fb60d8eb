"""Signals of every class for the calibration of verdicts, each at least 20 % away from every threshold that counts.

What is true of a signal follows from how it was made. A draw that comes too near to a threshold is not used.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from signals.series.grid import DAY_S, ticks_in
from signals.series.synthetic import (
    ar1,
    drop_runs,
    drop_stretch,
    drop_ticks,
    hysteretic,
    idle_offset,
    plateau,
    power_response,
    saturating,
    stale,
)
from signals.study.score import Verdict
from tests.calibration.verdict_truths import (
    MARGIN,
    departure,
    expected_error,
    known_share,
    outer_elasticity,
)
from tests.calibration.verdict_worlds import World

__all__ = ["KINDS", "Kind", "Made", "Noise", "come_late", "draw_noise", "draw_scope", "hand_over"]

Array = npt.NDArray[np.float64]
Rng = np.random.Generator


@dataclass(frozen=True)
class Made:
    """A signal and how it was made.

    Attributes:
        values: float64 [n], NaN where lost.
        scope: `total` or `average`.
        notes: figures of the truth, for whoever looks at a wrong verdict.
    """

    values: Array
    scope: str
    notes: dict[str, float]


@dataclass(frozen=True)
class Kind:
    """One kind of signal.

    Attributes:
        name: for people.
        verdict: the class it deserves.
        make: one of it in a world; None where it cannot be, or would come too near to a threshold.
        rises: whether the catalog's word for it could be `rises`.
        alone: whether it is the world that says too little.
    """

    name: str
    verdict: Verdict
    make: Callable[[World, Rng], Made | None]
    rises: bool = True
    alone: bool = False


@dataclass(frozen=True)
class Noise:
    """Normal noise of the logarithm: its size per tick, its memory, and its size in the mean of a minute."""

    spread: float
    phi: float
    minute: float

    def on(self, values: Array, rng: Rng) -> Array:
        """The values under this noise."""
        return np.asarray(values * np.exp(self.spread * ar1(len(values), self.phi, rng)))


def draw_noise(world: World, minute: float, rng: Rng) -> Noise:
    """Noise of this size in the means of a minute, white or with a memory of up to five minutes."""
    width = ticks_in(60, world.tick_s)
    phi = float(np.exp(-world.tick_s / rng.uniform(20, 300))) if rng.random() < 0.5 else 0.0
    apart = np.abs(np.subtract.outer(np.arange(width), np.arange(width)))
    return Noise(minute / float(np.sqrt((phi**apart).mean())), phi, minute)


def draw_scope(world: World, rng: Rng) -> str:
    """A total, or an average where load per instance moves."""
    return "total" if world.held or rng.random() < 0.5 else "average"


def come_late(world: World, values: Array, seconds: float, rng: Rng) -> Array:
    """The same later, and in one of four cases seen only once a minute."""
    place = np.arange(len(values))
    late = np.interp(place - seconds / world.tick_s, place, values)
    return stale(late, ticks_in(60, world.tick_s)) if rng.random() < 0.25 else late


def _lose(values: Array, share: float, kind: int, rng: Rng) -> Array:
    if kind == 0:
        return drop_ticks(values, share, rng)
    if kind == 1:
        return drop_runs(values, share, rng.uniform(2, 60), rng)
    width = round(share * len(values))
    first = int(rng.integers(0, len(values) - width + 1))
    return drop_stretch(values, first, first + width)


def hand_over(world: World, signal: Array, scope: str, notes: dict[str, float], rng: Rng) -> Made:
    """The panel's part of it in some unit, up to a quarter of it lost in one of three ways, or nothing."""
    values = float(np.exp(rng.uniform(-5, 5))) * signal[world.before :]
    if rng.random() < 0.75:
        values = _lose(values, rng.uniform(0, 0.25), int(rng.integers(3)), rng)
    return Made(values, scope, notes)


def _proportional(world: World, rng: Rng) -> Made | None:
    scope, slope = draw_scope(world, rng), rng.uniform(0.8 * MARGIN, 1.25 / MARGIN)
    noise, lag_s = draw_noise(world, rng.uniform(0.0, 0.15), rng), rng.uniform(0, 45)
    clean = come_late(world, power_response(world.per(scope), slope), lag_s, rng)
    signal = noise.on(clean, rng)
    error = expected_error(world, clean, scope, noise.minute)
    share = known_share(world, signal, scope)
    if error > 0.15 / MARGIN or share > 0.8 / MARGIN:
        return None
    notes = {"elasticity": slope, "lag_s": lag_s, "error": error, "noise": noise.minute}
    return hand_over(world, signal, scope, notes, rng)


def _rail(respond: Callable[[Array, World, Rng], Array]) -> Callable[[World, Rng], Made | None]:
    """Signals that are wrong in slope or shape but tell load well: noise up to a quarter of their movement."""

    def make(world: World, rng: Rng) -> Made | None:
        scope = draw_scope(world, rng)
        clean = respond(world.per(scope), world, rng)
        movement, lag_s = float(np.log(world.minutes(clean)).std()), rng.uniform(0, 45)
        noise = draw_noise(world, rng.uniform(0.0, 0.25) * movement, rng)
        late = come_late(world, clean, lag_s, rng)
        signal = noise.on(late, rng)
        slope = outer_elasticity(world, late, scope)
        error = expected_error(world, late, scope, noise.minute)
        share = known_share(world, signal, scope)
        off = slope < 0.8 / MARGIN or slope > 1.25 * MARGIN or error > 0.15 * MARGIN
        if not off or abs(slope) < 0.2 * MARGIN or share > 0.8 / MARGIN:
            return None
        notes = {"elasticity": slope, "lag_s": lag_s, "error": error, "share": share}
        return hand_over(world, signal, scope, notes, rng)

    return make


def _shallow(load: Array, world: World, rng: Rng) -> Array:
    return power_response(load, rng.uniform(0.3, 0.6))


def _steep(load: Array, world: World, rng: Rng) -> Array:
    return power_response(load, rng.uniform(1.6, 2.0))


def _falling(load: Array, world: World, rng: Rng) -> Array:
    return power_response(load, rng.uniform(-1.5, -0.4))


def _idle(load: Array, world: World, rng: Rng) -> Array:
    return idle_offset(load, rng.uniform(0.8, 2.0) * float(np.median(load)))


def _bending(load: Array, world: World, rng: Rng) -> Array:
    return saturating(load, rng.uniform(0.4, 1.5) * float(np.median(load)))


def _two_slopes(load: Array, world: World, rng: Rng) -> Array:
    rest = load / np.exp(np.log(load).mean())
    return np.where(rest < 1, power_response(rest, 0.5), power_response(rest, 2.0))


def _hysteretic(load: Array, world: World, rng: Rng) -> Array:
    return hysteretic(load, rng.uniform(0.4, 0.8), ticks_in(900, world.tick_s))


def _noisy(world: World, rng: Rng) -> Made | None:
    scope = draw_scope(world, rng)
    clean, noise = world.per(scope), draw_noise(world, rng.uniform(0.2, 0.5), rng)
    signal = noise.on(clean, rng)
    error = expected_error(world, clean, scope, noise.minute)
    share = known_share(world, signal, scope)
    if error < 0.15 * MARGIN or share > 0.8 / MARGIN:
        return None
    return hand_over(world, signal, scope, {"error": error, "share": share}, rng)


def _pinned(world: World, rng: Rng) -> Made | None:
    """Pinned at the top, at the bottom, or partly at each, for at least 60 % of the time."""
    scope, pinned = draw_scope(world, rng), rng.uniform(0.5 * MARGIN, 0.9)
    upper = pinned * float(rng.choice([0.0, 0.5, 1.0]))
    clean = plateau(world.per(scope), pinned - upper, 1 - upper)
    noise = draw_noise(world, rng.uniform(0, 0.1) * float(np.log(clean).std()), rng)
    notes = {"pinned": pinned, "upper": upper}
    return hand_over(world, noise.on(clean, rng), scope, notes, rng)


def _insensitive(world: World, rng: Rng) -> Made | None:
    scope, slope = draw_scope(world, rng), rng.uniform(-0.1, 0.1) / MARGIN
    noise = draw_noise(world, rng.uniform(0, 0.05), rng)
    signal = noise.on(power_response(world.per(scope), slope), rng)
    return hand_over(world, signal, scope, {"elasticity": slope}, rng)


def _constant(world: World, rng: Rng) -> Made | None:
    return hand_over(world, np.ones(len(world.load)), draw_scope(world, rng), {}, rng)


def _unrelated(world: World, rng: Rng) -> Made | None:
    """Something that goes its own way, fast or slow."""
    phi = float(np.exp(-world.tick_s / rng.uniform(1, 3 * 3600)))
    signal = np.exp(rng.uniform(0.05, 0.5) * ar1(len(world.load), phi, rng))
    return hand_over(world, signal, draw_scope(world, rng), {"phi": phi}, rng)


def _clock(world: World, rng: Rng) -> Made | None:
    """A wave of a day, or the load of yesterday, while load departs from its own daily shape."""
    scope = draw_scope(world, rng)
    moved = departure(world, scope)
    if moved < 0.1 * MARGIN:
        return None
    turn = 2 * np.pi * (np.arange(len(world.load)) * world.tick_s / DAY_S + rng.random())
    wave = np.exp(rng.uniform(0.3, 0.8) * np.cos(turn))
    yesterday = np.roll(world.per(scope), ticks_in(DAY_S, world.tick_s))
    clean = wave if rng.random() < 0.5 else yesterday
    signal = draw_noise(world, rng.uniform(0, 0.05), rng).on(clean, rng)
    return hand_over(world, signal, scope, {"departure": moved}, rng)


def _too_late(world: World, rng: Rng) -> Made | None:
    scope, lag_s = draw_scope(world, rng), rng.uniform(900 * MARGIN, 1500)
    noise = draw_noise(world, rng.uniform(0, 0.05), rng)
    signal = noise.on(come_late(world, world.per(scope), lag_s, rng), rng)
    return hand_over(world, signal, scope, {"lag_s": lag_s}, rng)


def _alone(world: World, rng: Rng) -> Made | None:
    """A good signal in a world that says too little."""
    signal = draw_noise(world, rng.uniform(0, 0.05), rng).on(world.per("average"), rng)
    return Made(signal[world.before :], "average", {})


def _rarely_known(world: World, rng: Rng) -> Made | None:
    """A good signal that is lost at three ticks of five or more."""
    scope, lost = draw_scope(world, rng), rng.uniform(1 - 0.5 / MARGIN, 0.95)
    signal = draw_noise(world, 0.03, rng).on(world.per(scope), rng)[world.before :]
    return Made(_lose(signal, lost, int(rng.integers(3)), rng), scope, {"lost": lost})


def _newcomer(world: World, rng: Rng) -> Made | None:
    """A good signal that has just begun to exist."""
    scope, ticks = draw_scope(world, rng), int(rng.integers(30, round(120 / MARGIN)))
    signal = draw_noise(world, 0.03, rng).on(world.per(scope), rng)[world.before :]
    return Made(drop_stretch(signal, 0, len(signal) - ticks), scope, {"ticks": ticks})


KINDS: tuple[Kind, ...] = (
    Kind("in proportion", "proportional", _proportional),
    Kind("elasticity 0.3 to 0.6", "feedback", _rail(_shallow)),
    Kind("elasticity 1.6 to 2", "feedback", _rail(_steep)),
    Kind("falls with load", "feedback", _rail(_falling), rises=False),
    Kind("idle offset", "feedback", _rail(_idle)),
    Kind("bends smoothly", "feedback", _rail(_bending)),
    Kind("slopes 0.5, then 2", "feedback", _rail(_two_slopes)),
    Kind("hysteresis", "feedback", _rail(_hysteretic)),
    Kind("20 to 50 % of noise", "feedback", _noisy),
    Kind("pinned", "unusable", _pinned),
    Kind("insensitive", "unusable", _insensitive),
    Kind("constant", "unusable", _constant),
    Kind("unrelated", "unusable", _unrelated),
    Kind("follows the clock", "unusable", _clock),
    Kind("18 to 25 min late", "unusable", _too_late),
    Kind("20 to 99 ticks, or a flat load", "insufficient_data", _alone, alone=True),
    Kind("known on 5 to 42 % of ticks", "insufficient_data", _rarely_known),
    Kind("known since 30 to 99 ticks", "insufficient_data", _newcomer),
)
