"""What collection does to a series: values that are lost, one by one, in runs or for hours, and values that repeat."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["drop_runs", "drop_stretch", "drop_ticks", "stale"]

Array = npt.NDArray[np.float64]


def drop_ticks(values: Array, share: float, rng: np.random.Generator) -> Array:
    """Lose each tick by chance, whatever happens to its neighbours.

    Args:
        values: float64 [n].
        share: probability with which a tick is lost.
        rng: source of randomness.

    Returns:
        float64 [n], NaN where lost.
    """
    return np.where(rng.random(len(values)) < share, np.nan, values)


def drop_runs(values: Array, share: float, length: float, rng: np.random.Generator) -> Array:
    """Lose ticks in runs, as a scraper that restarts does.

    Args:
        values: float64 [n].
        share: expected share of lost ticks, under 1.
        length: mean ticks of a run, at least 1; runs and what lies between them are geometric.
        rng: source of randomness.

    Returns:
        float64 [n], NaN where lost.
    """
    if not share > 0:
        return values.copy()
    kept = length * (1 - share) / share
    # more than enough pairs of a kept and a lost run, then cut to length
    pairs = int(len(values) / (length + max(kept, 1.0)) * 2) + 50
    lengths = np.empty(2 * pairs, dtype=np.int64)
    lengths[0::2] = _geometric(kept, pairs, rng)
    lengths[1::2] = _geometric(length, pairs, rng)
    lost = np.repeat(np.arange(2 * pairs) % 2 == 1, lengths)
    start = int(rng.integers(0, max(1, len(lost) - len(values))))
    return np.where(np.resize(lost[start:], len(values)), np.nan, values)


def _geometric(mean: float, count: int, rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """Whole numbers of a mean; they may be 0 where the mean is under 1."""
    if mean >= 1:
        return rng.geometric(1 / mean, size=count)
    return rng.geometric(1 / (1 + mean), size=count) - 1


def drop_stretch(values: Array, first: int, last: int) -> Array:
    """Lose one whole stretch.

    Args:
        values: float64 [n].
        first: first lost tick.
        last: one past the last lost tick.

    Returns:
        float64 [n], NaN where lost.
    """
    left = values.copy()
    left[first:last] = np.nan
    return left


def stale(values: Array, every: int) -> Array:
    """A value that is looked at every so many ticks and shown again until the next look.

    Args:
        values: float64 [n].
        every: ticks between looks, at least 1; the mean delay is (every - 1) / 2 ticks.

    Returns:
        float64 [n].
    """
    place = np.arange(len(values))
    return np.asarray(values[place - place % every], dtype=np.float64)
