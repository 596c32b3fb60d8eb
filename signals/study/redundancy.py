"""What does a second signal tell about load that the first does not?

A controller that knows the response curve of one signal is given a second one: ln load is predicted by the sum
of two monotone curves, one in each, learned on other days or blocks than those it is judged on.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from signals.catalog.spec import Direction
from signals.schema import Estimate
from signals.study.bootstrap import block_length, block_number, draw_counts, percentile_interval
from signals.study.held_out import FEWEST, judged_ticks, training_folds
from signals.study.monotone import rises

__all__ = ["Graded", "fit_additive", "grade", "redundancy"]

Array = npt.NDArray[np.float64]
Index = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

_GRADES = 100
_TICKS_PER_GRADE = 5
_MOST_ROUNDS = 10
_SETTLED = 1e-4
"""Log units by which no grade moves any more when backfitting ends."""
_NO_WEIGHT = 1e-9
_RESAMPLES = 200


@dataclass(frozen=True)
class Graded:
    """A signal in grades of equally many ticks.

    Attributes:
        grade: int64 [n], its grade at each tick; -1 where none is judged.
        means: float64 [grades], the signal's mean in each, rising.
        rising: whether load rises with it.
    """

    grade: Index
    means: Array
    rising: bool


def grade(signal: Array, wanted: Array, judged: Mask, direction: Direction) -> Graded:
    """Put a signal into grades.

    Args:
        signal: float64 [n], without NaN where judged.
        wanted: float64 [n], what it shall predict.
        judged: bool [n], at least one tick.
        direction: the catalog's word.

    Returns:
        At most 100 grades, of at least five ticks each unless values repeat.
    """
    values = signal[judged]
    count = int(np.clip(len(values) // _TICKS_PER_GRADE, 1, _GRADES))
    edges = np.unique(np.quantile(values, np.arange(1, count) / count))
    place = np.searchsorted(edges, values, side="right")
    # a grade between equal edges may be empty
    used, place = np.unique(place, return_inverse=True)
    sizes = np.bincount(place)
    grades = np.full(len(signal), -1, dtype=np.int64)
    grades[judged] = place
    means = np.bincount(place, weights=values) / sizes
    return Graded(grades, means[: len(used)], rises(values, wanted[judged], direction))


def fit_additive(
    first: Graded, second: Graded, wanted: Array, train: Mask
) -> tuple[Array, Array, Array]:
    """Least squares by a monotone curve of one signal, and by the sum of monotone curves of both.

    Args:
        first: the first signal.
        second: the second signal.
        wanted: float64 [n], what is predicted.
        train: bool [n], judged ticks to learn from.

    Returns:
        Values at the grades: of the first alone, and of first and second together.

    Complexity: backfitting on grades and on the counts of pairs of grades, 100 x 100 a round whatever n.
    """
    rows, columns = len(first.means), len(second.means)
    a, b, y = first.grade[train], second.grade[train], wanted[train]
    middle = float(y.mean())
    y = y - middle
    counted = np.bincount(a * columns + b, minlength=rows * columns)
    pairs = counted.reshape(rows, columns).astype(np.float64)
    sizes = pairs.sum(axis=1), pairs.sum(axis=0)
    sums = _sums(a, y, rows), _sums(b, y, columns)
    alone = _monotone(sums[0], sizes[0], first.rising)
    other = _monotone(sums[1], sizes[1], second.rising)
    f, g = _start(alone, other, sums, sizes, pairs)
    for _ in range(_MOST_ROUNDS):
        before = f, g
        f = _monotone(sums[0] - pairs @ g, sizes[0], first.rising)
        g = _monotone(sums[1] - f @ pairs, sizes[1], second.rising)
        g -= sizes[1] @ g / sizes[1].sum()
        if max(np.abs(f - before[0]).max(), np.abs(g - before[1]).max()) < _SETTLED:
            break
    return alone + middle, f + middle, g


def _sums(grades: Index, values: Array, count: int) -> Array:
    return np.bincount(grades, weights=values, minlength=count).astype(np.float64)


def _monotone(sums: Array, sizes: Array, rising: bool) -> Array:  # noqa: FBT001 - as `Graded` has it
    """Isotonic regression of the means of grades; a grade without a tick lies between its neighbours."""
    from scipy.optimize import isotonic_regression

    filled = sizes > 0
    means = np.zeros_like(sums)
    means[filled] = sums[filled] / sizes[filled]
    if not filled.all():
        means = np.interp(np.arange(len(sums)), np.flatnonzero(filled), means[filled])
    fitted = isotonic_regression(means, weights=np.maximum(sizes, _NO_WEIGHT), increasing=rising)
    return np.asarray(fitted.x, dtype=np.float64)


def _start(
    alone: Array,
    other: Array,
    sums: tuple[Array, Array],
    sizes: tuple[Array, Array],
    pairs: Array,
) -> tuple[Array, Array]:
    """Best mixture of the two curves that fit alone: two alike share the work from the beginning.

    From one curve alone, backfitting of two signals with correlation r closes only 1 - r^2 of the gap a round.
    """
    x, z = alone - sizes[0] @ alone / sizes[0].sum(), other - sizes[1] @ other / sizes[1].sum()
    xx, zz, xz = sizes[0] @ x**2, sizes[1] @ z**2, x @ pairs @ z
    xy, zy = sums[0] @ x, sums[1] @ z
    spread = xx * zz - xz * xz
    if not spread > 1e-12 * xx * zz:
        return alone, np.zeros_like(other)
    left, right = (zz * xy - xz * zy) / spread, (xx * zy - xz * xy) / spread
    if right <= 0:
        return alone, np.zeros_like(other)
    if left <= 0:
        return np.zeros_like(alone), z
    return left * x, right * z


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
    place = one.grade[judged]
    sizes = np.bincount(place).astype(np.float64)
    middle = wanted[judged].mean()
    alone = _monotone(_sums(place, wanted[judged] - middle, len(sizes)), sizes, one.rising)
    rest = np.zeros(len(wanted))
    rest[judged] = wanted[judged] - alone[place]
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
