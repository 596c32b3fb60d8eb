"""How a signal answers load at once: in proportion, with a bend, with a floor, to a plateau, with a memory."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from signals.series.align import shift
from signals.series.smooth import trailing_mean

__all__ = [
    "clipped",
    "hysteretic",
    "idle_offset",
    "plateau",
    "power_response",
    "saturating",
    "two_segments",
]

Array = npt.NDArray[np.float64]


def power_response(load: Array, elasticity: float) -> Array:
    """A signal that moves by `elasticity` per cent when load moves by one.

    Args:
        load: float64 [n], above zero.
        elasticity: any number; 1 is proportional.

    Returns:
        float64 [n].
    """
    return np.asarray(load**elasticity, dtype=np.float64)


def idle_offset(load: Array, offset: float) -> Array:
    """A signal that is not zero without load.

    Args:
        load: float64 [n], above zero.
        offset: its value then, in units of load; its elasticity is load / (load + offset).

    Returns:
        float64 [n].
    """
    return load + offset


def saturating(load: Array, half: float) -> Array:
    """A signal that nears 1 smoothly: load / (load + half), without a knee.

    Args:
        load: float64 [n], above zero.
        half: load at which it is a half; its elasticity is half / (load + half).

    Returns:
        float64 [n], between 0 and 1.
    """
    return load / (load + half)


def two_segments(load: Array, knee: float, *, below: float, above: float) -> Array:
    """Two straight lines that meet at a knee, the first through the origin.

    Args:
        load: float64 [n].
        knee: load at which the slope changes.
        below: slope under the knee.
        above: slope over it.

    Returns:
        float64 [n].
    """
    return below * np.minimum(load, knee) + above * np.maximum(load - knee, 0.0)


def clipped(values: Array, quantile: float) -> Array:
    """A signal that cannot exceed a capacity.

    Args:
        values: float64 [n].
        quantile: share of the values below the capacity.

    Returns:
        float64 [n].
    """
    return np.minimum(values, np.quantile(values, quantile))


def plateau(values: Array, low: float, high: float) -> Array:
    """A signal that is pinned at both ends of its range.

    Args:
        values: float64 [n].
        low: quantile under which it stands still.
        high: quantile over which it stands still; the share of pinned ticks is low + 1 - high.

    Returns:
        float64 [n].
    """
    floor, ceiling = np.quantile(values, (low, high))
    return np.clip(values, floor, ceiling)


def hysteretic(load: Array, gap: float, width: int) -> Array:
    """A signal that is lower on the way up than on the way down.

    Args:
        load: float64 [n], above zero.
        gap: ln of its ratio to load on the way down, less that on the way up.
        width: ticks of the means before and after a tick that decide whether load is on its way up; a
            quarter of an hour or more, lest noise decides.

    Returns:
        float64 [n], load times exp(-gap / 2) on the way up and exp(gap / 2) on the way down.
    """
    before = shift(trailing_mean(load, width), 1)
    before[0] = load[0]
    after = trailing_mean(load[::-1], width)[::-1]
    return np.asarray(load * np.exp(np.where(after > before, -gap / 2, gap / 2)), dtype=np.float64)
