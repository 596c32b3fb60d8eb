"""What does a second signal tell about load that the first does not?

A controller that knows the response curve of one signal is given a second one: ln load is predicted by the sum
of two monotone curves, one in each, learned on other days or blocks than those it is judged on.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from signals.catalog.spec import Direction
from signals.schema import Estimate
from signals.study.additive import Graded, fit_additive, fit_graded, grade
from signals.study.bootstrap import block_length, block_number, draw_counts, percentile_interval
from signals.study.held_out import FEWEST, judged_ticks, training_folds

__all__ = ["redundancy"]

Array = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

_RESAMPLES = 200


def redundancy(
    reference: Array,
    first: tuple[Array, Direction],
    second: tuple[Array, Direction],
    load: Array,
    tick_s: float,
    *,
    lag_ticks: float = 0.0,
    rng: np.random.Generator,
) -> Estimate:
    """How much of the calibrated capacity error of the first signal goes when the second is known too.

    Args:
        reference: float64 [n], load or load per instance, as it suits the first signal; NaN where missing.
        first: decision values of the first signal, float64 [n], and its direction.
        second: the same of the second, in the same sense (total or per instance) as the first.
        load: float64 [n], total load.
        tick_s: grid width, seconds.
        lag_ticks: the first signal's lag.
        rng: source of randomness of the interval.

    Returns:
        1 - mean |error with both| / mean |error with the first|, held out: 0 for a second signal that adds
        nothing, negative where it does harm. The interval draws blocks of ticks. `extra`: `error_first`,
        `error_both` (log units), `ticks`.
    """
    known = np.isfinite(second[0])
    judged, _ = judged_ticks(reference, np.where(known, first[0], np.nan), load)
    splits = training_folds(len(load), tick_s, lag_ticks, judged)
    if not splits:
        return Estimate(None, determined=False, reason="too few ticks on which all have values")
    wanted = np.log(np.where(judged, reference, 1.0))
    graded = _graded(first, second, wanted, judged)
    errors = np.full((2, len(load)), np.nan)
    for fold, train in splits:
        alone, f, g = fit_additive(graded[0], graded[1], wanted, train)
        part = np.flatnonzero(judged[fold.first : fold.last]) + fold.first
        at, beside = first[0][part], second[0][part]
        errors[0, part] = np.interp(at, graded[0].means, alone) - wanted[part]
        both = np.interp(at, graded[0].means, f) + np.interp(beside, graded[1].means, g)
        errors[1, part] = both - wanted[part]
    sizes = np.abs(errors[:, np.isfinite(errors[0])])
    return _fall(sizes, rng)


def _graded(
    first: tuple[Array, Direction], second: tuple[Array, Direction], wanted: Array, judged: Mask
) -> tuple[Graded, Graded]:
    """Both in grades; a second that may move either way takes the sense in which it mends the first."""
    one = grade(first[0], wanted, judged, first[1])
    rest = wanted - fit_graded(one, wanted, judged)
    return one, grade(second[0], rest, judged, second[1])


def _fall(sizes: Array, rng: np.random.Generator) -> Estimate:
    """Relative difference of the means of two rows of absolute errors."""
    count = sizes.shape[1]
    alone, both = sizes.mean(axis=1)
    if count < FEWEST or not alone > 1e-9:
        reason = "too few ticks" if count < FEWEST else "the first signal leaves no error"
        return Estimate(None, determined=False, reason=reason)
    value = float(1 - both / alone)
    ids = block_number(count, block_length(sizes[0] * (1 - value) - sizes[1], count))
    counts = draw_counts(int(ids[-1]) + 1, rng, _RESAMPLES)
    drawn = [counts @ np.bincount(ids, weights=row) for row in sizes]
    fine = drawn[0] > 0
    interval = percentile_interval(
        np.where(fine, 1 - drawn[1] / np.where(fine, drawn[0], 1), np.nan)
    )
    low, high = interval if interval is not None else (None, None)
    extra = {"error_first": float(alone), "error_both": float(both), "ticks": count}
    return Estimate(value, low, high, extra=extra)
