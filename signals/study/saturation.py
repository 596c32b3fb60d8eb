"""How much of the time is a signal pinned to an end of its range?"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from signals.catalog.spec import Direction
from signals.schema import Estimate
from signals.study.association import is_constant
from signals.study.monotone import Monotone, fit_monotone, isotonic
from signals.study.response import BINS, Bins

__all__ = ["flat_against_direction", "plateau_ticks", "saturation_ratio"]

Array = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

_SIXTH = BINS // 6
_FLAT = 0.1
"""Share of the mean slope under which an end of the response is a plateau."""
_NEAR = 0.02
"""Share of the span within which a value lies on the plateau."""
_AGAINST = "as load grows it moves the other way, or not at all"


def saturation_ratio(
    reference: Array, bins: Bins, response: Monotone, direction: Direction
) -> Estimate:
    """Share of ticks on which the response has reached a plateau at either end.

    Args:
        reference: float64 [n], load or load per instance, NaN where missing.
        bins: of the response.
        response: the monotone fit over all ticks.
        direction: the catalog's word.

    Returns:
        In [0, 1]; 0 without a plateau, 1 for a constant; None for a signal that moves against its direction, whose
        fit is flat because it may not follow. `extra`: `lower`, `upper`, the share at each end, of such a signal
        `flat`, the share on which that fit is flat.
    """
    known = reference[np.isfinite(reference)]
    found = _ends(known, bins, response, direction)
    if found is None or not len(known):
        return Estimate(None, determined=False, reason="too few ticks")
    lower, upper = (float(part.mean()) for part in found)
    share = min(1.0, lower + upper)
    if _moves_against(bins, direction):
        return Estimate(None, determined=False, reason=_AGAINST, extra={"flat": share})
    reason = "constant series" if lower == upper == 1.0 else ""
    return Estimate(share, reason=reason, extra={"lower": lower, "upper": upper})


def flat_against_direction(saturation: Estimate) -> float | None:
    """How much of the time the fit of a signal is flat because it may not follow the signal.

    Args:
        saturation: its `saturation_ratio`.

    Returns:
        In [0, 1]; None for a signal that moves in its direction.
    """
    share = saturation.extra.get("flat")
    return share if isinstance(share, float) else None


def plateau_ticks(
    reference: Array, bins: Bins, response: Monotone, direction: Direction
) -> tuple[Mask, Mask] | None:
    """Which ticks lie on a plateau of the response.

    Args:
        reference: float64 [n], load or load per instance; NaN lie on none.
        bins: of the response.
        response: the monotone fit over all ticks.
        direction: the catalog's word.

    Returns:
        bool [n] for the lower and for the upper end, nowhere for an end that is no plateau, everywhere for
        a constant; None without a response, and of a signal that moves against its direction.
    """
    if _moves_against(bins, direction):
        return None
    return _ends(reference, bins, response, direction)


def _moves_against(bins: Bins, direction: Direction) -> bool:
    """Whether a curve the other way fits better than one in the direction that the catalog demands."""
    if direction == "either" or is_constant(bins.signal):
        return False
    order = np.argsort(bins.reference, kind="stable")
    signal, weights = bins.signal[order], bins.count.astype(np.float64)[order]
    rising, falling = (
        float(weights @ (signal - isotonic(signal, weights, way)) ** 2) for way in (True, False)
    )
    return falling < rising if direction == "rises" else rising < falling


def _ends(
    reference: Array, bins: Bins, response: Monotone, direction: Direction
) -> tuple[Mask, Mask] | None:
    curve = fit_monotone(bins.reference, bins.signal, direction)
    if curve is None:
        return None
    span = abs(float(curve.y[-1] - curve.y[0]))
    if span <= 1e-9 * float(np.abs(bins.signal).max()):
        everywhere = np.isfinite(reference)
        return everywhere, everywhere
    slope = span / float(curve.x[-1] - curve.x[0])
    heights, values = curve.at(bins.reference), response.at(reference)
    ends = []
    for inner, end in ((_SIXTH - 1, 0), (-_SIXTH, -1)):
        rise = abs(float(heights[inner] - heights[end]))
        run = abs(float(bins.reference[inner] - bins.reference[end]))
        near = np.abs(values - heights[end]) <= _NEAR * span
        ends.append(near & (rise < _FLAT * slope * run))
    return ends[0], ends[1]
