"""Is the signal in the same ratio to load at every load?"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from signals.schema import Estimate

__all__ = ["proportionality"]

_DECILES = 10


def proportionality(
    reference: npt.NDArray[np.float64], signal: npt.NDArray[np.float64]
) -> Estimate:
    """Largest over smallest median ratio of signal to load, by load decile.

    Args:
        reference: float64 [n], load (for a total) or load per instance (for an average); NaN where missing.
        signal: float64 [n], NaN where missing.

    Returns:
        1 for a proportional signal, larger for others; None if a decile's median is not above zero.
    """
    known = np.isfinite(reference) & np.isfinite(signal) & (reference > 0)
    x, y = reference[known], signal[known]
    if len(x) < 2 * _DECILES:
        return Estimate(None, determined=False, reason="too few ticks")
    order = np.argsort(x, kind="stable")
    ratios = [float(np.median(part)) for part in np.array_split((y / x)[order], _DECILES)]
    if min(ratios) <= 0:
        return Estimate(None, determined=False, reason="a decile's median is not above zero")
    return Estimate(max(ratios) / min(ratios))
