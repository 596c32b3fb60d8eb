"""At which value of a signal is the fleet right? The load per instance to hold, and the signal there.

Telemetry knows no latency objective. What it can tell is which load an instance was seen to carry in good health:
up to where a queue or a latency of the pool turns upwards, else up to the busiest quarter hours. A ratio rule that
holds the signal at its value there orders one instance for each such load, with the errors of `capacity_error`.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from signals.schema import Estimate
from signals.series.grid import DAY_S, whole_days
from signals.series.smooth import DAYS_FOR_SHAPE, block_means
from signals.study.bend import Bend, drawn_loads, first_bend
from signals.study.bootstrap import (
    block_number,
    draw_counts,
    drawn_medians,
    percentile_interval,
    politis_white,
)
from signals.study.capacity import floor_of
from signals.study.held_out import FEWEST, judged_ticks
from signals.study.panel import Observed
from signals.study.per_instance import load_per_instance, signal_per_instance
from signals.study.response import mean_width

__all__ = ["operating_target"]

Array = npt.NDArray[np.float64]

_BUSIEST = 0.95
"""The busiest quarter hours are those above this quantile of load per instance."""
_RESAMPLES = 400
_LEAST_BLOCKS = 12
"""Blocks that a span is cut into at least: few and long ones, which Student's t makes up for."""


def operating_target(
    observed: Observed, guards: Sequence[Observed], *, rng: np.random.Generator
) -> Estimate:
    """The value of a signal at which a ratio rule should hold it.

    Args:
        observed: the signal to scale on.
        guards: queues and latencies of the same pool, the most direct first.
        rng: source of randomness of the band.

    Returns:
        k x level, in the signal's unit, per ready instance (of the whole pool for a total whose instances are
        unknown). k is the median of signal over load per instance, the target that `capacity_error` fits. The
        level is the load per instance at which the first guard turns upwards, if that is below the busiest
        quarter hours, else the load per instance that was exceeded in 5 % of the quarter hours. The band draws
        blocks of ticks and fits k, and the turn, anew; the busiest quarter hours are what they were.
        `extra`: `basis` (`knee` or `busiest`), `guard` (that turns) and `guards` (how many were looked at),
        `ratio` (k), `load_per_instance` with `load_low` and `load_high` (of a turn), `busiest_load`,
        `busiest_target`, and with three whole days `day_low` and `day_high`: the least and the largest target
        that the busiest quarter hours of a single day give.
    """
    load = load_per_instance(observed)
    judged, _ = judged_ticks(load, observed.signal, observed.load)
    busiest = _busiest(load, observed.tick_s)
    if judged.sum() < FEWEST or busiest is None:
        return Estimate(None, determined=False, reason="too few ticks")
    signal = signal_per_instance(observed)[judged]
    logs = np.log(np.where(signal > 0, signal, floor_of(signal))) - np.log(load[judged])
    ratio, ratios = float(np.exp(np.median(logs))), _ratios(logs, rng)
    turn, at_turn = first_bend(guards), None
    if turn is not None and turn.load < busiest:
        at_turn = _at_turn(ratio, ratios, turn, rng)
    target = at_turn or _at_busiest(ratio, ratios, busiest)
    figures = {
        "guards": len(guards),
        "ratio": ratio,
        "busiest_load": busiest,
        "busiest_target": ratio * busiest,
        **_days(load, ratio, observed.tick_s),
    }
    return replace(target, extra={**target.extra, **figures})


def _at_turn(ratio: float, ratios: _Draws, turn: Bend, rng: np.random.Generator) -> Estimate | None:
    """At the turn of a guard; None where too many resamples show none."""
    block = block_number(len(turn.x), _block_length(turn.rest, len(turn.rest) ** 0.5))
    # a turn is known to the loads that are tried, no closer
    found = drawn_loads(turn, block, rng, _RESAMPLES)
    found += turn.step * (rng.random(_RESAMPLES) - 0.5)
    loads = _Draws(found, int(block[-1]) + 1, fitted=4)
    both = replace(loads, values=ratios.values * loads.values)
    band, around = both.band(ratio * turn.load), loads.band(turn.load)
    if band is None or around is None:
        return None
    shown: dict[str, float | str | None] = {
        "basis": "knee",
        "guard": turn.column.name,
        "load_per_instance": turn.load,
        "load_low": around[0],
        "load_high": around[1],
    }
    return Estimate(ratio * turn.load, *band, extra=shown)


def _at_busiest(ratio: float, ratios: _Draws, busiest: float) -> Estimate:
    draws = _Draws(ratios.values * busiest, ratios.blocks)
    low, high = draws.band(ratio * busiest) or (None, None)
    shown: dict[str, float | str | None] = {
        "basis": "busiest",
        "guard": None,
        "load_per_instance": busiest,
        "load_low": None,
        "load_high": None,
    }
    return Estimate(ratio * busiest, low, high, extra=shown)


@dataclass(frozen=True)
class _Draws:
    """Values of the resamples, of how many blocks each was made, and how many figures were fitted to them."""

    values: Array
    blocks: int
    fitted: int = 1

    def band(self, value: float) -> tuple[float, float] | None:
        """The middle 95 % of the draws, wider by as much as Student's t is for so few blocks."""
        from scipy.special import ndtri, stdtrit

        found = percentile_interval(self.values)
        if found is None or self.blocks < _LEAST_BLOCKS:
            return None
        freedom = self.blocks - self.fitted
        wider = float(stdtrit(freedom, 0.975) / ndtri(0.975) * np.sqrt(self.blocks / freedom))
        low, high = (value + wider * (end - value) for end in found)
        return max(low, 0.0), high


def _ratios(logs: Array, rng: np.random.Generator) -> _Draws:
    block = block_number(len(logs), _block_length(logs, len(logs) ** (1 / 3)))
    counts = draw_counts(int(block[-1]) + 1, rng, _RESAMPLES)
    return _Draws(np.exp(drawn_medians(logs, block, counts)[0]), counts.shape[1])


def _busiest(load: Array, tick_s: float) -> float | None:
    """The quarter-hour mean of load per instance that 5 % of them exceed."""
    means = block_means(load, mean_width(len(load), tick_s))
    known = means[np.isfinite(means)]
    return float(np.quantile(known, _BUSIEST)) if len(known) >= FEWEST else None


def _days(load: Array, ratio: float, tick_s: float) -> dict[str, float]:
    """Targets that the busiest quarter hours of the least and of the most busy day give."""
    days = whole_days(len(load), tick_s)
    if days < DAYS_FOR_SHAPE:
        return {}
    edges = np.round(np.arange(days + 1) * DAY_S / tick_s).astype(int)
    parts = (load[a:b] for a, b in itertools.pairwise(edges.tolist()))
    tops = [top for part in parts if (top := _busiest(part, tick_s)) is not None]
    return {"day_low": ratio * min(tops), "day_high": ratio * max(tops)} if tops else {}


def _block_length(score: Array, least: float) -> int:
    """Values of a block: four times what Politis and White find, and `least`; never more than make 12 blocks."""
    return max(1, int(min(max(least, 4 * politis_white(score)), len(score) / _LEAST_BLOCKS)))
