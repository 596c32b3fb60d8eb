"""Does the signal depend on load in any way, whatever its form?

Distance correlation is 0 only for independent series, while Pearson's and Spearman's miss what rises and
falls. Chance is told by circular shifts, which keep the autocorrelation of each series and break the tie
between the two.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from signals.schema import Estimate
from signals.series.align import pairs_at_lag
from signals.series.recall import remembered
from signals.study.association import is_constant
from signals.study.significance import long_run_variance

__all__ = ["MOST_PAIRS", "distance_corr", "shifted_covariances"]

Array = npt.NDArray[np.float64]
Spectra = npt.NDArray[np.complex128]

MOST_PAIRS = 400
"""Pairs that take part. More are thinned to every k-th: neighbours of a longer series say little more."""
_FEWEST_PAIRS = 20
_EDGE = 0.05
"""Share of the shifts on either side of none that are left out: so close, the tie is not broken."""
_SIGNIFICANCE = 0.05
_Z95 = 1.959963984540054


def distance_corr(load: Array, signal: Array, lag: int = 0) -> Estimate:
    """Distance correlation at a lag.

    Args:
        load: float64 [n], NaN where missing.
        signal: float64 [n] on the same ticks, NaN where missing.
        lag: ticks by which the signal trails load.

    Returns:
        In [0, 1], of every k-th pair, k the smallest that leaves at most 400; None for a constant or under
        20 pairs. The interval is that of the influence of each pair, in Fisher's z; below it begins at the value
        without what chance adds to it, and ends at 0 where chance is not excluded. `extra`: `pairs` (after
        thinning), `p_value` (share of circular shifts that do as well), `chance` (root mean square of the
        shifts: what unrelated series of this kind reach), `lag_ticks`.

    Complexity: O(m^2 log m), m <= 400, over all m shifts at once.
    Source: Székely, Rizzo and Bakirov 2007.
    """
    x, y = pairs_at_lag(load, signal, lag)
    step = max(1, -(-len(x) // MOST_PAIRS))
    x, y = x[::step], y[::step]
    if len(x) < _FEWEST_PAIRS:
        return Estimate(None, determined=False, reason=f"fewer than {_FEWEST_PAIRS} pairs")
    if is_constant(x) or is_constant(y):
        return Estimate(None, determined=False, reason="constant series")
    (a, a_waves), (b, b_waves) = _side(x), _side(y)
    covariances = _over_shifts(a_waves, b_waves, len(x))
    parts = (a * b).mean(axis=1), (a * a).mean(axis=1), (b * b).mean(axis=1)
    whole = [max(float(part.mean()), np.finfo(float).tiny) for part in parts]
    scale = float(np.sqrt(whole[1] * whole[2]))
    value = float(np.clip(np.sqrt(whole[0] / scale), 0.0, 1.0))
    edge = max(1, round(_EDGE * len(x)))
    others = covariances[edge : len(x) - edge + 1]
    p_value = float((1 + (others >= covariances[0] * (1 - 1e-9)).sum()) / (1 + len(others)))
    # the derivative of ln R along each pair
    influence = parts[0] / whole[0] - (parts[1] / whole[1] + parts[2] / whole[2]) / 2
    chance = float(np.sqrt(max(others.mean(), 0.0) / scale))
    # what the tie does not explain adds the square of chance to that of the value
    least = float(np.sqrt(max(value**2 - chance**2 * (1 - value**2), 0.0)))
    low, high = _interval(value, least, value * np.sqrt(long_run_variance(influence) / len(x)))
    extra = {
        "pairs": len(x),
        "p_value": p_value,
        "chance": chance,
        "lag_ticks": lag,
    }
    return Estimate(value, low if p_value < _SIGNIFICANCE else 0.0, high, extra=extra)


@remembered(4)
def _side(values: Array) -> tuple[Array, Spectra]:
    """Centred distances, and the spectra of their diagonals."""
    centred = _centred(values)
    return centred, np.fft.rfft(_diagonals(centred), axis=1)


def _centred(values: Array) -> Array:
    """Distances between all pairs of values, less the means of row and column, [m, m]."""
    # a common scale keeps the squares of huge values finite
    scaled = (values - values.mean()) / np.ptp(values)
    distances = np.abs(scaled[:, None] - scaled)
    means = distances.mean(axis=0)
    return np.asarray(distances - means[:, None] - means + means.mean(), dtype=np.float64)


def shifted_covariances(a: Array, b: Array) -> Array:
    """Mean of a[i, j] b[i + k, j + k] for every circular shift k.

    Entries at one distance from the diagonal form a circular series, so all shifts are a sum of circular
    cross-correlations.

    Args:
        a: float64 [m, m], symmetric.
        b: float64 [m, m], symmetric.

    Returns:
        float64 [m], squared distance covariances if `a` and `b` are centred distances.
    """
    first, second = (np.fft.rfft(_diagonals(square), axis=1) for square in (a, b))
    return _over_shifts(first, second, len(a))


def _over_shifts(a: Spectra, b: Spectra, count: int) -> Array:
    # the distances m - d and d hold the same entries: all but the middle ones count twice
    weights = np.full(count // 2 + 1, 2.0)
    weights[0] = 1.0
    if count % 2 == 0:
        weights[-1] = 1.0
    product = np.einsum("d,dk,dk->k", weights, np.conj(a), b)
    return np.asarray(np.fft.irfft(product, count) / count**2, dtype=np.float64)


def _diagonals(square: Array) -> Array:
    """Row d holds the entries (i, i + d), wrapped around, for d up to half the width."""
    count = len(square)
    twice = np.concatenate((square, square), axis=1)
    down, right = twice.strides
    shape = (count // 2 + 1, count)
    return np.lib.stride_tricks.as_strided(twice, shape, (right, down + right), writeable=False)


def _interval(value: float, least: float, error: float) -> tuple[float, float]:
    """In Fisher's z: upwards from the value, downwards from what it is without chance."""
    rest = 1 - value * value
    if rest < 1e-9:
        return value, value
    half = _Z95 * error / rest
    low, high = np.tanh(max(np.arctanh(least) - half, 0.0)), np.tanh(np.arctanh(value) + half)
    return float(low), float(high)
