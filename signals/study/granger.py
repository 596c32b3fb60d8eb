"""Does the past of one series help to predict the other beyond what its own past tells?

Asked both ways, on levels without the shape of the day. All orders come from sub-blocks of one matrix of
cross-products: each leading block of its Cholesky factor is a regression. Information only: averaging and
aggregation alone make either series look as if it led.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from signals.schema import Estimate
from signals.series.grid import whole_days
from signals.series.smooth import DAYS_FOR_SHAPE, detrend

__all__ = ["MOST_TICKS", "Orders", "granger", "granger_orders"]

Array = npt.NDArray[np.float64]

MOST_TICKS = 15
"""Highest order tried."""
_ROWS_PER_TERM = 4
"""Rows that each coefficient of the highest order takes."""
_PIVOT = 1e-10
"""Share of a lag that has to be left after those before it; less is a repetition of them."""
_ROUNDING = 1e-9
_SHIFTS = 199
_EDGE = 0.05
"""Share of the shifts on either side of none that are left out."""
_SIGNIFICANCE = 0.05


@dataclass(frozen=True)
class Orders:
    """The regressions of all orders on one sample, both ways.

    Attributes:
        rows: ticks that have all lags, the same for every order.
        own: float64 [2, orders], residual squares of y, then of x, on its own lags 1 to the order.
        both: float64 [2, orders], the same on the lags of both.
        bic: float64 [orders], of the two regressions on both together.
    """

    rows: int
    own: Array
    both: Array
    bic: Array

    def f_values(self, share: float = 1.0) -> Array:
        """F of the other's lags.

        Args:
            share: part of the rows that is left after what was fitted before.

        Returns:
            float64 [2, orders]: whether x helps y, then whether y helps x.
        """
        order = np.arange(1, len(self.bic) + 1)
        freedom = share * self.rows - 2 * order - 1
        gain = np.maximum(self.own - self.both, 0.0)
        return np.asarray(gain / order / (self.both / freedom), dtype=np.float64)


def granger_orders(y: Array, x: Array, most: int = MOST_TICKS) -> Orders | None:
    """Regressions of all orders, from one matrix of cross-products.

    Args:
        y: float64 [n], NaN where missing.
        x: float64 [n], NaN where missing.
        most: highest order, ticks.

    Returns:
        None with too few complete rows, or where a lag repeats those before it.

    Complexity: O(n most^2), for all orders and both ways together.
    """
    lags = _lags(y, x, most)
    terms = 1 + 2 * most
    rows = lags.shape[1]
    if rows < _ROWS_PER_TERM * terms:
        return None
    products = lags @ lags.T
    # constant, lags of both from the nearest to the farthest, then what is predicted
    whole = _factor(products, [0, *range(3, terms + 2), 1, 2])
    parts = [_factor(products, [0, *range(first + 2, terms + 2, 2), first]) for first in (1, 2)]
    if whole is None or parts[0] is None or parts[1] is None:
        return None
    order = np.arange(1, most + 1)
    y_row, x_row = whole[-2], whole[-1]
    yy, xx, yx = (
        _left(a, b)[1 + 2 * order] for a, b in ((y_row, y_row), (x_row, x_row), (y_row, x_row))
    )
    own = np.stack([_left(part[-1], part[-1])[1 + order] for part in parts if part is not None])
    spread = np.maximum(yy * xx - yx * yx, np.finfo(float).tiny) / rows**2
    bic = rows * np.log(spread) + 2 * (2 * order + 1) * np.log(rows)
    return Orders(rows, own, np.stack((yy, xx)), bic)


def _lags(y: Array, x: Array, most: int) -> Array:
    """Columns (1, y_t, x_t, y_t-1, x_t-1, ...) of the ticks on which none is missing, [3 + 2 most, rows]."""
    lags = np.ones((3 + 2 * most, max(len(y) - most, 0)))
    if not lags.size:
        return lags
    for place, series in enumerate((y, x)):
        # in units of their spread, so that cross-products of both are of one size
        scaled = (series - np.nanmean(series)) / np.nanstd(series)
        for lag in range(most + 1):
            lags[1 + place + 2 * lag] = scaled[most - lag : len(y) - lag]
    known = np.isfinite(lags.sum(axis=0))
    return lags if known.all() else lags[:, known]


def _factor(products: Array, order: list[int]) -> Array | None:
    """Lower Cholesky factor of the cross-products in an order; None where one repeats those before."""
    block = products[np.ix_(order, order)]
    try:
        factor = np.linalg.cholesky(block)
    except np.linalg.LinAlgError:
        return None
    if np.any(np.diag(factor) ** 2 < _PIVOT * np.diag(block)):
        return None
    return np.asarray(factor, dtype=np.float64)


def _left(a: Array, b: Array) -> Array:
    """Products of residuals after the first 0, 1, 2, ... columns, from two rows of the factor."""
    return np.cumsum((a * b)[::-1])[::-1]


def granger(load: Array, signal: Array, tick_s: float) -> Estimate:
    """Whether the signal's past helps to predict load, and the reverse.

    Args:
        load: float64 [n], NaN where missing.
        signal: float64 [n] on the same ticks, NaN where missing.
        tick_s: grid width, seconds.

    Returns:
        p-value of the F test that the signal's last ticks say nothing about the next load, at the order with
        the least BIC. Not determined where circular shifts of the signal disagree with it at 5 %. `extra`:
        `order_ticks`, `rows`, `p_value`, `f_value`, `gain_ratio` (share of the residual squares that the
        signal's past removes), `p_shifts`; `reverse_...` the same for load's past and the signal.

    Source: Granger 1969; the daily shape costs 1 / D of the degrees of freedom.
    """
    y, x = _levels(load, tick_s), _levels(signal, tick_s)
    if y is None or x is None:
        return Estimate(None, determined=False, reason="constant series")
    orders = granger_orders(y, x)
    if orders is None:
        return Estimate(
            None, determined=False, reason="too few complete rows, or one series repeats the other"
        )
    days = whole_days(len(load), tick_s)
    share = (days - 1) / days if days >= DAYS_FOR_SHAPE else 1.0
    order = int(np.argmin(orders.bic)) + 1
    ways = (_way(orders, 0, order, share), _way(orders, 1, order, share))
    shifts = _shifted(y, x, order)
    p_value = ways[0]["p_value"]
    agree = (p_value < _SIGNIFICANCE) == (shifts[0] < _SIGNIFICANCE)
    return Estimate(
        p_value,
        determined=agree,
        reason="" if agree else "circular shifts of the signal disagree with the F test",
        extra={
            "order_ticks": order,
            "rows": orders.rows,
            **ways[0],
            "p_shifts": shifts[0],
            **{f"reverse_{name}": value for name, value in ways[1].items()},
            "reverse_p_shifts": shifts[1],
        },
    )


def _levels(values: Array, tick_s: float) -> Array | None:
    """Levels without the daily shape (with three days, else without two waves of the span)."""
    known = np.isfinite(values)
    if not known.any():
        return None
    left = detrend(values, tick_s)
    if not np.nanstd(left) > _ROUNDING * float(np.abs(values[known]).max()):
        return None
    return left


def _way(orders: Orders, way: int, order: int, share: float) -> dict[str, float]:
    from scipy.special import fdtrc

    f_value = float(orders.f_values(share)[way, order - 1])
    freedom = share * orders.rows - 2 * order - 1
    own, both = orders.own[way, order - 1], orders.both[way, order - 1]
    return {
        "p_value": float(fdtrc(order, freedom, f_value)),
        "f_value": f_value,
        "gain_ratio": float(max(1 - both / own, 0.0)),
    }


def _shifted(y: Array, x: Array, order: int) -> tuple[float, float]:
    """Share of circular shifts of x whose lags help y as much as those of x itself; the same of y and x.

    On a circle the cross-products of every shift are entries of the same three circular correlations.
    """
    count = len(y)
    of_y, of_x = (np.fft.rfft(np.nan_to_num(s - np.nanmean(s))) for s in (y, x))
    yy = np.fft.irfft(of_y * np.conj(of_y), count)
    xx = np.fft.irfft(of_x * np.conj(of_x), count)
    yx = np.fft.irfft(of_y * np.conj(of_x), count)
    return _as_helpful(yy, xx, yx, order), _as_helpful(xx, yy, np.roll(yx[::-1], 1), order)


def _as_helpful(yy: Array, xx: Array, yx: Array, order: int) -> float:
    """From circular correlations, of which entry h of `yx` is the sum of y_t x_(t - h)."""
    count = len(yy)
    edge = max(order, round(_EDGE * count))
    steps = np.linspace(edge, count - edge, _SHIFTS).astype(int)
    steps = np.concatenate(([0], steps))
    lag = np.arange(1, order + 1)
    apart = lag[:, None] - lag
    own, other = yy[apart], xx[apart]
    cross = yx[(lag[None, :, None] * -1 + lag + steps[:, None, None]) % count]
    # what the own lags leave of the other's lags, and of y
    weights = np.linalg.solve(own, np.moveaxis(cross, 0, 1).reshape(order, -1))
    weights = np.moveaxis(weights.reshape(order, len(steps), order), 1, 0)
    rest = other - np.swapaxes(cross, 1, 2) @ weights
    target = yx[(lag + steps[:, None]) % count] - yy[lag] @ weights
    gain = np.einsum("sp,sp->s", target, np.linalg.solve(rest, target[:, :, None])[:, :, 0])
    return float((1 + (gain[1:] >= gain[0]).sum()) / len(steps))
