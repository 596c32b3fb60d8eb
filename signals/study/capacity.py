"""How wrong would the instance count be that a ratio rule on this signal orders?

A ratio rule sets instances so that the signal returns to its target. If the signal is in proportion to load
per instance, the rule is right at every load; e is the log of ordered over needed instances, with the target
fitted on other days or blocks than those it is judged on.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from signals.catalog.spec import Direction
from signals.schema import Estimate
from signals.series.recall import remembered
from signals.study.bootstrap import (
    block_length,
    block_number,
    draw_counts,
    drawn_medians,
    percentile_interval,
)
from signals.study.held_out import (
    FEWEST,
    errors_by_rest,
    fold_bounds,
    judged_ticks,
    training_folds,
)
from signals.study.monotone import fit_in_order

__all__ = [
    "ASSUMED_FLEET",
    "HeldOut",
    "calibrated_errors",
    "capacity_error",
    "capacity_error_instances",
    "constant_error",
    "floor_of",
    "mean_error",
    "peak_bias",
    "ratio_errors",
    "trend_gap",
]

Array = npt.NDArray[np.float64]
Index = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

_ZERO = 0.01
"""A signal at zero orders nothing; its log is taken at this share of the mean of the others."""
_RESAMPLES = 200
ASSUMED_FLEET = 10
"""Instances at the peak (95th percentile of load) where the recorded count is unknown."""
ROUNDING = 1e-12
"""Errors that only the rounding of logarithms makes: a perfect signal has none."""
_WHOLE = 1e-9
"""Share of an instance that is not worth another one."""
_WORST = 20.0
_MOST = 1e9
"""Log error, and instances, beyond which an order is absurd however large; sums stay numbers."""


@dataclass(frozen=True)
class HeldOut:
    """Errors on held-out ticks.

    Attributes:
        errors: float64 [n], log of ordered over needed instances; NaN where none is counted.
        top: load above which a tick counts as peak (its 95th percentile).
    """

    errors: Array
    top: float

    @cached_property
    def blocks(self) -> Index:
        """int64 [n], block of the bootstrap of each tick; one without an error shares that of the one before."""
        return _block_of(self.errors)


def floor_of(signal: Array) -> float:
    """What stands for the values of a signal that are not above zero, so that they have a logarithm.

    Args:
        signal: float64 [n], NaN where missing.

    Returns:
        A hundredth of the mean of the values above zero; 1 without one.
    """
    above = signal[np.isfinite(signal) & (signal > 0)]
    return max(_ZERO * float(above.mean()), np.finfo(float).tiny) if len(above) else 1.0


@remembered(8)
def ratio_errors(
    reference: Array, signal: Array, load: Array, tick_s: float, *, lag_ticks: float = 0.0
) -> HeldOut:
    """Errors of a ratio rule whose target was fitted on the other folds.

    Args:
        reference: float64 [n], load (for a total) or load per instance (for an average); NaN where missing.
        signal: float64 [n] decision values, NaN where missing.
        load: float64 [n], total load, NaN where missing.
        tick_s: grid width, seconds.
        lag_ticks: the signal's lag, which widens the gap between training and held-out ticks.

    Returns:
        ln(signal / reference) less its median over the training folds, on ticks with at least 5 % of the
        95th percentile of load.
    """
    judged, top = judged_ticks(reference, signal, load)
    ticks = np.flatnonzero(judged)
    value, floor = signal[ticks], floor_of(signal)
    ratio = np.log(np.where(value > 0, value, floor)) - np.log(reference[ticks])
    errors = np.full(len(load), np.nan)
    errors[ticks] = errors_by_rest(ratio, ticks, fold_bounds(len(load), tick_s, lag_ticks))
    errors[np.abs(errors) < ROUNDING] = 0.0
    return HeldOut(errors, top)


def calibrated_errors(
    reference: Array,
    signal: Array,
    load: Array,
    tick_s: float,
    direction: Direction,
    *,
    lag_ticks: float = 0.0,
) -> HeldOut:
    """Errors of a controller that learned the response to load on the other folds.

    Args:
        reference: float64 [n], load or load per instance, NaN where missing.
        signal: float64 [n] decision values, NaN where missing.
        load: float64 [n], total load, NaN where missing.
        tick_s: grid width, seconds.
        direction: whether the signal rises or falls with load, or either.
        lag_ticks: the signal's lag.

    Returns:
        What an isotonic fit of ln reference on the signal predicts, less ln reference.
    """
    judged, top = judged_ticks(reference, signal, load)
    # sorted once for all folds: what is left of an order is an order
    ticks = np.flatnonzero(judged)
    ticks = ticks[np.argsort(signal[ticks], kind="stable")]
    value, wanted = signal[ticks], np.log(reference[ticks])
    errors = np.full(len(load), np.nan)
    for fold, train in training_folds(len(load), tick_s, lag_ticks, judged):
        kept = train[ticks]
        curve = fit_in_order(value[kept], wanted[kept], direction)
        part = (ticks >= fold.first) & (ticks < fold.last)
        errors[ticks[part]] = np.interp(value[part], curve.x, curve.y) - wanted[part]
    return HeldOut(errors, top)


def constant_error(
    reference: Array, signal: Array, load: Array, tick_s: float, *, lag_ticks: float = 0.0
) -> float | None:
    """Mean error of a signal that never moves, on the same ticks and folds.

    Args:
        reference: float64 [n], load or load per instance, NaN where missing.
        signal: float64 [n]; only where it is missing matters.
        load: float64 [n], total load, NaN where missing.
        tick_s: grid width, seconds.
        lag_ticks: the signal's lag.

    Returns:
        Mean |ln reference - median of it over the training folds|; None without a held-out tick.
    """
    flat = np.where(np.isfinite(signal), 1.0, np.nan)
    held = ratio_errors(reference, flat, load, tick_s, lag_ticks=lag_ticks)
    known = held.errors[np.isfinite(held.errors)]
    return float(np.abs(known).mean()) if len(known) else None


def capacity_error(held: HeldOut, *, rng: np.random.Generator) -> Estimate:
    """Mean size of the held-out errors of a ratio rule.

    Args:
        held: from `ratio_errors`.
        rng: source of randomness of the interval.

    Returns:
        In log units, 0 for a perfect signal; the interval draws blocks and refits the target in each draw.
        `extra`: `percent`, the same as people read it, exp(value) - 1 in per cent; `ticks`.
    """
    known = np.isfinite(held.errors)
    errors = held.errors[known]
    if len(errors) < FEWEST:
        return Estimate(None, determined=False, reason="too few ticks")
    value = float(np.abs(errors).mean())
    ids = held.blocks[known]
    counts = draw_counts(int(ids[-1]) + 1, rng, _RESAMPLES)
    draws = drawn_medians(errors, ids, counts)[1]
    # refitting on the held-out ticks themselves flatters a little: the draws are moved by as much
    flattery = value - float(np.abs(errors - np.median(errors)).mean())
    interval = percentile_interval(draws + flattery)
    low, high = interval if interval is not None else (None, None)
    low = None if low is None else max(0.0, low)
    extra = {"percent": float(np.expm1(value) * 100), "ticks": len(errors)}
    return Estimate(value, low, high, extra=extra)


def mean_error(held: HeldOut, *, rng: np.random.Generator) -> Estimate:
    """Mean size of held-out errors, blocks drawn as they are.

    Args:
        held: from `calibrated_errors`.
        rng: source of randomness of the interval.

    Returns:
        In log units.
    """
    sizes = np.abs(held.errors)
    return _masked_mean(sizes, None, _block_of(sizes), rng)


def capacity_error_instances(
    held: HeldOut, load: Array, ready: Array | None, *, rng: np.random.Generator
) -> Estimate:
    """Mean number of whole instances by which a ratio rule misses what is needed.

    Args:
        held: from `ratio_errors`.
        load: float64 [n], total load.
        ready: float64 [n], instances that serve; None if unknown.
        rng: source of randomness of the interval.

    Returns:
        In instances, of a fleet whose need at the 95th percentile of load is `extra`'s `fleet`: the median
        recorded count at that load and above, or 10 where none is recorded (`fleet_known`).
    """
    if not held.top > 0:
        return Estimate(None, determined=False, reason="there is hardly any load")
    known = np.isfinite(held.errors)
    fleet = _peak_fleet(load, ready, held.top)
    needed = np.full(len(load), np.nan)
    needed[known] = np.minimum((fleet or ASSUMED_FLEET) * (load[known] / held.top), _MOST)
    ordered = needed * np.exp(np.minimum(held.errors, _WORST))
    missed = np.abs(np.ceil(ordered - _WHOLE) - np.ceil(needed - _WHOLE))
    estimate = _missed_per_needed(missed, needed, held.blocks, rng)
    return replace(
        estimate, extra={"fleet": fleet or ASSUMED_FLEET, "fleet_known": fleet is not None}
    )


def _missed_per_needed(
    missed: Array, needed: Array, ids: Index, rng: np.random.Generator
) -> Estimate:
    """Mean of `missed`, and what draws of blocks miss of what they need, times the mean need.

    More instances are missed at the peak than at night. That a draw has more or less of the night than the load had
    is no uncertainty about the signal, and the share of what is needed leaves it out.
    """
    known = np.isfinite(missed)
    if known.sum() < FEWEST:
        return Estimate(None, determined=False, reason="too few ticks")
    value, need = float(missed[known].mean()), float(needed[known].mean())
    counts = draw_counts(int(ids.max()) + 1, rng, _RESAMPLES)
    # every draw holds a block with a need, as loads under 5 % of the peak are not counted
    share = _drawn_mean(missed, known, ids, counts) / _drawn_mean(needed, known, ids, counts)
    low, high = percentile_interval(share * need) or (None, None)
    return Estimate(value, low, high)


def _peak_fleet(load: Array, ready: Array | None, top: float) -> int | None:
    """Instances that served at and above the 95th percentile of load; None if unknown."""
    if ready is None:
        return None
    serving = ready[(load >= top) & (ready > 0)]
    return max(1, round(float(np.median(serving)))) if len(serving) else None


def peak_bias(held: HeldOut, load: Array, *, rng: np.random.Generator) -> Estimate:
    """Mean error where load is above its 95th percentile; negative if too few instances are ordered.

    Args:
        held: from `ratio_errors`.
        load: float64 [n], total load.
        rng: source of randomness of the interval.

    Returns:
        In log units.
    """
    peak = np.nan_to_num(load, nan=-np.inf) > held.top
    return _masked_mean(held.errors, peak, held.blocks, rng)


def trend_gap(held: HeldOut, rising: Mask, falling: Mask, *, rng: np.random.Generator) -> Estimate:
    """Mean error on rising load less that on falling load; negative for a signal that comes late.

    Args:
        held: from `ratio_errors`.
        rising: bool [n].
        falling: bool [n].
        rng: source of randomness of the interval.

    Returns:
        In log units.
    """
    known = np.isfinite(held.errors)
    up, down = rising & known, falling & known
    if not (up.any() and down.any()):
        return Estimate(None, determined=False, reason="load hardly rises or falls")
    value = float(held.errors[up].mean() - held.errors[down].mean())
    ids = held.blocks
    counts = draw_counts(int(ids.max()) + 1, rng, _RESAMPLES)
    draws = _drawn_mean(held.errors, up, ids, counts) - _drawn_mean(held.errors, down, ids, counts)
    interval = percentile_interval(draws)
    low, high = interval if interval is not None else (None, None)
    return Estimate(value, low, high)


def _block_of(errors: Array) -> Index:
    """Block number of each tick; a tick without an error shares that of the one before."""
    known = np.isfinite(errors)
    ids = np.zeros(len(errors), dtype=np.int64)
    if known.any():
        values = errors[known]
        ids[known] = block_number(len(values), block_length(values, len(values)))
    return np.maximum.accumulate(ids)


def _drawn_mean(values: Array, mask: Mask, ids: Index, counts: Array) -> npt.NDArray[np.float64]:
    blocks = counts.shape[1]
    sums = np.bincount(ids[mask], weights=values[mask], minlength=blocks)
    sizes = np.bincount(ids[mask], minlength=blocks)
    total = counts @ sizes
    return np.where(total > 0, counts @ sums / np.maximum(total, 1), np.nan)


def _masked_mean(
    values: Array, mask: Mask | None, ids: Index, rng: np.random.Generator
) -> Estimate:
    known = np.isfinite(values)
    chosen = known if mask is None else known & mask
    if known.sum() < FEWEST or not chosen.any():
        return Estimate(None, determined=False, reason="too few ticks")
    counts = draw_counts(int(ids.max()) + 1, rng, _RESAMPLES)
    interval = percentile_interval(_drawn_mean(values, chosen, ids, counts))
    value = float(values[chosen].mean())
    if interval is None:
        return Estimate(value, reason="no interval: its ticks lie in too few stretches of time")
    return Estimate(value, *interval)
