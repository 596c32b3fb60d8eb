"""The sum of two monotone curves that predicts best, one in each of two signals.

Signals are put into grades first, so that a fit costs the same however many ticks there are.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from signals.catalog.spec import Direction
from signals.study.monotone import isotonic, rises

__all__ = ["Graded", "fit_additive", "fit_graded", "grade"]

Array = npt.NDArray[np.float64]
Index = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

_GRADES = 100
_TICKS_PER_GRADE = 5
_FIRST_ROUNDS = 2
_MOST_ROUNDS = 20
_SETTLED = 1e-4
"""Share of the squares by which a round has to better the fit."""
_NO_WEIGHT = 1e-9


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


@dataclass(frozen=True)
class _Tables:
    """What backfitting needs to know of the ticks.

    Attributes:
        pairs: float64 [rows, columns], ticks by their grades in the first and in the second signal.
        sums: what is predicted, less its mean, summed by grade of the first and of the second.
        sizes: ticks by grade.
        rising: direction of both curves.
        whole: whether every grade of the first, and of the second, has a tick.
    """

    pairs: Array
    sums: tuple[Array, Array]
    sizes: tuple[Array, Array]
    rising: tuple[bool, bool]
    whole: tuple[bool, bool]

    def first(self, g: Array) -> Array:
        """The best first curve beside a second."""
        return self._curve(0, self.sums[0] - self.pairs @ g)

    def second(self, f: Array) -> Array:
        """The best second curve beside a first; its mean over the ticks is 0."""
        g = self._curve(1, self.sums[1] - f @ self.pairs)
        return np.asarray(g - self.sizes[1] @ g / self.sizes[1].sum(), dtype=np.float64)

    def _curve(self, which: int, sums: Array) -> Array:
        sizes, rising = self.sizes[which], self.rising[which]
        if self.whole[which]:
            return isotonic(sums / sizes, sizes, rising)
        return _monotone(sums, sizes, rising)

    def squares(self, f: Array, g: Array) -> float:
        """Sum of squared errors, less that of the mean alone."""
        own = self.sizes[0] @ f**2 + self.sizes[1] @ g**2 + 2 * (f @ self.pairs @ g)
        return float(own - 2 * (self.sums[0] @ f + self.sums[1] @ g))


def fit_additive(
    first: Graded, second: Graded, wanted: Array, train: Mask
) -> tuple[Array, Array, Array]:
    """Least squares by a monotone curve of one signal, and by the sum of monotone curves of both.

    Backfitting of signals that are alike is slow: with correlation r it closes 1 - r^2 of the gap a round. It
    begins at the best of several starts, each after two rounds, and is driven on by its own momentum.

    Args:
        first: the first signal.
        second: the second signal.
        wanted: float64 [n], what is predicted.
        train: bool [n], judged ticks to learn from.

    Returns:
        Values at the grades: of the first alone, and of first and second together.

    Complexity: 100 x 100 a round whatever n.
    """
    rows, columns = len(first.means), len(second.means)
    a, b, y = first.grade[train], second.grade[train], wanted[train]
    middle = float(y.mean())
    counted = np.bincount(a * columns + b, minlength=rows * columns)
    pairs = counted.reshape(rows, columns).astype(np.float64)
    sizes = pairs.sum(axis=1), pairs.sum(axis=0)
    tables = _Tables(
        pairs,
        (_sums(a, y - middle, rows), _sums(b, y - middle, columns)),
        sizes,
        (first.rising, second.rising),
        (bool(sizes[0].all()), bool(sizes[1].all())),
    )
    alone = tables.first(np.zeros(columns))
    f, g = _backfit(tables, alone)
    return alone + middle, f + middle, g


def _backfit(tables: _Tables, alone: Array) -> tuple[Array, Array]:
    tried = [_first_rounds(tables, start) for start in _starts(tables, alone)]
    squares, f, g, before = min(tried, key=lambda fit: fit[0])
    kept, speed = (f, g), 1
    for _ in range(_MOST_ROUNDS):
        ahead = g + (speed - 1) / (speed + 2) * (g - before)
        before = g
        f = tables.first(ahead)
        g = tables.second(f)
        now = tables.squares(f, g)
        if squares - now < _SETTLED * abs(squares):
            # what goes too far begins anew from the best; what stands still ends
            if speed == 1:
                break
            g, before, speed = kept[1], kept[1], 1
            continue
        squares, kept, speed = now, (f, g), speed + 1
    return kept


def _first_rounds(tables: _Tables, start: Array) -> tuple[float, Array, Array, Array]:
    """Squares, both curves and the second before the last round."""
    f, g, before = np.zeros(0), start, start
    for _ in range(_FIRST_ROUNDS):
        before = g
        f = tables.first(g)
        g = tables.second(f)
    return tables.squares(f, g), f, g, before


def _starts(tables: _Tables, alone: Array) -> list[Array]:
    """Second curves to begin with: none, the one that fits alone, and its share in the best mixture."""
    nothing = np.zeros(len(tables.sizes[1]))
    other = tables.second(np.zeros(len(alone)))
    x = alone - tables.sizes[0] @ alone / tables.sizes[0].sum()
    xx, zz, xz = tables.sizes[0] @ x**2, tables.sizes[1] @ other**2, x @ tables.pairs @ other
    spread = xx * zz - xz * xz
    if not spread > 1e-12 * xx * zz:
        return [nothing]
    share = float((xx * (tables.sums[1] @ other) - xz * (tables.sums[0] @ x)) / spread)
    return [nothing, other, float(np.clip(share, 0.0, 1.0)) * other]


def fit_graded(signal: Graded, wanted: Array, judged: Mask) -> Array:
    """Least squares by a monotone curve of one signal.

    Args:
        signal: in grades.
        wanted: float64 [n], what is predicted.
        judged: bool [n], the ticks that have a grade.

    Returns:
        float64 [n], the curve's value at each tick; 0 where none is judged.
    """
    place = signal.grade[judged]
    sizes = np.bincount(place).astype(np.float64)
    curve = _monotone(_sums(place, wanted[judged], len(sizes)), sizes, signal.rising)
    fitted = np.zeros(len(wanted))
    fitted[judged] = curve[place]
    return fitted


def _sums(grades: Index, values: Array, count: int) -> Array:
    return np.bincount(grades, weights=values, minlength=count).astype(np.float64)


def _monotone(sums: Array, sizes: Array, rising: bool) -> Array:  # noqa: FBT001 - as `Graded` has it
    """Isotonic regression of the means of grades; a grade without a tick lies between its neighbours."""
    filled = sizes > 0
    means = np.zeros_like(sums)
    means[filled] = sums[filled] / sizes[filled]
    if not filled.all():
        means = np.interp(np.arange(len(sums)), np.flatnonzero(filled), means[filled])
    return isotonic(means, np.maximum(sizes, _NO_WEIGHT), rising)
