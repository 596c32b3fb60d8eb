"""Signals that fool weaker rules, each with the classes and codes by which the verdict has to name it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from signals.series.grid import DAY_S, ticks_in
from signals.series.synthetic import clipped, hysteretic, power_response
from tests.calibration.verdict_signals import Made, come_late, draw_noise, draw_scope, hand_over
from tests.calibration.verdict_truths import (
    MARGIN,
    bias_at_peak,
    departure,
    expected_error,
    outer_elasticity,
)
from tests.calibration.verdict_worlds import World

__all__ = ["FOOLING", "Fooling"]

Array = npt.NDArray[np.float64]
Rng = np.random.Generator


@dataclass(frozen=True)
class Fooling:
    """A signal that looks better than it is.

    Attributes:
        name: for people.
        codes: reasons or conditions of which one has to be said.
        make: the signal in a world; None where it would not fool there, or too near to a threshold.
    """

    name: str
    codes: tuple[str, ...]
    make: Callable[[World, Rng], Made | None]


def _quiet(world: World, clean: Array, scope: str, rng: Rng) -> Made:
    noise = draw_noise(world, rng.uniform(0, 0.03), rng)
    return hand_over(world, noise.on(clean, rng), scope, {}, rng)


def _clipped(world: World, rng: Rng) -> Made | None:
    scope = draw_scope(world, rng)
    clean = clipped(world.per(scope), rng.uniform(0.7, 0.9))
    return _if_too_few(world, clean, scope, rng)


def _if_too_few(world: World, clean: Array, scope: str, rng: Rng) -> Made | None:
    if bias_at_peak(world, clean, scope) > -0.05 * MARGIN:
        return None
    return _quiet(world, clean, scope, rng)


def _served(world: World, rng: Rng) -> Made | None:
    """What a fleet of fixed size gets done: at most its capacity, the rest waits and is done later."""
    if world.held or world.ready is not None:
        return None
    capacity = float(np.quantile(world.load, rng.uniform(0.8, 0.95)))
    done, waiting = np.empty(len(world.load)), 0.0
    for tick, arriving in enumerate(world.load):
        done[tick] = min(capacity, waiting + arriving)
        waiting += arriving - done[tick]
    return _if_too_few(world, done, "total", rng)


def _late(world: World, rng: Rng) -> Made | None:
    scope = draw_scope(world, rng)
    late = come_late(world, world.per(scope), rng.uniform(540, 660), rng)
    return _quiet(world, late, scope, rng)


def _noisy(world: World, rng: Rng) -> Made | None:
    """A third of white noise on what is decided on, hidden from whoever smooths over 15 minutes."""
    scope = draw_scope(world, rng)
    noise = draw_noise(world, 0.3, rng)
    return hand_over(world, noise.on(world.per(scope), rng), scope, {}, rng)


def _departs(world: World, scope: str) -> bool:
    return departure(world, scope) >= 0.1 * MARGIN


def _clock(world: World, rng: Rng) -> Made | None:
    scope = draw_scope(world, rng)
    if world.shape != "daily" or not _departs(world, scope):
        return None
    ticks = ticks_in(DAY_S, world.tick_s)
    whole = world.per(scope)[world.before :]
    shape = whole[: len(whole) // ticks * ticks].reshape(-1, ticks).mean(axis=0)
    place = (np.arange(len(world.load)) - world.before) % ticks
    return _quiet(world, shape[place], scope, rng)


def _yesterday(world: World, rng: Rng) -> Made | None:
    scope = draw_scope(world, rng)
    if world.shape != "daily" or not _departs(world, scope):
        return None
    return _quiet(world, np.roll(world.per(scope), ticks_in(DAY_S, world.tick_s)), scope, rng)


def _idle(world: World, rng: Rng) -> Made | None:
    scope = draw_scope(world, rng)
    load = world.per(scope)
    clean = load + rng.uniform(0.5, 1) * float(np.median(load))
    if outer_elasticity(world, clean, scope) > 0.8 / MARGIN:
        return None
    return _quiet(world, clean, scope, rng)


def _hysteretic(world: World, rng: Rng) -> Made | None:
    scope = draw_scope(world, rng)
    gap = rng.uniform(0.25, 0.5)
    return _quiet(world, hysteretic(world.per(scope), gap, ticks_in(900, world.tick_s)), scope, rng)


def _two_slopes(world: World, rng: Rng) -> Made | None:
    scope = draw_scope(world, rng)
    rest = world.per(scope) / np.exp(np.log(world.per(scope)).mean())
    clean = np.where(rest < 1, power_response(rest, 0.5), power_response(rest, 2.0))
    if expected_error(world, clean, scope, 0.0) < 0.15 * MARGIN:
        return None
    return _quiet(world, clean, scope, rng)


def _constant(world: World, rng: Rng) -> Made | None:
    return hand_over(world, np.ones(len(world.load)), draw_scope(world, rng), {}, rng)


FOOLING: tuple[Fooling, ...] = (
    Fooling("clipped", ("under_orders_at_peak",), _clipped),
    Fooling("served, not offered", ("under_orders_at_peak",), _served),
    Fooling("9 to 11 min late", ("late",), _late),
    Fooling("30 % of noise", ("inaccurate",), _noisy),
    Fooling("the mean day", ("follows_the_clock", "clock_shaped"), _clock),
    Fooling("yesterday's load", ("follows_the_clock", "clock_shaped"), _yesterday),
    Fooling("idle offset", ("insensitive",), _idle),
    Fooling("hysteresis", ("late",), _hysteretic),
    Fooling("slopes 0.5, then 2", ("inaccurate",), _two_slopes),
    Fooling("constant", ("insensitive", "pinned", "uninformative"), _constant),
)
