"""Is the signal in the same ratio to load at every load?"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from signals.schema import Estimate
from signals.study.bootstrap import (
    block_length,
    block_number,
    draw_counts,
    drawn_medians,
    percentile_interval,
)

__all__ = ["proportionality"]

Array = npt.NDArray[np.float64]

_DECILES = 10
_RESAMPLES = 200


def proportionality(reference: Array, signal: Array, *, rng: np.random.Generator) -> Estimate:
    """Largest over smallest median ratio of signal to load, by load decile.

    Args:
        reference: float64 [n], load (for a total) or load per instance (for an average); NaN where missing.
        signal: float64 [n], NaN where missing.
        rng: source of randomness of the interval.

    Returns:
        1 for a proportional signal, larger for others; None if a decile's median is not above zero.
    """
    known = np.isfinite(reference) & np.isfinite(signal) & (reference > 0)
    x, y = reference[known], signal[known]
    if len(x) < 2 * _DECILES:
        return Estimate(None, determined=False, reason="too few ticks")
    ratio = y / x
    deciles = np.array_split(np.argsort(x, kind="stable"), _DECILES)
    medians = [float(np.median(ratio[part])) for part in deciles]
    if min(medians) <= 0:
        return Estimate(None, determined=False, reason="a decile's median is not above zero")
    value = max(medians) / min(medians)
    interval = percentile_interval(_resampled(ratio, deciles, rng))
    if interval is None:
        return Estimate(value, reason="no interval: a decile lies in too few stretches of time")
    return Estimate(value, *interval)


def _resampled(
    ratio: Array, deciles: list[npt.NDArray[np.intp]], rng: np.random.Generator
) -> Array:
    """Largest over smallest median of each draw of blocks, the deciles kept."""
    ids = block_number(len(ratio), block_length(ratio, len(ratio)))
    counts = draw_counts(int(ids[-1]) + 1, rng, _RESAMPLES)
    drawn = np.stack([drawn_medians(ratio[part], ids[part], counts)[0] for part in deciles])
    smallest = drawn.min(axis=0)
    fine = smallest > 0
    return np.where(fine, drawn.max(axis=0) / np.where(fine, smallest, 1.0), np.nan)
