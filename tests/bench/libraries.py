"""The default measures of one signal by statsmodels, scipy, arch and ruptures, as a plain loop over them.

What a statistician writes who knows these libraries and not this program: the same measures, as many resamples,
the same lags and shifts. Where no library has a measure, its interval at least is drawn by arch.
"""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import statsmodels.api as sm
from arch.bootstrap import CircularBlockBootstrap, MovingBlockBootstrap, optimal_block_length
from ruptures import KernelCPD
from scipy import optimize, signal, stats
from statsmodels.stats.dist_dependence_measures import distance_statistics
from statsmodels.tsa.stattools import acf, ccf, grangercausalitytests

from signals.study.panel import Observed

__all__ = ["library_measures"]

Array = np.ndarray

DAY = 1440
REACH = 30
QUARTER = 15


def library_measures(observed: Observed) -> dict[str, float]:
    """Every default measure of a signal on a week of complete minutes.

    Args:
        observed: the signal beside its load.

    Returns:
        Values by measure, for a look whether they are those of this program.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        x, y = observed.reference, observed.signal
        found = lag(x, y)
        found |= association(x, y, int(found["lag_ticks"]))
        found |= granger(x, y)
        found |= response(x, y)
        found |= capacity(x, y, observed.load)
        found |= steering(x, y)
        return found


def block(series: Array) -> int:
    """Twice the length of Politis and White, at least the cube root of the ticks."""
    length = optimal_block_length(series)["circular"].iloc[0]
    return int(np.clip(max(2 * length, len(series) ** (1 / 3)), 1, len(series) / 20))


def interval(statistic, draws: int, *arrays: Array, length: int | None = None) -> Array:
    """The middle 95 % of a statistic over block resamples."""
    bootstrap = CircularBlockBootstrap(length or block(arrays[-1]), *arrays, seed=1)
    return np.quantile(bootstrap.apply(statistic, draws), (0.025, 0.975), axis=0)


def beyond_day(values: Array, day: int = DAY) -> Array:
    """What the mean day leaves."""
    place = np.arange(len(values)) % day
    return values - pd.Series(values).groupby(place).transform("mean").to_numpy()


def lag(x: Array, y: Array) -> dict[str, float]:
    """Peak of the cross-correlation, drawn 1,000 times over all lags."""
    u, v = beyond_day(x), beyond_day(y)
    later, earlier = ccf(v, u, nlags=REACH + 1), ccf(u, v, nlags=REACH + 1)
    curve = np.concatenate((earlier[:0:-1], later))
    rows = np.lib.stride_tricks.sliding_window_view(u, 2 * REACH + 1)

    def peak(rows: Array, v: Array) -> float:
        centred, other = rows - rows.mean(axis=0), v - v.mean()
        return float(np.argmax(centred.T @ other / np.sqrt((centred**2).sum(axis=0))))

    interval(peak, 1_000, rows, v[REACH:-REACH])
    return {"lag_ticks": float(np.argmax(np.abs(curve))) - REACH}


def association(x: Array, y: Array, ticks: int) -> dict[str, float]:
    """Correlations with their effective sizes, and distance correlation against circular shifts."""
    first = max(ticks, 0)
    x, y = x[: len(x) - first], y[first:]
    found = {}
    pairs = {
        "pearson": (x, y),
        "spearman": (stats.rankdata(x), stats.rankdata(y)),
        "partial": (beyond_day(x), beyond_day(y)),
    }
    for name, (u, v) in pairs.items():
        reach = len(u) // 4
        found[name] = stats.pearsonr(u, v).statistic
        a, b = acf(u, nlags=reach, fft=True), acf(v, nlags=reach, fft=True)
        size = len(u) / (1 + 2 * float(a[1:] @ b[1:]))
        forward, backward = ccf(u, v, nlags=reach + 1), ccf(v, u, nlags=reach + 1)
        spread = float((a * a + b * b + forward**2 + backward**2).sum())
        stats.t.sf(abs(found[name]), max(size, 3)), np.sqrt(spread / len(u))
    u, v = x[:: len(x) // 400 + 1], y[:: len(y) // 400 + 1]
    found["distance_corr"] = distance_statistics(u, v).distance_correlation
    for shift in range(20, len(u) - 20):
        distance_statistics(u, np.roll(v, shift))
    return found


def granger(x: Array, y: Array) -> dict[str, float]:
    """Both ways at all orders to 15, and against 199 circular shifts at order 2."""
    u, v = beyond_day(x), beyond_day(y)
    for pair in ((u, v), (v, u)):
        found = grangercausalitytests(np.stack(pair, axis=1), 15)
        own = np.stack([np.roll(pair[0], lag) for lag in (1, 2)], axis=1)
        for shift in np.linspace(500, len(u) - 500, 199).astype(int):
            moved = np.roll(pair[1], shift)
            other = np.stack([np.roll(moved, lag) for lag in (1, 2)], axis=1)
            sm.OLS(pair[0], np.hstack((own, other))).fit().ssr  # noqa: B018 - only its time counts
    return {"granger_f": found[15][0]["ssr_ftest"][0]}


def fit(x: Array, y: Array) -> tuple[Array, Array]:
    """Isotonic regression in the order of x."""
    order = np.argsort(x)
    return x[order], optimize.isotonic_regression(y[order]).x


def sixths(x: Array, y: Array) -> float:
    """Slope of ln y on ln x between the outer sixths."""
    order, few = np.argsort(x), len(x) // 6
    low, high = order[:few], order[-few:]
    return float(np.log(y[high].mean() / y[low].mean()) / np.log(x[high].mean() / x[low].mean()))


def difference(x: Array, y: Array) -> float:
    """The same of deviations."""
    order, few = np.argsort(x), len(x) // 6
    low, high = order[:few], order[-few:]
    return float((y[high].mean() - y[low].mean()) / (x[high].mean() - x[low].mean()))


def straightness(x: Array, y: Array) -> float:
    """Squared correlation of 24 bin means."""
    order = np.argsort(x)
    means = [[part.mean() for part in np.array_split(values[order], 24)] for values in (x, y)]
    return float(stats.pearsonr(*means).statistic ** 2)


def response(x: Array, y: Array) -> dict[str, float]:
    """Noise, scatter, slopes, proportions and the bend."""
    curve = fit(x, y)
    low, high = np.interp(np.quantile(x, (0.05, 0.95)), *curve)
    rest = np.abs(y - signal.savgol_filter(y, 15, 1))
    scatter = np.abs(y - np.interp(x, *curve))
    for deviation in (rest, scatter):
        interval(np.median, 200, deviation)
    means = [values.reshape(-1, QUARTER).mean(axis=1) for values in (x, y)]
    beyond = [beyond_day(part, DAY // QUARTER) / part.mean() for part in means]
    for statistic in (sixths, straightness):
        MovingBlockBootstrap(4, *means, seed=1).apply(statistic, 400)
    CircularBlockBootstrap(16, *beyond, seed=1).apply(difference, 400)
    decile = pd.qcut(x, 10, labels=False)

    def proportion(ratio: Array, decile: Array) -> float:
        medians = pd.Series(ratio).groupby(decile).median()
        return float(medians.max() / medians.min())

    interval(proportion, 200, decile, y / x, length=block(y / x))
    for at in np.quantile(means[0], np.linspace(0.05, 0.95, 50)):
        hinge = np.maximum(means[0] - at, 0)
        sm.OLS(means[1], sm.add_constant(np.column_stack((means[0], hinge)))).fit()
    slope = pd.Series(x).diff(QUARTER).to_numpy()
    for part in (slope > np.nanquantile(slope, 0.8), slope < np.nanquantile(slope, 0.2)):
        fit(x[part], y[part])
    return {"elasticity": sixths(*means), "noise": float(np.median(rest)) / abs(high - low)}


def held_out(ratio: Array) -> Array:
    """Errors of each day by the median of the other days."""
    errors = np.empty_like(ratio)
    for day in range(len(ratio) // DAY):
        part = slice(day * DAY, (day + 1) * DAY)
        rest = np.concatenate((ratio[: max(0, part.start - 15)], ratio[part.stop + 15 :]))
        errors[part] = ratio[part] - np.median(rest)
    return errors


def capacity(x: Array, y: Array, load: Array) -> dict[str, float]:
    """Errors of a ratio rule and of a calibrated one, and of the parts of the span."""
    ratio = np.log(y / x)
    errors = held_out(ratio)
    learned = np.empty_like(ratio)
    for day in range(len(ratio) // DAY):
        held = np.zeros(len(x), dtype=bool)
        held[day * DAY : (day + 1) * DAY] = True
        learned[held] = np.interp(y[held], *fit(y[~held], np.log(x[~held]))) - np.log(x[held])
    held_out(np.log(1 / x))

    def spread(errors: Array) -> float:
        return float(np.abs(errors - np.median(errors)).mean())

    needed = 10 * load / np.quantile(load, 0.95)
    missed = np.abs(np.ceil(needed * np.exp(errors)) - np.ceil(needed))
    peak = load > np.quantile(load, 0.95)
    interval(spread, 200, errors)
    for sizes in (np.abs(learned), missed):
        interval(np.mean, 200, sizes)
    for mask in (peak, np.gradient(load) > 0):
        interval(lambda mask, errors: errors[mask].mean(), 200, mask, errors)
    for part in (*np.array_split(np.arange(len(x)), 7), *np.array_split(np.argsort(x), 3)):
        np.abs(errors[part]).mean(), sixths(x[part], y[part])
    return {"capacity_error": float(np.abs(errors).mean())}


def steering(x: Array, y: Array) -> dict[str, float]:
    """Answers to sudden changes, averaging windows and changes of mind."""
    scaled = (x - x.mean()) / (1.4826 * stats.median_abs_deviation(np.diff(x)) / np.sqrt(2))
    edges = KernelCPD(kernel="linear", min_size=8).fit(scaled).predict(pen=3 * np.log(len(x)))
    for level in np.split(y, edges[:-1]):
        np.median(level), stats.median_abs_deviation(level)
    rest = y - signal.savgol_filter(y, 15, 1)
    for width in range(1, 16):
        mean = pd.Series(y).rolling(width, min_periods=1).mean().to_numpy()
        held_out(np.log(mean / x))
        stats.median_abs_deviation(pd.Series(rest).rolling(width, min_periods=1).mean())
    count, before, flaps = 10.0, (0, 0), np.zeros(len(y))
    for minute, wish in enumerate((10 * y / np.quantile(y, 0.95)).tolist()):
        if abs(wish / count - 1) > 0.1 and (new := max(1.0, np.ceil(wish))) != count:
            way = 1 if new > count else -1
            flaps[minute] = way == -before[0] and minute - before[1] < QUARTER
            count, before = new, (way, minute)
    interval(np.mean, 200, flaps)
    return {"flaps": float(flaps.sum())}
