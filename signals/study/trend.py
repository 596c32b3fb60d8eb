"""Which ticks lie on rising load and which on falling load.

The change is that between the means of the 15 minutes before and after a tick, the tick itself left out, so
that a tick whose load is high by chance does not count as rising.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from signals.series.align import shift
from signals.series.grid import ticks_in
from signals.series.recall import remembered
from signals.series.smooth import trailing_mean

__all__ = ["rising_and_falling"]

CHANGE_S = 900.0
_OUTER = 0.2


@remembered(4)
def rising_and_falling(
    load: npt.NDArray[np.float64], tick_s: float
) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """The fifth of ticks with the steepest rise of load, and the fifth with the steepest fall.

    Args:
        load: float64 [n], NaN where missing.
        tick_s: grid width, seconds.

    Returns:
        Two bool arrays [n]; all False where load does not change.
    """
    width = ticks_in(CHANGE_S, tick_s)
    none = np.zeros(len(load), dtype=bool)
    if len(load) <= 2 * width:
        return none, none
    mean = trailing_mean(load, width)
    mean[: width - 1] = np.nan
    before, after = shift(mean, 1), shift(mean, -width)
    fine = (before > 0) & (after > 0)
    change = np.full(len(load), np.nan)
    change[fine] = np.log(after[fine] / before[fine])
    if not fine.any():
        return none, none
    low, high = np.nanquantile(change, (_OUTER, 1 - _OUTER))
    if not high > low:
        return none, none
    return np.nan_to_num(change, nan=-np.inf) >= high, np.nan_to_num(change, nan=np.inf) <= low
