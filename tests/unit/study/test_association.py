"""Correlation, and whether it could be chance."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from signals.schema import Estimate
from signals.series.synthetic import ar1
from signals.study.association import (
    adjust_p_values,
    autocorrelation,
    effective_size,
    is_constant,
    pearson,
    pearson_p_value,
    spearman,
)


def _case(shared: Path, name: str) -> dict[str, np.ndarray]:
    frame = pl.read_csv(shared / "cases" / name / "input.csv")
    return {column: frame[column].cast(pl.Float64).to_numpy() for column in frame.columns}


def test_pearson_of_two_slow_unrelated_series_is_not_significant(shared: Path) -> None:
    """r = 0.56 over 120 ticks is worth 9.5 independent pairs: p = 0.10."""
    data = _case(shared, "23-autocorrelated-p")
    estimate = pearson(data["queue_depth_z"], data["power_z"])
    assert estimate.value == pytest.approx(0.5605, abs=5e-5)
    assert estimate.extra["n_eff"] == pytest.approx(9.54, abs=0.005)
    assert estimate.extra["p_value"] == pytest.approx(0.1025, abs=5e-5)
    assert estimate.extra["pairs"] == 120
    assert autocorrelation(data["queue_depth_z"], 1)[1] == pytest.approx(0.8881, abs=5e-5)
    assert autocorrelation(data["power_z"], 1)[1] == pytest.approx(0.9602, abs=5e-5)
    assert pearson_p_value(0.5605, 120) < 1e-8, "what counting every tick would say"


def test_pearson_of_their_differences_is_nothing(shared: Path) -> None:
    """On first differences r = -0.047, p = 0.61."""
    data = _case(shared, "23-autocorrelated-p")
    estimate = pearson(np.diff(data["queue_depth_z"]), np.diff(data["power_z"]))
    assert estimate.value == pytest.approx(-0.047, abs=5e-4)
    assert estimate.extra["p_value"] == pytest.approx(0.612, abs=5e-4)


def test_association_with_a_constant_is_undefined_with_a_reason(shared: Path) -> None:
    """Utilisation pinned at 100 % has no correlation, and says why; SM activity has one."""
    data = _case(shared, "24-constant-util")
    pinned = pearson(data["load_rps"], data["gpu_util_pct"])
    assert (pinned.value, pinned.determined, pinned.reason) == (None, False, "constant series")
    assert spearman(data["load_rps"], data["gpu_util_pct"]).reason == "constant series"
    assert pearson(data["load_rps"], data["sm_active"]).value == pytest.approx(0.9961, abs=5e-5)
    assert spearman(data["load_rps"], data["sm_active"]).value == pytest.approx(1.0)


def test_pearson_at_the_lag_uses_all_pairs_of_that_lag(shared: Path) -> None:
    """At three ticks the 24 ticks leave 21 pairs, and r is 1."""
    data = _case(shared, "22-lag-sign")
    estimate = pearson(data["load_rps"], data["ttft_s"], 3)
    assert estimate.value == pytest.approx(1.0)
    assert (estimate.extra["pairs"], estimate.extra["lag_ticks"]) == (21, 3)
    assert (estimate.low, estimate.high) == (pytest.approx(1.0), pytest.approx(1.0))


def test_association_of_two_pairs_is_refused() -> None:
    """Two points always lie on a line."""
    assert pearson(np.array([1.0, 2.0]), np.array([1.0, 5.0])).value is None


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


@pytest.mark.parametrize("phi", [0.0, 0.5, 0.9, 0.97])
def test_false_positives_on_independent_series_are_about_five_per_cent(phi: float) -> None:
    """600 pairs of independent AR(1) series: 3 to 7 %, with the count's own scatter allowed for."""
    rng = np.random.default_rng(17)
    p_values = []
    for _ in range(600):
        x, y = ar1(400, phi, rng), ar1(400, phi, rng)
        r = float(np.corrcoef(x, y)[0, 1])
        p_values.append(pearson_p_value(r, effective_size(x, y)))
    rate = np.mean(np.array(p_values) < 0.05)
    assert 0.03 - 0.009 <= rate <= 0.07 + 0.009


@pytest.mark.parametrize(("phi", "truth"), [(0.0, 0.6), (0.8, 0.6), (0.9, 0.0)])
def test_interval_holds_the_truth_nine_times_in_ten(phi: float, truth: float) -> None:
    """Fisher's interval with Roy's variance: coverage 0.89 to 0.96 was measured."""
    rng = np.random.default_rng(5)
    inside = 0
    for _ in range(300):
        shared_part, own = ar1(500, phi, rng), ar1(500, phi, rng)
        other = truth * shared_part + np.sqrt(1 - truth**2) * own
        estimate = pearson(shared_part, other)
        assert estimate.low is not None
        assert estimate.high is not None
        inside += estimate.low <= truth <= estimate.high
    assert 0.87 <= inside / 300 <= 0.985


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


def test_ranks_and_corrections_equal_those_of_scipy(rng: np.random.Generator) -> None:
    """Ties share their mean rank; the correction is monotone."""
    from scipy.stats import false_discovery_control, spearmanr

    x, y = rng.integers(0, 9, size=(2, 80)).astype(float)
    assert spearman(x, y).value == pytest.approx(spearmanr(x, y).statistic)
    p_values = rng.random(30) ** 3
    result = adjust_p_values([Estimate(0.1, extra={"p_value": float(p)}) for p in p_values])
    np.testing.assert_allclose(
        [e.extra["p_adjusted"] for e in result], false_discovery_control(p_values)
    )


def test_is_constant_ignores_rounding_and_holes() -> None:
    """A constant with holes is a constant; so is nothing."""
    assert is_constant(np.array([1.0, np.nan, 1.0 + 1e-15]))
    assert is_constant(np.array([np.nan]))
    assert not is_constant(np.array([1.0, 1.001]))
