"""What does averaging the signal buy in noise, what does it cost in lag, and which window is enough?

For trailing means of one tick to 15 minutes: the noise that is left, the lag that is added, and the error of the
instances that a ratio rule would order against the load of the moment. The suggested window is the shortest whose
error cannot be told from that of the best.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from signals.schema import Estimate, PanelColumn
from signals.series.grid import ticks_in
from signals.series.smooth import local_line
from signals.study.bootstrap import block_length, block_number
from signals.study.capacity import ROUNDING, floor_of
from signals.study.held_out import FEWEST, errors_by_rest, fold_bounds, judged_ticks
from signals.study.noise import LINE_S, TO_SIGMA
from signals.study.promql import window_query

__all__ = ["WindowCurve", "suggested_window_s", "window_curve", "window_sizes"]

Array = npt.NDArray[np.float64]
Ticks = npt.NDArray[np.int64]

WIDEST_S = 900.0
_MOST_SIZES = 20


@dataclass(frozen=True)
class WindowCurve:
    """What trailing means of the signal are worth, by their width.

    Attributes:
        window_s: float64 [m], width in seconds, rising.
        noise_ratio: float64 [m], noise over the response's span; NaN where it has none.
        lag_s: float64 [m], the signal's lag and half the window; NaN where the lag is not settled.
        capacity_error: float64 [m], mean held-out log error of a ratio rule; NaN with too few ticks.
        standard_error: of the smallest capacity error, in log units; NaN without one.
        suggested: index of the shortest window whose error is within one standard error of the smallest; None
            without one.
    """

    window_s: Array
    noise_ratio: Array
    lag_s: Array
    capacity_error: Array
    standard_error: float
    suggested: int | None


def window_sizes(tick_s: float) -> Ticks:
    """Widths of the windows that are tried: every one up to 15 minutes, or 20 in equal ratios.

    Args:
        tick_s: grid width, seconds.

    Returns:
        int64 [m], ticks, rising from 1.
    """
    widest = ticks_in(WIDEST_S, tick_s)
    if widest <= _MOST_SIZES:
        return np.arange(1, widest + 1)
    return np.unique(np.round(np.geomspace(1, widest, _MOST_SIZES)).astype(np.int64))


def window_curve(
    signal: Array,
    reference: Array,
    load: Array,
    tick_s: float,
    *,
    span: float,
    lag_s: float | None,
) -> WindowCurve:
    """Noise, lag and capacity error of trailing means of a signal.

    Args:
        signal: float64 [n], the ticks as they are, NaN where missing.
        reference: float64 [n] decision values of load (for a total) or load per instance (for an average).
        load: float64 [n] decision values of total load.
        tick_s: grid width, seconds.
        span: the response's span, in the signal's unit; the same for every window.
        lag_s: the signal's lag without averaging; None if it is not settled.

    Returns:
        The curve. Noise is the trailing mean of the deviations from the local line, which away from gaps is the
        deviation of the trailing mean. Errors are those of `ratio_errors`.

    Complexity: O(n) a window and fold.
    """
    sizes = window_sizes(tick_s)
    width_s = np.asarray(sizes * tick_s, dtype=np.float64)
    settled = 0.0 if lag_s is None else lag_s
    judge = _Judge(reference, load, tick_s, settled / tick_s)
    mean = _Trailing(signal)
    rest = _Trailing(signal - local_line(signal, max(2, ticks_in(LINE_S, tick_s) // 2)))
    errors = [judge.errors(mean.over(width)) for width in sizes.tolist()]
    size = np.array([_mean(part) for part in errors])
    noise = np.array([_deviation(rest.over(width), span) for width in sizes.tolist()])
    lag = np.full(len(sizes), np.nan if lag_s is None else lag_s) + (sizes - 1) / 2 * tick_s
    if not np.isfinite(size).any():
        return WindowCurve(width_s, noise, lag, size, float("nan"), None)
    best = int(np.nanargmin(size))
    doubt = _standard_error(np.abs(errors[best]))
    suggested = int(np.argmax(size <= size[best] + doubt))
    return WindowCurve(width_s, noise, lag, size, doubt, suggested)


class _Trailing:
    """Trailing means of one series over windows of any width, as `trailing_mean` gives them."""

    def __init__(self, values: Array) -> None:
        known = np.isfinite(values)
        self._values = values
        self._sums = np.concatenate(([0.0], np.cumsum(np.where(known, values, 0.0))))
        self._counts = None if known.all() else np.concatenate(([0.0], np.cumsum(known * 1.0)))

    def over(self, width: int) -> Array:
        """float64 [n]; NaN where less than half of the window has a value."""
        if width == 1:
            return self._values
        expected = np.minimum(np.arange(1, len(self._values) + 1), width)
        sums = _differences(self._sums, width)
        if self._counts is None:
            return sums / expected
        counts = _differences(self._counts, width)
        enough = (counts * 2 >= expected) & (counts > 0)
        return np.where(enough, sums / np.maximum(counts, 1), np.nan)


def _differences(total: Array, width: int) -> Array:
    """Sums over the last `width` values, fewer at the start, from running totals."""
    count = len(total) - 1
    late = min(width, count)
    result = total[1:].copy()
    result[late:] -= total[1 : count + 1 - late]
    return result


class _Judge:
    """The ticks and folds on which a ratio rule is judged; the same for every window of a signal."""

    def __init__(self, reference: Array, load: Array, tick_s: float, lag_ticks: float) -> None:
        busy, _ = judged_ticks(reference, load, load)
        self._ticks = np.flatnonzero(busy)
        self._needed = np.log(reference[self._ticks])
        self._bounds = fold_bounds(len(load), tick_s, lag_ticks)

    def errors(self, signal: Array) -> Array:
        """Held-out log errors in time order, without the ticks on which none is counted."""
        value = signal[self._ticks]
        known = np.isfinite(value)
        ticks, needed = self._ticks, self._needed
        if not known.all():
            value, ticks, needed = value[known], ticks[known], needed[known]
        errors = errors_by_rest(_logarithm(value, signal) - needed, ticks, self._bounds)
        errors = errors[np.isfinite(errors)]
        errors[np.abs(errors) < ROUNDING] = 0.0
        return errors


def _logarithm(values: Array, signal: Array) -> Array:
    """Natural logarithm; of what is not above zero, that of a hundredth of the usual."""
    if (values > 0).all():
        return np.asarray(np.log(values))
    return np.asarray(np.log(np.where(values > 0, values, floor_of(signal))))


def _mean(errors: Array) -> float:
    return float(np.abs(errors).mean()) if len(errors) >= FEWEST else float("nan")


def _deviation(residual: Array, span: float) -> float:
    there = np.isfinite(residual)
    known = residual if there.all() else residual[there]
    if len(known) < FEWEST or not span > 0:
        return float("nan")
    return TO_SIGMA * float(np.median(np.abs(known - np.median(known)))) / span


def _standard_error(sizes: Array) -> float:
    """Of the mean of values in time order, from the spread of blocks as long as they resemble each other."""
    ids = block_number(len(sizes), block_length(sizes, len(sizes)))
    blocks = int(ids[-1]) + 1
    if blocks < 2:
        return 0.0
    sums = np.bincount(ids, weights=sizes - sizes.mean())
    return float(np.sqrt(sums @ sums * blocks / (blocks - 1))) / len(sizes)


def suggested_window_s(curve: WindowCurve, column: PanelColumn) -> Estimate:
    """The shortest window that is as good as the best, with what it costs and how to ask for it.

    Args:
        curve: of the signal.
        column: the signal's description, for the query.

    Returns:
        Seconds. `extra`: `noise_ratio`, `lag_s` and `capacity_error` of that window, `one_tick_noise_ratio` and
        `one_tick_capacity_error` without averaging, `best_window_s` (of the smallest error),
        `standard_error` (of that error, log units), `promql`.
    """
    at = curve.suggested
    if at is None:
        return Estimate(None, determined=False, reason="too few held-out ticks")
    window_s = float(curve.window_s[at])
    # a value of a counter covers its own window already
    covered = max(0.0, column.window_s - float(curve.window_s[0]))
    return Estimate(
        window_s,
        extra={
            "noise_ratio": _known(curve.noise_ratio[at]),
            "lag_s": _known(curve.lag_s[at]),
            "capacity_error": float(curve.capacity_error[at]),
            "one_tick_noise_ratio": _known(curve.noise_ratio[0]),
            "one_tick_capacity_error": _known(curve.capacity_error[0]),
            "best_window_s": float(curve.window_s[int(np.nanargmin(curve.capacity_error))]),
            "standard_error": curve.standard_error,
            "promql": window_query(column, window_s + covered),
        },
    )


def _known(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
