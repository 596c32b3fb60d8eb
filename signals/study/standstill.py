"""Does a signal stand still: on one value, or at an end of the range that its unit allows?

A saturated signal says nothing whatever load does, and no correlation or slope can say so: those of a
constant are undefined. This looks at the values alone, so it answers also where there is too little data
for any other measure.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from signals.catalog import find_signal
from signals.schema import PanelColumn

__all__ = ["standstill"]

_FEWEST = 10
"""Values below which standing still is no surprise."""
_HAIR = 0.005
"""Share of a closed range within which a value counts as being at its upper end: exporters round and average."""


def standstill(values: npt.NDArray[np.float64], column: PanelColumn) -> Mapping[str, float | None]:
    """How much of the time a signal is at an end of its range, and whether it ever moves.

    Args:
        values: float64 [n], in the column's unit, NaN where missing.
        column: the signal; its range is the catalog's, or 0 to 1 for a ratio that the catalog does not know.

    Returns:
        `at_upper_end` and `at_lower_end`: shares of the known values at the ends of a closed range, in [0, 1];
        `at_zero`: the share at the end of a range that is open above, such as a queue's, which rests there;
        `constant`: 1 if all known values are equal, else 0. What does not apply is None; all are with fewer
        than 10 values.
    """
    known = values[np.isfinite(values)]
    if len(known) < _FEWEST:
        return {"at_upper_end": None, "at_lower_end": None, "at_zero": None, "constant": None}
    low, high = _range(column)
    found: dict[str, float | None] = {"at_upper_end": None, "at_lower_end": None, "at_zero": None}
    if low is not None and high is not None:
        found["at_upper_end"] = float(np.mean(known >= high - _HAIR * (high - low)))
        # a pool that is hardly used may still follow its load in thousandths
        found["at_lower_end"] = float(np.mean(known <= low))
    elif low is not None:
        found["at_zero"] = float(np.mean(known <= low))
    return {**found, "constant": float(known.min() == known.max())}


def _range(column: PanelColumn) -> tuple[float | None, float | None]:
    spec = find_signal(column.signal)
    if spec is not None and column.unit == spec.unit:
        return spec.valid_range
    # values relative to their own maximum stand at 1 when they are largest, which is no bound
    return (0.0, 1.0) if column.unit == "ratio" else (None, None)
