"""Fit the curves of a service-time profile from measured points; pure functions on arrays.

Curves are monotone and piecewise linear through the group medians: the shape that the simulator uses, with
no assumption about where it bends. What the points cannot tell (several batches at several context lengths)
is not made up: the context slope comes from the sweep over prompt length alone.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from signals.errors import AnalysisError
from signals.profiles.spec import FitError, Knots

__all__ = [
    "DecodeFit",
    "curve_seconds",
    "fit_decode",
    "fit_monotone_curve",
    "relative_errors",
]

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class DecodeFit:
    """A decode step's time: a curve over the batch plus a slope over the context tokens held.

    Attributes:
        decode: seconds against sequences in the batch, without context.
        context_s_per_token: further seconds per context token in the batch, at least 0.
        error: how far the sum of both is from the measured points.
    """

    decode: Knots
    context_s_per_token: float
    error: FitError


def curve_seconds(knots: Knots, x: FloatArray) -> FloatArray:
    """Read a curve; beyond the last knot its last slope goes on, before the first one it is flat.

    Args:
        knots: the curve.
        x: where to read it, shape (n,).

    Returns:
        Seconds, shape (n,).
    """
    xs = np.asarray(knots.x, dtype=np.float64)
    ys = np.asarray(knots.seconds, dtype=np.float64)
    inside = np.interp(x, xs, ys)
    slope = (ys[-1] - ys[-2]) / (xs[-1] - xs[-2])
    beyond: FloatArray = np.where(x > xs[-1], ys[-1] + slope * (x - xs[-1]), inside)
    return beyond


def fit_monotone_curve(x: FloatArray, seconds: FloatArray, *, digits: int = 6) -> Knots:
    """Fit a never-falling piecewise-linear curve with a knot at every distinct x.

    The value at a knot is the median of its repeats, so one stray run does not move it; neighbouring
    medians that fall are pooled, weighted by their repeats (isotonic regression).

    Args:
        x: size of each measured step, shape (n,).
        seconds: its duration, shape (n,).
        digits: decimals of a second that are kept.

    Returns:
        The curve.

    Raises:
        AnalysisError: fewer than two distinct sizes, or values that are not finite and positive.
    """
    from scipy.optimize import isotonic_regression

    _check_points(x, seconds)
    sizes, group = np.unique(x, return_inverse=True)
    if sizes.size < 2:
        raise AnalysisError(
            "a service-time curve needs at least two step sizes",
            expected="points at several prompt lengths or batch sizes",
        )
    medians = np.array([np.median(seconds[group == i]) for i in range(sizes.size)])
    weights = np.bincount(group).astype(np.float64)
    fitted = isotonic_regression(medians, weights=weights).x
    return Knots(
        x=tuple(float(v) for v in sizes),
        seconds=tuple(round(float(v), digits) for v in fitted),
    )


def fit_decode(
    batch: FloatArray, context_tokens: FloatArray, seconds: FloatArray, *, digits: int = 6
) -> DecodeFit:
    """Fit the time of a decode step against batch and context.

    The slope per context token is the least-squares slope over the points of the smallest batch, where
    context varies while the batch does not; it is never negative.

    Args:
        batch: sequences in each measured step, shape (n,).
        context_tokens: context tokens that they hold together, shape (n,).
        seconds: step time, shape (n,).
        digits: decimals of a second that are kept in the curve.

    Returns:
        Curve, slope and error.

    Raises:
        AnalysisError: fewer than two batch sizes, or values that are not finite and positive.
    """
    _check_points(batch, seconds)
    alone = batch == batch.min()
    slope = _slope(context_tokens[alone], seconds[alone])
    # a rounded slope is what the profile file will hold, so the curve is fitted to that one
    slope = round(max(0.0, slope), digits + 4)
    decode = fit_monotone_curve(batch, seconds - slope * context_tokens, digits=digits)
    predicted = curve_seconds(decode, batch) + slope * context_tokens
    return DecodeFit(decode, slope, relative_errors("decode", predicted, seconds))


def relative_errors(curve: str, predicted_s: FloatArray, measured_s: FloatArray) -> FitError:
    """How far is a fitted curve from every measured point, repeats included?

    Args:
        curve: its name.
        predicted_s: the curve at the points, shape (n,).
        measured_s: the points, shape (n,).

    Returns:
        Median and largest of |predicted - measured| / measured, to four decimals.
    """
    off = np.abs(predicted_s - measured_s) / measured_s
    return FitError(
        curve, round(float(np.median(off)), 4), round(float(off.max()), 4), int(off.size)
    )


def _slope(x: FloatArray, y: FloatArray) -> float:
    centred = x - x.mean()
    spread = float(centred @ centred)
    return float(centred @ (y - y.mean())) / spread if spread > 0 else 0.0


def _check_points(x: FloatArray, seconds: FloatArray) -> None:
    good = np.isfinite(x) & np.isfinite(seconds) & (x > 0) & (seconds > 0)
    if x.size == 0 or not good.all():
        raise AnalysisError(
            f"{int((~good).sum())} of {x.size} measured points are unusable",
            expected="finite sizes and times above 0",
        )
