"""Does the signal go with load, and could that be chance?

Series whose neighbours are alike hold fewer independent pairs than ticks; p-values and intervals count the
effective ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt
from statsmodels.stats.multitest import fdrcorrection

from signals.schema import Estimate
from signals.series.align import pairs_at_lag

__all__ = [
    "adjust_p_values",
    "autocorrelation",
    "effective_size",
    "is_constant",
    "pearson",
    "pearson_p_value",
    "spearman",
]

Array = npt.NDArray[np.float64]

_Z95 = 1.959963984540054


def pearson(load: Array, signal: Array, lag: int = 0) -> Estimate:
    """Linear association at a lag.

    Args:
        load: float64 [n], NaN where missing.
        signal: float64 [n] on the same ticks, NaN where missing.
        lag: ticks by which the signal trails load.

    Returns:
        Correlation in [-1, 1] with Fisher's interval; None for a constant. `extra`: `pairs`, `n_eff`,
        `p_value`, `lag_ticks`.
    """
    return _associate(*pairs_at_lag(load, signal, lag), lag)


def spearman(load: Array, signal: Array, lag: int = 0) -> Estimate:
    """Monotone association at a lag: Pearson's correlation of the ranks.

    Args:
        load: float64 [n], NaN where missing.
        signal: float64 [n] on the same ticks, NaN where missing.
        lag: ticks by which the signal trails load.

    Returns:
        As `pearson`.
    """
    x, y = pairs_at_lag(load, signal, lag)
    return _associate(_ranks(x), _ranks(y), lag)


def _ranks(values: Array) -> Array:
    """Ranks from 1, equal values sharing their mean rank."""
    _, place, sizes = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(sizes)
    return np.asarray((last - (sizes - 1) / 2)[place], dtype=np.float64)


def _associate(x: Array, y: Array, lag: int) -> Estimate:
    if len(x) < 3:
        return Estimate(None, determined=False, reason="fewer than three pairs")
    if is_constant(x) or is_constant(y):
        return Estimate(
            None,
            determined=False,
            reason="constant series",
            extra={"pairs": len(x), "lag_ticks": lag},
        )
    r = float(np.clip(np.corrcoef(x, y)[0, 1], -1.0, 1.0))
    n_eff = effective_size(x, y)
    low, high = _fisher_interval(x, y, r)
    extra = {
        "pairs": len(x),
        "n_eff": n_eff,
        "p_value": pearson_p_value(r, n_eff),
        "lag_ticks": lag,
    }
    return Estimate(r, low, high, extra=extra)


def is_constant(values: Array) -> bool:
    """Whether a series never moves by more than rounding.

    Args:
        values: float64 [n]; NaN are left out.

    Returns:
        True also for a series without a value.
    """
    known = values[np.isfinite(values)]
    if not len(known):
        return True
    return float(np.ptp(known)) <= 1e-12 * float(np.abs(known).max())


def autocorrelation(values: Array, reach: int) -> Array:
    """Autocorrelations at lags 0 to `reach`.

    Args:
        values: float64 [n]; pairs with NaN are left out.
        reach: largest lag, < n.

    Returns:
        float64 [reach + 1], 1 at lag 0; products are summed over what overlaps and divided by the whole
        sum of squares.
    """
    known = np.isfinite(values)
    centred = np.where(known, values - values[known].mean(), 0.0)
    power = float(centred @ centred)
    if power == 0:
        return np.concatenate(([1.0], np.zeros(reach)))
    size = 1 << int(np.ceil(np.log2(len(centred) + reach + 1)))
    spectrum = np.fft.rfft(centred, size)
    products = np.fft.irfft(spectrum * np.conj(spectrum), size)[: reach + 1]
    return np.asarray(products / power, dtype=np.float64)


def effective_size(x: Array, y: Array, *, pairs: int | None = None) -> float:
    """Independent pairs that two autocorrelated series are worth.

    Args:
        x: float64 [n].
        y: float64 [n]; NaN are left out.
        pairs: pairs that the correlation was taken over; n if None.

    Returns:
        n (1 - a b) / (1 + a b), a and b the lag-1 autocorrelations; between 1 and n.
    """
    count = len(x) if pairs is None else pairs
    product = _lag_one(x) * _lag_one(y)
    return float(np.clip(count * (1 - product) / (1 + product), 1.0, count))


def _lag_one(values: Array) -> float:
    known = np.isfinite(values)
    centred = np.where(known, values - values[known].mean(), 0.0)
    power = float(centred @ centred)
    return float(centred[1:] @ centred[:-1]) / power if power > 0 else 0.0


def pearson_p_value(correlation: float, n_eff: float) -> float:
    """Two-sided p-value of a correlation over `n_eff` independent pairs.

    Args:
        correlation: in [-1, 1].
        n_eff: effective pairs.

    Returns:
        In [0, 1]; 1 with two or fewer effective pairs.
    """
    from scipy.special import stdtr

    freedom = n_eff - 2
    if freedom <= 0:
        return 1.0
    rest = 1 - correlation**2
    if rest <= 0:
        return 0.0
    return float(2 * stdtr(freedom, -abs(correlation) * np.sqrt(freedom / rest)))


def _fisher_interval(x: Array, y: Array, r: float) -> tuple[float | None, float | None]:
    """Fisher's z with the variance of a correlation of autocorrelated series (Bartlett, Roy)."""
    rest = 1 - r * r
    if rest < 1e-12:
        return r, r
    variance = min(_roy_variance(x, y, r) / rest**2, 1e3)
    half = _Z95 * float(np.sqrt(variance))
    return float(np.tanh(np.arctanh(r) - half)), float(np.tanh(np.arctanh(r) + half))


def _roy_variance(x: Array, y: Array, r: float) -> float:
    """Variance of the sample correlation, autocorrelations cut where the first becomes insignificant."""
    count = len(x)
    reach = min(count // 4, count - 2)
    floor = (1 - r * r) ** 2 / count
    if reach < 1:
        return floor
    xx, yy = autocorrelation(x, reach), autocorrelation(y, reach)
    forward, backward = _cross(x, y, reach)
    limit = 2 / np.sqrt(count)
    small = (np.abs(xx) < limit) | (np.abs(yy) < limit)
    cut = int(np.argmax(small)) if small.any() else reach + 1
    keep = slice(1, max(cut, 1))
    weight = (count - np.arange(reach + 1)[keep]) / count
    a, b, f, g = xx[keep], yy[keep], forward[keep], backward[keep]
    terms = (
        r * r * (a * a + b * b + f * f + g * g) - 2 * r * (a + b) * (f + g) + 2 * (a * b + f * g)
    )
    return max(float(floor + weight @ terms / count), floor)


def _cross(x: Array, y: Array, reach: int) -> tuple[Array, Array]:
    """Cross-correlations with y later, and with x later, by 0 to `reach` ticks."""
    u, v = x - x.mean(), y - y.mean()
    scale = np.sqrt(float(u @ u) * float(v @ v))
    size = 1 << int(np.ceil(np.log2(len(u) + reach + 1)))
    product = np.conj(np.fft.rfft(u, size)) * np.fft.rfft(v, size)
    sums = np.fft.irfft(product, size)
    forward = sums[: reach + 1]
    backward = np.concatenate((sums[:1], sums[-1 : -reach - 1 : -1]))
    return forward / scale, backward / scale


def adjust_p_values(estimates: Sequence[Estimate]) -> list[Estimate]:
    """Correct the p-values of one test over many signals for their number (Benjamini-Hochberg).

    Args:
        estimates: of the same measure, one per signal; those without a p-value stay as they are.

    Returns:
        The same estimates with `p_adjusted` in `extra`.
    """
    p_values = [_p_value(estimate.extra) for estimate in estimates]
    known = [p for p in p_values if p is not None]
    if not known:
        return list(estimates)
    adjusted = iter(fdrcorrection(known)[1])
    return [
        estimate
        if p is None
        else replace(estimate, extra={**estimate.extra, "p_adjusted": float(next(adjusted))})
        for estimate, p in zip(estimates, p_values, strict=True)
    ]


def _p_value(extra: Mapping[str, float | int | str | bool | None]) -> float | None:
    value = extra.get("p_value")
    return float(value) if isinstance(value, int | float) else None
