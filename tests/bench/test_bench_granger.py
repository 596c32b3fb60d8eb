"""Granger's test both ways, at all orders to 15, on a week of minutes: ours against statsmodels."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from signals.series.synthetic import ar1
from signals.study.granger import MOST_TICKS, granger_orders
from tests.bench.ratios import Ways

TICKS = 7 * 1440
WAYS = Ways("Granger both ways, 15 orders, a week of minutes", ours="gram")


def statsmodels_tests(y: np.ndarray, x: np.ndarray) -> float:
    """All orders, both ways, as a user of statsmodels asks for them."""
    from statsmodels.tsa.stattools import grangercausalitytests

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for pair in ((y, x), (x, y)):
            found = grangercausalitytests(np.stack(pair, axis=1), MOST_TICKS)
    return float(found[MOST_TICKS][0]["ssr_ftest"][0])


def gram_tests(y: np.ndarray, x: np.ndarray) -> float:
    """The same tests from one matrix of cross-products."""
    orders = granger_orders(y, x)
    assert orders is not None
    return float(orders.f_values()[1, -1])


@pytest.mark.benchmark(group="granger")
@pytest.mark.parametrize("way", ["statsmodels", "gram"])
def test_bench_granger(benchmark, request, way):
    """The highest order has the same sample either way, so its F is the same."""
    rng = np.random.default_rng(3)
    load = ar1(TICKS, 0.95, rng)
    signal = np.roll(load, 2) + ar1(TICKS, 0.95, rng)
    work = {"statsmodels": statsmodels_tests, "gram": gram_tests}[way]
    f_value = WAYS.time(benchmark, request, way, lambda: work(load, signal))
    assert f_value == pytest.approx(gram_tests(load, signal), rel=1e-8)
