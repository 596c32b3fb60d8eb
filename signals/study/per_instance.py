"""Load and signal of one ready instance, whatever the signal's scope.

Where the number of instances is unknown it is taken as one: the figures are then those of the whole pool.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from signals.study.panel import Observed

__all__ = ["load_per_instance", "signal_per_instance"]

Array = npt.NDArray[np.float64]


def load_per_instance(observed: Observed) -> Array:
    """Decision values of load over ready instances, for totals too.

    Args:
        observed: a signal of the pool.

    Returns:
        float64 [n], NaN where missing or where no instance was ready.
    """
    return observed.load / _instances(observed)


def signal_per_instance(observed: Observed) -> Array:
    """Decision values of the signal; a total is divided by the ready instances.

    Args:
        observed: the signal.

    Returns:
        float64 [n], NaN where missing or, for a total, where no instance was ready.
    """
    return (
        observed.signal / _instances(observed)
        if observed.column.scope == "total"
        else observed.signal
    )


def _instances(observed: Observed) -> Array | float:
    ready = observed.ready
    return 1.0 if ready is None else np.where(ready > 0, ready, np.nan)
