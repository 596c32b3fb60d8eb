"""How much of the signal is not load?

Noise against the local trend (`noise_ratio`, `snr_db`) and scatter around the response to load
(`scatter_ratio`), both in units of the response's span.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from signals.schema import Estimate
from signals.series.grid import ticks_in
from signals.series.smooth import local_line
from signals.study.bootstrap import (
    block_length,
    block_number,
    draw_counts,
    drawn_medians,
    percentile_interval,
)
from signals.study.monotone import Monotone

__all__ = ["noise_ratio", "response_span", "scatter_ratio", "snr_db"]

Array = npt.NDArray[np.float64]

LINE_S = 900.0
TO_SIGMA = 1.4826
"""Standard deviation of a normal variable over its median absolute deviation."""
_RESAMPLES = 200
_FEWEST = 8


def response_span(reference: Array, response: Monotone) -> float:
    """How far the response moves between the 5th and the 95th percentile of load.

    Args:
        reference: float64 [n], load or load per instance; NaN are left out.
        response: the signal's response to it.

    Returns:
        In the signal's unit, >= 0.
    """
    known = reference[np.isfinite(reference)]
    if not len(known):
        return 0.0
    low, high = response.at(np.quantile(known, (0.05, 0.95)))
    return abs(float(high - low))


def noise_ratio(signal: Array, tick_s: float, span: float, *, rng: np.random.Generator) -> Estimate:
    """Robust deviation from the local 15-minute line, over the response's span.

    Args:
        signal: float64 [n] decision values, NaN where missing.
        tick_s: grid width, seconds.
        span: the response's span, in the signal's unit.
        rng: source of randomness of the interval.

    Returns:
        Ratio, 0 for a noiseless signal; None where the response has no span.
    """
    reach = max(2, ticks_in(LINE_S, tick_s) // 2)
    return _deviation(signal - local_line(signal, reach), span, rng)


def scatter_ratio(
    reference: Array, signal: Array, response: Monotone, span: float, *, rng: np.random.Generator
) -> Estimate:
    """Robust deviation from the response to load, over the response's span.

    Args:
        reference: float64 [n], NaN where missing.
        signal: float64 [n] decision values, NaN where missing.
        response: the signal's response to `reference`.
        span: the response's span, in the signal's unit.
        rng: source of randomness of the interval.

    Returns:
        Ratio; None where the response has no span.
    """
    return _deviation(signal - response.at(reference), span, rng)


def snr_db(ratio: Estimate) -> Estimate:
    """The response's span over the noise, in decibels.

    Args:
        ratio: the `noise_ratio`.

    Returns:
        -20 log10 of it, the ends of the interval swapped; None where there is no noise or no ratio.
    """
    if ratio.value is None:
        return ratio
    if ratio.value == 0:
        return Estimate(None, reason="no noise at all")
    low = None if ratio.high is None else _decibels(ratio.high)
    high = None if ratio.low is None else _decibels(ratio.low)
    return Estimate(_decibels(ratio.value), low, high, extra=ratio.extra)


def _decibels(ratio: float) -> float | None:
    return -20 * float(np.log10(ratio)) if ratio > 0 else None


def _deviation(residual: Array, span: float, rng: np.random.Generator) -> Estimate:
    known = residual[np.isfinite(residual)]
    if len(known) < _FEWEST:
        return Estimate(None, determined=False, reason="too few ticks")
    if not span > 0:
        return Estimate(None, determined=False, reason="the signal does not respond to load")
    centred = np.abs(known - np.median(known))
    value = TO_SIGMA * float(np.median(centred)) / span
    low, high = _interval(centred, rng)
    scale = TO_SIGMA / span
    return Estimate(
        value,
        None if low is None else low * scale,
        None if high is None else high * scale,
        extra={"sigma": value * span, "span": span},
    )


def _interval(deviation: Array, rng: np.random.Generator) -> tuple[float | None, float | None]:
    """Interval of the median by drawing blocks."""
    block = block_length(deviation, len(deviation))
    ids = block_number(len(deviation), block)
    counts = draw_counts(int(ids[-1]) + 1, rng, _RESAMPLES)
    interval = percentile_interval(drawn_medians(deviation, ids, counts)[0])
    return interval if interval is not None else (None, None)
