"""On how many ticks is there a value when there should be one?"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from signals.schema import Estimate

__all__ = ["coverage", "covered"]


def coverage(signal: npt.NDArray[np.float64], ready: npt.NDArray[np.float64] | None) -> Estimate:
    """Share of the expected ticks with a value.

    Args:
        signal: float64 [n], NaN where missing.
        ready: float64 [n], instances that serve; None if unknown. A tick is expected to have a value
            unless the pool is known to have had no instance.

    Returns:
        In [0, 1]; `extra`: `expected` and `present`, ticks.
    """
    expected = np.ones(len(signal), dtype=bool) if ready is None else ~(ready <= 0)
    present = int(np.isfinite(signal[expected]).sum())
    total = int(expected.sum())
    if not total:
        return Estimate(None, determined=False, reason="the pool never had a ready instance")
    return Estimate(present / total, extra={"expected": total, "present": present})


def covered(found: Estimate) -> float | None:
    """What the verdict looks at: half a tick more, so that every second tick of an odd number is half of them.

    Args:
        found: from `coverage`.

    Returns:
        In [0, 1]; None without an expected tick.
    """
    expected, present = found.extra.get("expected"), found.extra.get("present")
    if not isinstance(expected, int) or not isinstance(present, int):
        return None
    return min(1.0, (present + 0.5) / expected)
