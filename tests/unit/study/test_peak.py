"""Where between whole lags a cross-correlation peaks."""

from __future__ import annotations

import numpy as np
import pytest

from signals.study.peak import centre, refine


def _moments(x: np.ndarray, y: np.ndarray, lags: range):
    """Raw sums over the pairs that exist at every lag, by loops."""
    inner = range(10, len(x) - 10)
    sums = [
        [
            sum(x[i - lag] for i in inner),
            sum(x[i - lag] ** 2 for i in inner),
            sum(x[i - lag] * x[i - lag - 1] for i in inner),
            sum(x[i - lag] * y[i] for i in inner),
        ]
        for lag in lags
    ]
    totals = [len(inner), sum(y[i] for i in inner), sum(y[i] ** 2 for i in inner)]
    return centre(*np.array(sums).T, *(np.array([total]) for total in totals))


@pytest.mark.parametrize("fraction", [0.0, 0.25, 0.5, 0.9])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_mixture_of_two_lags_is_taken_apart(
    fraction: float, sign: float, rng: np.random.Generator
) -> None:
    """y = (1 - f) x three ticks ago + f x four ticks ago, rising or falling: 3 + f."""
    x = rng.normal(size=200)
    mixed = (1 - fraction) * np.roll(x, 3) + fraction * np.roll(x, 4)
    moments = _moments(x, sign * mixed, range(8))
    peak = int(np.argmax(sign * moments.correlation))
    assert float(refine(moments, sign, np.array(peak))) == pytest.approx(3 + fraction, abs=1e-6)


def test_correlation_is_pearsons(rng: np.random.Generator) -> None:
    """The sums give what the series give."""
    x, y = rng.normal(size=(2, 60))
    moments = _moments(x, y, range(3))
    expected = [np.corrcoef(x[10 - lag : 50 - lag], y[10:50])[0, 1] for lag in range(3)]
    np.testing.assert_allclose(moments.correlation, expected)


def test_peak_at_either_end_is_not_refined(rng: np.random.Generator) -> None:
    """There is no neighbour beyond the end."""
    x = rng.normal(size=100)
    moments = _moments(x, x, range(4))
    assert float(refine(moments, 1.0, np.array(0))) == 0.0
    assert float(refine(moments, 1.0, np.array(3))) == 3.0


def test_constant_has_no_correlation() -> None:
    """What is left after the mean is rounding."""
    moments = _moments(np.full(60, 0.1), np.arange(60.0), range(3))
    assert np.isnan(moments.correlation).all()
