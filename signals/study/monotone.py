"""The monotone curve that fits best: how a signal responds to load when nothing but order is assumed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from signals.catalog.spec import Direction

__all__ = ["Monotone", "fit_in_order", "fit_monotone", "isotonic", "rises"]

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Monotone:
    """A monotone curve, straight between its points and flat beyond its ends.

    Attributes:
        x: float64 [m], rising strictly.
        y: float64 [m], rising or falling throughout.
    """

    x: Array
    y: Array

    def at(self, x: Array) -> Array:
        """The curve's values.

        Args:
            x: float64 [k]; NaN gives NaN.

        Returns:
            float64 [k].
        """
        # neighbours in order are found next to each other: sorting pays
        order = np.argsort(x)
        values = np.empty(len(x))
        values[order] = np.interp(x[order], self.x, self.y)
        return values


def rises(x: Array, y: Array, direction: Direction) -> bool:
    """Whether the curve should rise: as the catalog says, or as the data do where it says `either`.

    Args:
        x: float64 [n], no NaN.
        y: float64 [n], no NaN.
        direction: the catalog's word.

    Returns:
        True for a rising curve.
    """
    if direction != "either":
        return direction == "rises"
    return float((x - x.mean()) @ (y - y.mean())) >= 0


def fit_monotone(x: Array, y: Array, direction: Direction) -> Monotone | None:
    """Isotonic regression of y on x, ties in x averaged first.

    Args:
        x: float64 [n]; pairs with NaN are left out.
        y: float64 [n].
        direction: `rises`, `falls`, or `either` to follow the data.

    Returns:
        The curve; None without a single pair.

    Complexity: O(n log n).
    """
    kept = np.isfinite(x) & np.isfinite(y)
    if not kept.any():
        return None
    x, y = x[kept], y[kept]
    order = np.argsort(x)
    return fit_in_order(x[order], y[order], direction)


def fit_in_order(x: Array, y: Array, direction: Direction) -> Monotone:
    """Isotonic regression of pairs in the order of x, ties in x averaged first.

    Args:
        x: float64 [n], not falling, at least one, no NaN.
        y: float64 [n].
        direction: `rises`, `falls`, or `either` to follow the data.

    Returns:
        The curve.

    Complexity: O(n).
    """
    rising = rises(x, y, direction)
    first = np.flatnonzero(np.concatenate(([True], x[1:] != x[:-1])))
    if len(first) == len(x):
        return Monotone(x, isotonic(y, np.ones(len(x)), rising))
    weights = np.diff(first, append=len(x)).astype(np.float64)
    return Monotone(x[first], isotonic(np.add.reduceat(y, first) / weights, weights, rising))


def isotonic(values: Array, weights: Array, rising: bool) -> Array:  # noqa: FBT001 - as `Graded` has it
    """Monotone sequence that is nearest to the values in weighted squares.

    Args:
        values: float64 [n].
        weights: float64 [n], above zero.
        rising: whether it shall rise.

    Returns:
        float64 [n].
    """
    from signals.study.kernels import pooled

    return pooled(values, weights) if rising else -pooled(-values, weights)
