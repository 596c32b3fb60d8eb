"""Where between whole lags a cross-correlation peaks, from sums over pairs.

y is regressed on x at two adjacent lags, which is a mixture of them; the share of the later one is the
fraction. Everything works on many resamples at once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

__all__ = ["Moments", "centre", "refine"]

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Moments:
    """Centred sums per lag.

    Attributes:
        xx: float64 [..., lags], x with itself.
        adjacent: float64 [..., lags], x with x one lag further back.
        xy: float64 [..., lags], x with y.
        yy: float64 [..., 1], y with itself.
    """

    xx: Array
    adjacent: Array
    xy: Array
    yy: Array

    @property
    def correlation(self) -> Array:
        """Pearson correlation, NaN where a series has no variance."""
        scale = self.xx * self.yy
        fine = scale > 0
        return np.where(fine, self.xy / np.sqrt(np.where(fine, scale, 1.0)), np.nan)


def centre(
    x: Array, xx: Array, adjacent: Array, xy: Array, n: Array, y: Array, yy: Array
) -> Moments:
    """Take the means out of raw sums.

    Args:
        x: float64 [..., lags], sums of x over the pairs of each lag.
        xx: float64 [..., lags], of x squared.
        adjacent: float64 [..., lags], of x times x one lag further back.
        xy: float64 [..., lags], of x times y.
        n: float64 [..., 1], pairs.
        y: float64 [..., 1], sum of y.
        yy: float64 [..., 1], of y squared.

    Returns:
        The centred sums.
    """
    n = np.maximum(n, 1.0)
    # the neighbour of the last lag lies outside of the window; it is never asked for
    following = np.concatenate((x[..., 1:], x[..., -1:]), axis=-1)
    return Moments(
        xx=_positive(xx - x * x / n, xx),
        adjacent=adjacent - x * following / n,
        xy=xy - x * y / n,
        yy=_positive(yy - y * y / n, yy),
    )


def _positive(centred: Array, raw: Array) -> Array:
    """Zero where rounding alone is left of a variance."""
    return np.where(centred > 1e-12 * np.abs(raw), centred, 0.0)


def refine(moments: Moments, sign: float, peak: npt.NDArray[np.int64]) -> Array:
    """Position of the peak between lags: the better of the pairs on its left and on its right.

    Args:
        moments: centred sums, [..., lags].
        sign: 1 if y rises with x, -1 if it falls.
        peak: int64 [...], index of the lag with the largest correlation.

    Returns:
        float64 [...], index with its fraction; the peak itself at either end of the lags.
    """
    width = moments.xx.shape[-1]
    left = _pair(moments, sign, np.maximum(peak - 1, 0))
    right = _pair(moments, sign, np.minimum(peak, width - 2))
    refined = np.where(left[1] > right[1], left[0], right[0])
    inside = (peak > 0) & (peak < width - 1)
    return np.where(inside, refined, peak)


def _pair(moments: Moments, sign: float, first: npt.NDArray[np.int64]) -> tuple[Array, Array]:
    """Position and correlation of the best mixture of the lags `first` and `first` + 1."""

    def at(values: Array, index: npt.NDArray[np.int64]) -> Array:
        return np.take_along_axis(values, index[..., None], axis=-1)[..., 0]

    v1, v2 = at(moments.xx, first), at(moments.xx, first + 1)
    c1, c2 = sign * at(moments.xy, first), sign * at(moments.xy, first + 1)
    a = at(moments.adjacent, first)
    b1, b2 = c1 * v2 - c2 * a, c2 * v1 - c1 * a
    total = b1 + b2
    fine = total > 0
    f = np.where(fine, np.clip(b2 / np.where(fine, total, 1.0), 0, 1), (c2 > c1).astype(float))
    variance = (1 - f) ** 2 * v1 + 2 * f * (1 - f) * a + f**2 * v2
    mixed = ((1 - f) * c1 + f * c2) / np.sqrt(np.maximum(variance, np.finfo(float).tiny))
    return np.asarray(first + f, dtype=np.float64), mixed
