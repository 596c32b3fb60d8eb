"""Where does a queue or a latency turn upwards? Two joined lines, their break sought between the steps of a grid.

`knee` tells whether a guard bends at all; this tells where, closely enough to be drawn again many times.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from signals.schema import PanelColumn
from signals.series.grid import ticks_in
from signals.series.smooth import block_means
from signals.study.panel import Observed
from signals.study.per_instance import load_per_instance, signal_per_instance
from signals.study.response import KNEE_FACTOR, knee, mean_width

__all__ = ["GUARDS", "Bend", "drawn_loads", "first_bend"]

Array = npt.NDArray[np.float64]
Ticks = npt.NDArray[np.int64]

GUARDS = (
    "queue_depth",
    "queue_wait_p90",
    "queue_wait_mean",
    "queue_wait_p50",
    "queue_wait_p99",
    "prefill_backlog_tokens",
    "ttft_p90",
    "ttft_mean",
    "ttft_p50",
    "ttft_p99",
    "itl_p90",
    "itl_mean",
    "itl_p50",
    "itl_p99",
    "tpot_mean",
    "preemption_rate",
)
"""Signals whose turn says that an instance has enough to do, the most direct first: waiting, then latency."""

_CHANCE = 0.01
"""Chance that one of the guards seems to bend where none does."""
_MEAN_S = 120.0
_BREAKS = 512
_ENDS = (0.05, 0.95)


@dataclass(frozen=True)
class Bend:
    """Where a guard turns upwards.

    Attributes:
        column: the guard.
        load: load per instance at the turn.
        x: float64 [m], means of load per instance over `width` ticks.
        y: float64 [m], those of the guard, per instance where it is a total.
        ticks: int64 [m], first tick of each.
        width: ticks of each mean.
    """

    column: PanelColumn
    load: float
    x: Array
    y: Array
    ticks: Ticks
    width: int

    @property
    def step(self) -> float:
        """How far the loads that are tried lie apart around the turn."""
        tried = _tried(self.x)
        at = int(np.clip(np.searchsorted(tried, self.load), 1, _BREAKS - 2))
        return float(tried[at + 1] - tried[at - 1]) / 2

    @property
    def rest(self) -> Array:
        """float64 [m]: what the two joined lines leave of the guard."""
        hinge = np.maximum(self.x - self.load, 0.0)
        basis = np.stack((np.ones_like(self.x), self.x, hinge), axis=1)
        weights = np.linalg.lstsq(basis, self.y, rcond=None)[0]
        return np.asarray(self.y - basis @ weights, dtype=np.float64)


def first_bend(guards: Sequence[Observed]) -> Bend | None:
    """The turn of the first guard that has one.

    Args:
        guards: signals of one pool, the most direct first.

    Returns:
        Where its slope on load per instance grows to twice as much and more, by the rules of `knee` but whether
        it does so sharply or smoothly, the 1 % of which the guards share; None if no guard turns.
    """
    for guard in guards:
        load, value = load_per_instance(guard), signal_per_instance(guard)
        if not _upwards(knee(load, value, guard.tick_s).extra, _CHANCE / len(guards)):
            continue
        bend = _located(guard.column, load, value, guard.tick_s)
        if bend is not None:
            return bend
    return None


def _upwards(extra: Mapping[str, float | int | str | bool | None], chance: float) -> bool:
    below, above, p_value = (extra.get(key) for key in ("slope_below", "slope_above", "p_value"))
    if not (isinstance(below, float) and isinstance(above, float) and isinstance(p_value, float)):
        return False
    return above > 0 and above >= KNEE_FACTOR * abs(below) and p_value < chance


def _located(column: PanelColumn, load: Array, value: Array, tick_s: float) -> Bend | None:
    """On five-minute means, over which load swings less than over the quarter hours of `knee`."""
    both = np.isfinite(load) & np.isfinite(value)
    width = min(ticks_in(_MEAN_S, tick_s), mean_width(len(load), tick_s))
    x = block_means(np.where(both, load, np.nan), width)
    y = block_means(np.where(both, value, np.nan), width)
    kept = np.flatnonzero(np.isfinite(x) & np.isfinite(y))
    x, y = x[kept], y[kept]
    at = _break(x, y)
    return Bend(column, at, x, y, kept * width, width) if np.isfinite(at) else None


def drawn_loads(bend: Bend, block: Ticks, rng: np.random.Generator, draws: int) -> Array:
    """The turn found again in guards of the same run of load whose departures from the two lines were drawn.

    The departures of a block keep their size and are turned over with even chance (the wild bootstrap, by blocks):
    to draw the load too would lose its peak, and with it the turn, in many resamples of a day.

    Args:
        bend: of a guard.
        block: int64 [m], block of each of its means.
        rng: source of randomness.
        draws: number of resamples.

    Returns:
        float64 [draws], load per instance at the turn; NaN where a resample does not turn upwards.

    Source: R. Liu 1988; X. Shao 2010.
    """
    blocks = int(block[-1]) + 1
    signs = np.where(rng.random((draws, blocks)) < 0.5, -1.0, 1.0)
    rest = bend.rest
    return _breaks(bend.x, bend.y - rest, (rest, block, signs))


def _break(x: Array, y: Array) -> float:
    nothing = np.zeros(len(x)), np.zeros(len(x), dtype=np.int64), np.zeros((1, 1))
    return float(_breaks(x, y, nothing)[0])


def _breaks(x: Array, fit: Array, drawn: tuple[Array, Ticks, Array]) -> Array:
    """Break of the best two joined lines whose slope grows, for each guard `fit` + sign of the block x `rest`.

    Sums over all x above a break are running totals of the sums between breaks, one product of matrices.
    """
    rest, block, signs = drawn
    centre = float(x.mean())
    x, fit = x - centre, fit - float(fit.mean())
    breaks = _tried(x)
    cell = np.searchsorted(breaks, x, side="left")
    blocks, cells = signs.shape[1], _BREAKS + 1

    def above(part: Array) -> Array:
        sums = np.bincount(cell, weights=part, minlength=cells).astype(np.float64)
        return _running(sums[None, :])

    def drawn_above(part: Array) -> Array:
        at = block * cells + cell
        sums = np.bincount(at, weights=part, minlength=blocks * cells).reshape(blocks, cells)
        return _running(signs @ sums)

    fixed = [above(part) for part in (np.ones_like(x), x, x * x)]
    moved = [above(fit) + drawn_above(rest), above(x * fit) + drawn_above(x * rest)]
    gain = _gain(breaks, [*fixed, *moved])
    best = np.argmax(gain, axis=1)
    return np.where(gain[np.arange(len(signs)), best] > 0, breaks[best] + centre, np.nan)


def _tried(x: Array) -> Array:
    return np.quantile(x, np.linspace(*_ENDS, _BREAKS))


def _running(sums: Array) -> Array:
    """Sums of each cell and all behind it, row by row."""
    return np.cumsum(sums[:, ::-1], axis=1)[:, ::-1]


def _gain(breaks: Array, above: Sequence[Array]) -> Array:
    """Squares that a bend upwards saves a straight line, [draws, breaks]; 0 where the slope would fall.

    `above` has the sums of 1, x, x^2, y, xy over all values (first column) and over those above each break.
    """
    n, sx, sxx, sy, sxy = (part[:, :1] for part in above)
    one, x1, x2, y1, xy = (part[:, 1:] for part in above)
    hinge = x1 - breaks * one
    spread = sxx - sx * sx / n
    beside = x2 - breaks * x1 - hinge * sx / n
    own = x2 - 2 * breaks * x1 + breaks * breaks * one - hinge * hinge / n
    with np.errstate(invalid="ignore", divide="ignore"):
        rest = own - beside * beside / spread
        pull = xy - breaks * y1 - hinge * sy / n - beside * (sxy - sx * sy / n) / spread
        gain = pull * pull / rest
    return np.where((pull > 0) & (rest > 1e-9 * own), gain, 0.0)
