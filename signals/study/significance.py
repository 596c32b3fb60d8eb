"""How many independent pairs are autocorrelated series worth, and what follows for p-values and intervals.

Neighbouring ticks are alike; counting each of them makes chance look like certainty.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from signals.schema import Estimate
from signals.series.recall import remembered

__all__ = [
    "adjust_p_values",
    "autocorrelation",
    "bartlett_size",
    "effective_size",
    "fisher_interval",
    "independent_pairs",
    "long_run_variance",
    "pearson_p_value",
    "significant_correlation",
]

Array = npt.NDArray[np.float64]

_FITTED = 2.0
"""Pairs that go into the means around which autocorrelations are taken."""


@remembered(6)
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


def long_run_variance(values: Array) -> float:
    """Variance of the mean of a series, times its length.

    Args:
        values: float64 [n], no NaN.

    Returns:
        The variance times 1 + 2 sum of (1 - k / n) a_k, the sum cut where the first autocorrelation is under
        2 / sqrt(n); at least a thousandth of the variance.
    """
    count = len(values)
    reach = min(count // 4, count - 2)
    if reach < 1:
        return float(values.var())
    a = autocorrelation(values, reach)
    keep = _until_small(a, a, count)
    weight = 1 - np.arange(reach + 1)[keep] / count
    return float(values.var() * max(1 + 2 * float(weight @ a[keep]), 1e-3))


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


def bartlett_size(x: Array, y: Array) -> float:
    """Independent pairs that two series are worth whatever form their autocorrelation has.

    Args:
        x: float64 [n], no NaN.
        y: float64 [n], no NaN.

    Returns:
        n / (1 + 2 sum of (1 - k / n) a_k b_k), the sum cut where the first autocorrelation is under
        2 / sqrt(n); between 1 and n.

    Source: Bartlett 1935.
    """
    count = len(x)
    reach = min(count // 4, count - 2)
    if reach < 1:
        return float(count)
    a, b = autocorrelation(x, reach), autocorrelation(y, reach)
    keep = _until_small(a, b, count)
    weight = 1 - np.arange(reach + 1)[keep] / count
    return float(np.clip(count / max(1 + 2 * float(weight @ (a * b)[keep]), 1e-9), 1.0, count))


def independent_pairs(x: Array, y: Array) -> float:
    """Independent pairs that two series are worth, for p-values.

    Bartlett's sum holds for any form of autocorrelation: a slow series under white noise, for which the lag-1
    form rejects unrelated series in 15 to 55 % of trials, or an averaged one, for which it never does. Two
    pairs are taken off, as autocorrelations around a fitted mean come out too small; that matters where few
    are left, such as the one cycle of a day.

    Args:
        x: float64 [n], no NaN.
        y: float64 [n], no NaN.

    Returns:
        Between 1 and n - 2.
    """
    return max(bartlett_size(x, y) - _FITTED, 1.0)


def _until_small(a: Array, b: Array, count: int) -> slice:
    """Lags from 1 to the last before an autocorrelation is no longer told from none."""
    limit = 2 / np.sqrt(count)
    small = (np.abs(a) < limit) | (np.abs(b) < limit)
    cut = int(np.argmax(small)) if small.any() else len(a)
    return slice(1, max(cut, 1))


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


def significant_correlation(n_eff: float, *, tried: int = 1, level: float = 0.05) -> float:
    """The least correlation that is significant, the inverse of `pearson_p_value`.

    Args:
        n_eff: effective pairs.
        tried: correlations among which the largest was chosen (Sidak).
        level: of significance.

    Returns:
        In [0, 1]; 1 with two or fewer effective pairs, where none is.
    """
    from scipy.special import stdtrit

    freedom = n_eff - 2
    if freedom <= 0:
        return 1.0
    single = -np.expm1(np.log1p(-level) / tried)
    t = float(stdtrit(freedom, 1 - single / 2))
    return t / float(np.sqrt(freedom + t * t))


def fisher_interval(
    x: Array, y: Array, correlation: float, *, share: float = 1.0
) -> tuple[float, float]:
    """95 % interval of a correlation of autocorrelated series: Fisher's z with the variance of Roy.

    The variance is estimated from as many independent pairs as the series are worth, and Student's t with two fewer
    degrees of freedom allows for that: with ten pairs the normal quantile holds the truth in 86 %.

    Args:
        x: float64 [n], no NaN.
        y: float64 [n], no NaN.
        correlation: theirs.
        share: part of the pairs that is left after what was fitted before, in (0, 1].

    Returns:
        Its ends; the correlation itself where that is 1 or -1.

    Source: Bartlett 1935, Roy 1989.
    """
    from scipy.special import stdtrit

    r = correlation
    rest = 1 - r * r
    if rest < 1e-12:
        return r, r
    variance = min(_roy_variance(x, y, r) / rest**2 / share, 1e3)
    freedom = max(share * bartlett_size(x, y) - _FITTED, 1.0)
    half = float(stdtrit(freedom, 0.975) * np.sqrt(variance))
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
    keep = _until_small(xx, yy, count)
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
    adjusted = iter(_benjamini_hochberg(np.array(known)))
    return [
        estimate
        if p is None
        else replace(estimate, extra={**estimate.extra, "p_adjusted": float(next(adjusted))})
        for estimate, p in zip(estimates, p_values, strict=True)
    ]


def _benjamini_hochberg(p_values: Array) -> Array:
    """Each p-value times tests over its rank, or what a larger one comes to if that is less.

    The library that has it too takes a second to import.
    """
    order = np.argsort(p_values)
    scaled = p_values[order] * len(order) / np.arange(1, len(order) + 1)
    adjusted = np.empty(len(order))
    adjusted[order] = np.minimum(np.minimum.accumulate(scaled[::-1])[::-1], 1.0)
    return adjusted


def _p_value(extra: Mapping[str, float | int | str | bool | None]) -> float | None:
    value = extra.get("p_value")
    return float(value) if isinstance(value, int | float) else None
