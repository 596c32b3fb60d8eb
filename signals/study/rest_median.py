"""Medians of what is left when one stretch after another is taken out of a series.

Every fold of a held-out measure needs the median of the others. All of them lie close together in the order of the
values, so only those in the middle are ever sorted.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["medians_of_rest"]

Array = npt.NDArray[np.float64]
Ticks = npt.NDArray[np.int64]


def medians_of_rest(values: Array, spans: Ticks) -> Array:
    """Median of all values but those of a span, for each span.

    Args:
        values: float64 [n], no NaN.
        spans: int64 [k, 2], first position and one past the last, 0 to n.

    Returns:
        float64 [k]; NaN where nothing is left.

    Complexity: O(n + m log m) and O(m) a span, m the values whose rank may be the middle of some rest: about as
    many as the longest span has.
    """
    from signals.study.kernels import rest_middles

    count = len(values)
    taken = spans[:, 1] - spans[:, 0]
    most = int(taken.max(initial=0))
    if not count:
        return np.full(len(spans), np.nan)
    # a rest of n - e values has its middle at rank (n - e) / 2, and at most e values before it are taken out
    first, last = max(0, (count - most - 1) // 2), min(count - 1, (count + most) // 2)
    bounds = np.partition(values, (first, last))[[first, last]]
    below = values < bounds[0]
    central = np.flatnonzero(~below & (values <= bounds[1]))
    order = np.argsort(values[central])
    ordered = values[central][order]
    under = np.concatenate(([0], np.cumsum(below)))
    outside = under[spans[:, 1]] - under[spans[:, 0]]
    return rest_middles(ordered, central[order], spans, count, under[-1] - outside)
