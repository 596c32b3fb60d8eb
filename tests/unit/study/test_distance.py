"""Distance correlation, and whether it could be chance."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from signals.schema import Estimate
from signals.series.synthetic import ar1
from signals.study.association import pearson, spearman
from signals.study.distance import MOST_PAIRS, distance_corr


def of_normal(rho: float) -> float:
    """Distance correlation of a bivariate normal pair with correlation `rho`, in closed form."""
    top = rho * np.arcsin(rho) + np.sqrt(1 - rho**2) - rho * np.arcsin(rho / 2)
    return float(np.sqrt((top - np.sqrt(4 - rho**2) + 1) / (1 + np.pi / 3 - np.sqrt(3))))


def _p_value(estimate: Estimate) -> float:
    value = estimate.extra["p_value"]
    assert isinstance(value, float)
    return value


def test_line_is_one_and_a_valley_is_seen(rng: np.random.Generator) -> None:
    """y = x^2 has no correlation of the other kinds; units change nothing."""
    x = rng.standard_normal(400)
    assert distance_corr(x, 3 - 2 * x).value == pytest.approx(1.0)
    valley = distance_corr(x, x * x)
    assert abs(pearson(x, x * x).value or 1.0) < 0.25
    assert abs(spearman(x, x * x).value or 1.0) < 0.25
    assert valley.value is not None
    assert valley.value > 0.4
    assert _p_value(valley) < 0.01
    assert distance_corr(1e200 * x, 1e-200 * x * x).value == pytest.approx(valley.value)


def test_long_series_are_thinned_to_every_kth_pair(rng: np.random.Generator) -> None:
    """1,001 pairs at lag 4 are 997, of which every third is kept."""
    x, y = rng.standard_normal((2, 1001))
    estimate = distance_corr(x, y, 4)
    assert estimate.extra["pairs"] == 333 <= MOST_PAIRS
    assert estimate.extra["lag_ticks"] == 4
    assert estimate.value == distance_corr(x[:997:3], y[4::3]).value


@pytest.mark.parametrize("phi", [0.0, 0.5, 0.9, 0.97])
def test_false_positives_are_about_five_per_cent(phi: float) -> None:
    """250 pairs of independent series: 3 to 7 %, with the count's own scatter allowed for."""
    rng = np.random.default_rng(11)
    estimates = [distance_corr(ar1(1000, phi, rng), ar1(1000, phi, rng)) for _ in range(250)]
    rejected = np.mean([_p_value(estimate) < 0.05 for estimate in estimates])
    assert 0.03 - 0.014 <= rejected <= 0.07 + 0.016
    assert np.mean([estimate.low == 0 for estimate in estimates]) >= 0.9
    # unrelated slow series reach a high value: `chance` says how high
    values = [estimate.value for estimate in estimates]
    chance = [float(estimate.extra["chance"] or 0) for estimate in estimates]
    assert np.mean(chance) == pytest.approx(np.mean(np.array(values, float)), rel=0.15)


@pytest.mark.parametrize(("phi", "rho"), [(0.0, 0.3), (0.0, 0.9), (0.9, 0.6), (0.9, 0.9)])
def test_interval_holds_the_truth_nine_times_in_ten(phi: float, rho: float) -> None:
    """Coverage 0.88 to 0.98, with the count's own scatter allowed for."""
    rng = np.random.default_rng(23)
    inside = 0
    for _ in range(150):
        x, own = ar1(1440, phi, rng), ar1(1440, phi, rng)
        estimate = distance_corr(x, rho * x + np.sqrt(1 - rho**2) * own)
        assert estimate.low is not None
        assert estimate.high is not None
        inside += estimate.low <= of_normal(rho) <= estimate.high
    assert 0.88 - 0.026 <= inside / 150 <= 0.98 + 0.012


def test_too_little_says_why() -> None:
    """Under 20 pairs, or a constant."""
    x = np.arange(30.0)
    assert distance_corr(x[:19], x[:19]).reason == "fewer than 20 pairs"
    assert distance_corr(x, np.ones(30)).reason == "constant series"
    assert distance_corr(x, np.full(30, np.nan)).value is None


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    factor=st.floats(1e-6, 1e6),
    offset=st.floats(-1e3, 1e3),
    count=st.integers(20, 90),
)
def test_units_and_order_of_the_series_change_nothing(
    seed: int, factor: float, offset: float, count: int
) -> None:
    """Value and interval lie in [0, 1] and hold each other; p is a share of shifts."""
    rng = np.random.default_rng(seed)
    x = ar1(count, 0.5, rng)
    y = x**2 + ar1(count, 0.5, rng)
    plain, scaled, swapped = (
        distance_corr(x, y),
        distance_corr(x, factor * y + offset),
        distance_corr(y, x),
    )
    assert plain.value is not None
    assert plain.low is not None
    assert plain.high is not None
    assert 0 <= plain.low <= plain.value <= plain.high <= 1
    assert 0 < _p_value(plain) <= 1
    assert scaled.value == pytest.approx(plain.value, rel=1e-6)
    assert swapped.value == pytest.approx(plain.value, rel=1e-9)
    assert _p_value(swapped) == pytest.approx(_p_value(plain), abs=1 / count)


def test_interval_begins_below_what_chance_adds(rng: np.random.Generator) -> None:
    """Squares add: what is not explained reaches the square of chance; upwards the value itself counts."""
    x = ar1(1440, 0.9, rng)
    estimate = distance_corr(x, 0.6 * x + 0.8 * ar1(1440, 0.9, rng))
    assert estimate.value is not None
    assert estimate.high is not None
    chance, value = float(estimate.extra["chance"]), estimate.value
    half = np.arctanh(estimate.high) - np.arctanh(value)
    least = np.sqrt(value**2 - chance**2 * (1 - value**2))
    assert least < value - 0.005
    assert estimate.low == pytest.approx(np.tanh(np.arctanh(least) - half))
