"""Two series on one grid: pairs at a lag, and the sums over pairs at many lags at once.

A lag of k ticks pairs y at tick i with x at tick i - k: positive when y trails x.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["lagged_sums", "pairs_at_lag", "shift"]

_DIRECT_LIMIT = 20_000_000
"""Products up to which the direct sum is as fast as the transform, and exact."""


def shift(values: npt.NDArray[np.float64], ticks: int) -> npt.NDArray[np.float64]:
    """Move a series later by a number of ticks; the ends that open are missing.

    Args:
        values: float64 [n].
        ticks: later if positive, earlier if negative.

    Returns:
        float64 [n], NaN where nothing moved in.
    """
    moved = np.full(len(values), np.nan)
    if ticks >= 0:
        moved[ticks:] = values[: len(values) - ticks]
    else:
        moved[:ticks] = values[-ticks:]
    return moved


def pairs_at_lag(
    x: npt.NDArray[np.float64], y: npt.NDArray[np.float64], lag: int
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """All pairs (x[i - lag], y[i]) in which neither is missing.

    Args:
        x: float64 [n], NaN where missing.
        y: float64 [n], NaN where missing.
        lag: ticks by which y trails x, |lag| < n.

    Returns:
        Two float64 arrays of the same length, at most n - |lag|, in time order.
    """
    count = len(x)
    first, last = max(0, lag), count + min(0, lag)
    left, right = x[first - lag : last - lag], y[first:last]
    kept = np.isfinite(left) & np.isfinite(right)
    return left[kept], right[kept]


def lagged_sums(
    x: npt.NDArray[np.float64], y: npt.NDArray[np.float64], reach: int
) -> npt.NDArray[np.float64]:
    """Sum y[i] * x[i - l] over the same i for every lag l from -reach to reach.

    Args:
        x: float64 [n], without NaN.
        y: float64 [n], without NaN.
        reach: largest lag, ticks; the sum runs over i from reach to n - reach.

    Returns:
        float64 [2 reach + 1], the lag rising from -reach.

    Complexity: O(n reach) below a limit, then O(n log n).
    """
    inner = y[reach : len(y) - reach]
    if len(inner) * (2 * reach + 1) <= _DIRECT_LIMIT:
        sums = np.correlate(x, inner, mode="valid")
    else:
        from scipy.signal import correlate

        sums = correlate(x, inner, mode="valid", method="fft")
    # position j of the valid part is the pair (x[i + j - reach], y[i]), that is lag reach - j
    return np.asarray(sums[::-1], dtype=np.float64)
