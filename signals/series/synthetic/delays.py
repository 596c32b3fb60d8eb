"""Signals that come later than load: by a shift, by inertia, by the length of what is counted at its end."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

__all__ = ["completion_counter", "delayed", "smeared"]

Array = npt.NDArray[np.float64]


def delayed(make: Callable[[int], Array], count: int, lag: float) -> tuple[Array, Array]:
    """A load and its copy that comes later, by whole or fractional ticks.

    A fraction mixes two neighbouring ticks, which is what aggregation over a tick does to a shift.

    Args:
        make: gives a load of the number of ticks asked for.
        count: number of ticks wanted.
        lag: ticks by which the copy is late; negative for early.

    Returns:
        Two float64 [count]: the load, and the copy.
    """
    whole = int(np.floor(lag))
    part = lag - whole
    margin = abs(whole) + 2
    base = make(count + 2 * margin)
    inner = np.arange(margin, margin + count)
    late = (1 - part) * base[inner - whole] + part * base[inner - whole - 1]
    return base[inner], late


def smeared(values: Array, time_constant: float) -> Array:
    """A first-order response: after a step of load, 1 - exp(-t / time_constant) of the way is covered.

    Args:
        values: float64 [n], without NaN.
        time_constant: ticks, above zero. The mean delay is 1 / (exp(1 / time_constant) - 1) ticks, about
            half a tick less than the time constant.

    Returns:
        float64 [n], begun as if the first value had always been there.
    """
    from scipy.signal import lfilter

    keep = float(np.exp(-1 / time_constant))
    smooth, _ = lfilter([1 - keep], [1.0, -keep], values, zi=[keep * values[0]])
    return np.asarray(smooth, dtype=np.float64)


def completion_counter(load: Array, durations: Array) -> Array:
    """A counter that moves when work ends, not when it arrives.

    Args:
        load: float64 [n], work that arrives in each tick.
        durations: float64 [d], share of the work that takes 0, 1, 2, ... ticks; they add up to 1.

    Returns:
        float64 [n], work ended by the end of each tick, nothing being under way at the start. Its
        differences trail load by the mean duration.
    """
    ended = np.convolve(load, durations)[: len(load)]
    return np.asarray(np.cumsum(ended), dtype=np.float64)
