"""What a signal does when the number of instances changes and load does not.

A scaler that holds load per instance flat takes away the movement from which a response is read. It gives
some of it back each time it acts: load per instance jumps while the clock, the mix of requests and all else
stay what they were.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from signals.schema import Estimate, Finding
from signals.series.grid import ticks_in
from signals.study.bootstrap import percentile_interval
from signals.study.panel import Observed

__all__ = ["natural_elasticity", "natural_experiment_note"]

Array = npt.NDArray[np.float64]

_WINDOW_S = 180.0
_FEWEST = 5
_RESAMPLES = 1000


def natural_elasticity(observed: Observed, *, lag_s: float, rng: np.random.Generator) -> Estimate:
    """By how many per cent a signal moves when a change of the count moves load per instance by one.

    Args:
        observed: the signal, an average over instances, as its ticks are.
        lag_s: how far it trails load; the signal is looked at that much later than load.
        rng: source of randomness of the interval.

    Returns:
        The slope through the origin of the change of ln signal on the change of ln load per instance, from
        the mean of the 3 min before a change of the ready count to the mean of the 3 min after it. The
        interval is a bootstrap over changes. A change counts if no other is within either window. Not
        determined with fewer than 5, for totals (which a change moves by definition), or with an unknown count.
        `extra`: `changes`, those that count.
    """
    if observed.column.scope == "total" or observed.ready is None:
        reason = "needs an average over instances and their number"
        return Estimate(None, determined=False, reason=reason, extra={"changes": 0})
    moved, driven = _jumps(observed, observed.ready, lag_s)
    extra = {"changes": len(driven)}
    if len(driven) < _FEWEST or not float(driven @ driven) > 0:
        reason = f"{len(driven)} separate changes of the instance count; {_FEWEST} are needed"
        return Estimate(None, determined=False, reason=reason, extra=extra)
    value = float(driven @ moved) / float(driven @ driven)
    chosen = rng.integers(0, len(driven), size=(_RESAMPLES, len(driven)))
    products, squares = (driven * moved)[chosen].sum(axis=1), (driven**2)[chosen].sum(axis=1)
    draws = np.divide(products, squares, out=np.full(_RESAMPLES, np.nan), where=squares > 0)
    low, high = percentile_interval(draws) or (None, None)
    return Estimate(value, low, high, extra=extra)


def natural_experiment_note(observed: Observed, found: Estimate) -> Finding:
    """What the changes of a closed loop say about a signal.

    Args:
        observed: the signal.
        found: from `natural_elasticity`.

    Returns:
        A finding with the figure, or with why there is none.
    """
    name = observed.column.name
    if found.value is None or found.low is None or found.high is None:
        text = f"changes of the instance count do not tell how {name} responds: {found.reason}"
    else:
        text = (
            f"at {found.extra['changes']} changes of the instance count {name} moved by "
            f"{found.value:.2f} % (95 %: {found.low:.2f} to {found.high:.2f}) when load per instance "
            "moved by 1 %"
        )
    return Finding(
        "natural_experiment",
        "info",
        text,
        subject=name,
        action="a scaler holds load per instance flat, so trust this more than the elasticity"
        if found.value is not None
        else "",
    )


def _jumps(observed: Observed, ready: Array, lag_s: float) -> tuple[Array, Array]:
    """Changes of ln signal and of ln load per instance, one for each separate change of the count."""
    known = np.flatnonzero(np.isfinite(ready))
    changes = known[1:][np.diff(ready[known]) != 0]
    width = max(2, ticks_in(_WINDOW_S, observed.tick_s))
    late = max(0, round(lag_s / observed.tick_s))
    apart = np.diff(changes, prepend=-(2 * width + late), append=len(ready) + width + late)
    alone = (apart[:-1] >= width) & (apart[1:] >= width + late)
    pairs = [
        (
            # what the signal shows at a time is load per instance a lag before
            _step(observed.raw_signal, at + late, width),
            _step(observed.raw_reference, at, width),
        )
        for at in changes[alone]
    ]
    jumps = np.array([pair for pair in pairs if np.isfinite(pair).all()]).reshape(-1, 2)
    return jumps[:, 0], jumps[:, 1]


def _step(values: Array, at: int, width: int) -> float:
    """Change of the logarithm of the mean, NaN where a side is not known or not above zero."""
    before, after = values[max(0, at - width) : at], values[at : at + width]
    sides = [side[np.isfinite(side)] for side in (before, after)]
    if any(2 * len(side) < width or not side.mean() > 0 for side in sides):
        return float("nan")
    return float(np.log(sides[1].mean() / sides[0].mean()))
