"""Granger's test from one matrix of cross-products against statsmodels, and its shifts against regressions."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from signals.series.synthetic import ar1
from signals.study.granger import MOST_TICKS, _shifted, granger_orders


def statsmodels_f(y: np.ndarray, x: np.ndarray, order: int) -> float:
    """F of x's lags in y's equation, on the rows that the highest order leaves."""
    from statsmodels.tsa.stattools import grangercausalitytests

    sample = np.stack((y, x), axis=1)[MOST_TICKS - order :]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return float(grangercausalitytests(sample, [order])[order][0]["ssr_ftest"][0])


@pytest.mark.parametrize("phi", [0.5, 0.97, 0.999])
def test_every_order_equals_statsmodels(phi: float, capsys: pytest.CaptureFixture[str]) -> None:
    """F of all 15 orders, both ways, to 1e-8 under the same sample."""
    rng = np.random.default_rng(2)
    x = ar1(1500, phi, rng)
    y = 5 + 0.3 * np.roll(x, 2) + ar1(1500, phi, rng)
    orders = granger_orders(y, x)
    assert orders is not None
    expected = [
        [statsmodels_f(a, b, order) for order in range(1, MOST_TICKS + 1)]
        for a, b in ((y, x), (x, y))
    ]
    np.testing.assert_allclose(orders.f_values(), expected, rtol=1e-8)


def test_order_has_the_least_bic_of_the_two_regressions_together() -> None:
    """Against least squares on the same rows."""
    rng = np.random.default_rng(7)
    x = ar1(500, 0.6, rng)
    y = np.roll(x, 3) + ar1(500, 0.6, rng)
    orders = granger_orders(y, x)
    assert orders is not None
    rows = np.arange(MOST_TICKS, 500)
    expected = []
    for order in range(1, MOST_TICKS + 1):
        lags = [s[rows - lag] for lag in range(1, order + 1) for s in (y, x)]
        basis = np.stack([np.ones(len(rows)), *lags], axis=1)
        rest = [s[rows] - basis @ np.linalg.lstsq(basis, s[rows], rcond=None)[0] for s in (y, x)]
        spread = np.linalg.det(np.cov(rest, bias=True))
        expected.append(len(rows) * np.log(spread) + 2 * (2 * order + 1) * np.log(len(rows)))
    # in units of their spread, so that only differences are the same
    np.testing.assert_allclose(np.diff(orders.bic), np.diff(expected), atol=1e-6)


@pytest.mark.parametrize("order", [1, 4])
def test_shifts_equal_regressions_on_the_circle(order: int) -> None:
    """The gain of the shifted lags, from least squares, one shift after the other."""
    rng = np.random.default_rng(order)
    x = ar1(240, 0.8, rng)
    y = 0.06 * np.roll(x, 1) + ar1(240, 0.8, rng)
    y, x = y - y.mean(), x - x.mean()

    def gain(shift: int) -> float:
        moved = np.roll(x, shift)
        own = np.stack([np.roll(y, lag) for lag in range(1, order + 1)], axis=1)
        other = np.stack([np.roll(moved, lag) for lag in range(1, order + 1)], axis=1)
        return squares(own) - squares(np.hstack((own, other)))

    def squares(basis: np.ndarray) -> float:
        return float(((y - basis @ np.linalg.lstsq(basis, y, rcond=None)[0]) ** 2).sum())

    shifts = np.linspace(12, 228, 199).astype(int)
    better = sum(gain(int(shift)) >= gain(0) for shift in shifts)
    assert 0 < better < 199
    share, other_way = _shifted(y, x, order)
    assert share == pytest.approx((1 + better) / 200)
    assert _shifted(x, y, order) == (pytest.approx(other_way), pytest.approx(share))
