"""How many independent pairs autocorrelated series are worth."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats

from signals.schema import Estimate
from signals.series.synthetic import ar1
from signals.study.significance import (
    adjust_p_values,
    autocorrelation,
    bartlett_size,
    effective_size,
    fisher_interval,
    independent_pairs,
    pearson_p_value,
    significant_correlation,
)

Maker = Callable[[int, float, np.random.Generator], np.ndarray]


def _under_noise(count: int, phi: float, rng: np.random.Generator) -> np.ndarray:
    return ar1(count, phi, rng) + rng.standard_normal(count)


def _averaged(count: int, phi: float, rng: np.random.Generator) -> np.ndarray:
    return np.convolve(ar1(count + 19, phi, rng), np.ones(20) / 20, "valid")


def test_autocorrelation_equals_the_loop(rng: np.random.Generator) -> None:
    """Against the textbook sum."""
    values = rng.normal(size=50).cumsum()
    centred = values - values.mean()
    expected = [
        sum(centred[i] * centred[i + k] for i in range(50 - k)) / sum(centred**2) for k in range(6)
    ]
    np.testing.assert_allclose(autocorrelation(values, 5), expected, atol=1e-12)
    np.testing.assert_array_equal(autocorrelation(np.full(10, 2.0), 3), [1, 0, 0, 0])


def test_effective_size_of_independent_series_is_about_all(rng: np.random.Generator) -> None:
    """White noise keeps its pairs, slow series lose nearly all; never more than there are."""
    white, slow = rng.normal(size=(2, 1000)), [ar1(1000, 0.99, rng) for _ in range(2)]
    assert 950 < effective_size(white[0], white[1]) <= 1000
    assert effective_size(slow[0], slow[1]) < 60


def test_adjusted_p_values_are_benjamini_hochberg() -> None:
    """By hand: 0.01 * 3 / 1, 0.04 * 3 / 2 and 0.5, in the order given; without p nothing happens."""
    given = [
        Estimate(0.1, extra={"p_value": 0.04}),
        Estimate(None),
        Estimate(0.2, extra={"p_value": 0.01}),
        Estimate(0.3, extra={"p_value": 0.5}),
    ]
    result = adjust_p_values(given)
    assert [e.extra.get("p_adjusted") for e in result] == pytest.approx([0.06, None, 0.03, 0.5])
    assert adjust_p_values([Estimate(None)]) == [Estimate(None)]


def test_corrections_equal_those_of_scipy(rng: np.random.Generator) -> None:
    """Thirty p-values, many small."""
    from scipy.stats import false_discovery_control

    p_values = rng.random(30) ** 3
    result = adjust_p_values([Estimate(0.1, extra={"p_value": float(p)}) for p in p_values])
    np.testing.assert_allclose(
        [e.extra["p_adjusted"] for e in result], false_discovery_control(p_values)
    )


def test_bartlett_size_equals_the_sum_word_by_word(rng: np.random.Generator) -> None:
    """Autocorrelations are multiplied up to the lag before the first that is told from none."""
    x, y = ar1(300, 0.8, rng), ar1(300, 0.6, rng)
    a, b = autocorrelation(x, 75), autocorrelation(y, 75)
    total, limit = 1.0, 2 / np.sqrt(300)
    for lag in range(1, 76):
        if abs(a[lag]) < limit or abs(b[lag]) < limit:
            break
        total += 2 * (1 - lag / 300) * a[lag] * b[lag]
    assert bartlett_size(x, y) == pytest.approx(300 / total)
    assert bartlett_size(x[:2], y[:2]) == 2


def test_both_sizes_agree_on_the_series_they_share(rng: np.random.Generator) -> None:
    """For AR(1) with 0.9 both are about n / 9.5; for a slow series under noise only one sees the slowness."""
    x, y = (ar1(20_000, 0.9, rng) for _ in range(2))
    assert bartlett_size(x, y) == pytest.approx(20_000 * 0.19 / 1.81, rel=0.15)
    assert effective_size(x, y) == pytest.approx(20_000 * 0.19 / 1.81, rel=0.15)
    x, y = (_under_noise(20_000, 0.97, rng) for _ in range(2))
    assert effective_size(x, y) > 2 * bartlett_size(x, y)


def _one_cycle(count: int, phi: float, rng: np.random.Generator) -> np.ndarray:
    phase = 2 * np.pi * (np.arange(count) / count + rng.random())
    return 3 * np.sin(phase) + ar1(count, phi, rng)


@pytest.mark.parametrize(
    ("make", "phi"),
    [
        *((ar1, phi) for phi in (0.0, 0.5, 0.9, 0.97)),
        (_under_noise, 0.9),
        (_under_noise, 0.97),
        (_averaged, 0.5),
        (_averaged, 0.97),
    ],
)
def test_false_positives_are_about_five_per_cent(make: Maker, phi: float) -> None:
    """400 pairs of independent series of 1,440 ticks: 3 to 7 %, with the count's own scatter allowed for."""
    rng = np.random.default_rng(17)
    p_values = []
    for _ in range(400):
        x, y = make(1440, phi, rng), make(1440, phi, rng)
        r = float(np.corrcoef(x, y)[0, 1])
        p_values.append(pearson_p_value(r, independent_pairs(x, y)))
    rate = np.mean(np.array(p_values) < 0.05)
    assert 0.03 - 0.011 <= rate <= 0.07 + 0.011


@pytest.mark.parametrize("make", [ar1, _averaged, _one_cycle])
def test_few_pairs_are_not_taken_for_more(make: Maker) -> None:
    """400 ticks worth about a dozen pairs or one cycle: Bartlett's sum alone would reject 8 to 27 %."""
    rng = np.random.default_rng(3)
    pairs = [(make(400, 0.99, rng), make(400, 0.99, rng)) for _ in range(300)]
    assert all(independent_pairs(x, y) == max(bartlett_size(x, y) - 2, 1) for x, y in pairs[:20])
    p_values = [
        pearson_p_value(float(np.corrcoef(x, y)[0, 1]), independent_pairs(x, y)) for x, y in pairs
    ]
    assert np.mean(np.array(p_values) < 0.05) <= 0.07 + 0.013


def test_one_cycle_followed_closely_is_still_significant(rng: np.random.Generator) -> None:
    """A day of load and a signal that follows it at r = 0.99."""
    day = 3 * np.sin(2 * np.pi * np.arange(480) / 480) + ar1(480, 0.9, rng)
    signal = day + 0.3 * rng.standard_normal(480)
    r = float(np.corrcoef(day, signal)[0, 1])
    assert pearson_p_value(r, independent_pairs(day, signal)) < 0.05


def test_interval_widens_with_what_was_fitted_before(rng: np.random.Generator) -> None:
    """Half of the pairs make it wider by the root of two, in Fisher's z, and Student's t by a little more."""
    x = rng.standard_normal(500)
    y = x + rng.standard_normal(500)
    r = float(np.corrcoef(x, y)[0, 1])
    whole, half = (np.arctanh(fisher_interval(x, y, r, share=s)) for s in (1.0, 0.5))
    n_eff = bartlett_size(x, y)
    quantiles = stats.t.ppf(0.975, n_eff / 2 - 2) / stats.t.ppf(0.975, n_eff - 2)
    assert np.ptp(half) / np.ptp(whole) == pytest.approx(np.sqrt(2) * quantiles)
    assert fisher_interval(x, x, 1.0) == (1.0, 1.0)


@pytest.mark.parametrize(
    ("n_eff", "tried", "level"), [(5.0, 1, 0.05), (40.5, 61, 0.05), (900.0, 7, 0.01)]
)
def test_significant_correlation_is_where_the_corrected_p_value_is_the_level(
    n_eff: float, tried: int, level: float
) -> None:
    """Back through `pearson_p_value` and Sidak; one of 30 pairs is the table's 0.361."""
    single = pearson_p_value(significant_correlation(n_eff, tried=tried, level=level), n_eff)
    assert 1 - (1 - single) ** tried == pytest.approx(level, rel=1e-6)
    assert significant_correlation(30.0) == pytest.approx(0.361, abs=5e-4)


def test_no_correlation_of_two_pairs_is_significant() -> None:
    """Any two points lie on a line."""
    assert significant_correlation(2.0) == 1.0
