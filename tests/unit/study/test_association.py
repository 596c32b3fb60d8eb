"""Correlation, and whether it could be chance."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy import stats

from signals.schema import Estimate
from signals.series.synthetic import ar1
from signals.study.association import is_constant, partial, pearson, spearman
from signals.study.significance import autocorrelation, effective_size, pearson_p_value


def _case(shared: Path, name: str) -> dict[str, np.ndarray]:
    frame = pl.read_csv(shared / "cases" / name / "input.csv")
    return {column: frame[column].cast(pl.Float64).to_numpy() for column in frame.columns}


def test_pearson_of_two_slow_unrelated_series_is_not_significant(shared: Path) -> None:
    """r = 0.56 over 120 ticks is worth 9.6 independent pairs: p = 0.10."""
    data = _case(shared, "23-autocorrelated-p")
    estimate = pearson(data["queue_depth_z"], data["power_z"])
    assert estimate.value == pytest.approx(0.5605, abs=5e-5)
    assert estimate.extra["n_eff"] == pytest.approx(9.54, abs=0.2)
    assert estimate.extra["p_value"] == pytest.approx(0.1025, abs=0.003)
    lag_one = effective_size(data["queue_depth_z"], data["power_z"])
    assert lag_one == pytest.approx(9.54, abs=0.005)
    assert pearson_p_value(0.5605, lag_one) == pytest.approx(0.1025, abs=5e-5)
    assert estimate.extra["pairs"] == 120
    assert autocorrelation(data["queue_depth_z"], 1)[1] == pytest.approx(0.8881, abs=5e-5)
    assert autocorrelation(data["power_z"], 1)[1] == pytest.approx(0.9602, abs=5e-5)
    assert pearson_p_value(0.5605, 120) < 1e-8, "what counting every tick would say"


def test_pearson_of_their_differences_is_nothing(shared: Path) -> None:
    """On first differences r = -0.047, p = 0.61."""
    data = _case(shared, "23-autocorrelated-p")
    estimate = pearson(np.diff(data["queue_depth_z"]), np.diff(data["power_z"]))
    assert estimate.value == pytest.approx(-0.047, abs=5e-4)
    assert estimate.extra["p_value"] == pytest.approx(0.612, abs=5e-3)


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


@pytest.mark.parametrize("phi", [0.0, 0.5, 0.9, 0.97])
@pytest.mark.parametrize("days", [3, 7])
def test_a_day_that_both_share_is_no_association_beyond_it(phi: float, days: int) -> None:
    """250 pairs of hourly quarters under one daily shape: Pearson's r is large, `partial` rejects 3-7 %."""
    rng = np.random.default_rng(29)
    tick_s, count = 900.0, days * 96
    day = 3 * np.sin(2 * np.pi * np.arange(count) / 96)
    rejected, raw = 0, []
    for _ in range(250):
        x, y = day + ar1(count, phi, rng), day + ar1(count, phi, rng)
        rejected += _p_value(partial(x, y, tick_s)) < 0.05
        raw.append(pearson(x, y).value or 0.0)
    assert rejected / 250 <= 0.07 + 0.016
    assert rejected / 250 >= 0.03 - 0.014
    assert np.mean(raw) > 0.6


def _p_value(estimate: Estimate) -> float:
    value = estimate.extra["p_value"]
    assert isinstance(value, float)
    return value


def test_partial_keeps_what_departs_from_the_day_together(rng: np.random.Generator) -> None:
    """Departures with correlation 0.8, three ticks late, are found under whatever the clock does to each."""
    count, tick_s = 4 * 1440, 60.0
    clock = np.arange(count) / 1440 * 2 * np.pi
    base = ar1(count + 3, 0.9, rng)
    x = 5 * np.sin(clock) + base[3:]
    y = 9 * np.cos(clock) + base[:count] + 0.75 * ar1(count, 0.9, rng)
    estimate = partial(x, y, tick_s, 3)
    assert estimate.low is not None
    assert estimate.high is not None
    assert estimate.low < 0.8 < estimate.high
    assert estimate.extra["days"] == 4
    assert estimate.extra["pairs"] == count - 3
    assert _p_value(estimate) < 1e-6


def test_partial_of_what_only_repeats_itself_is_undefined() -> None:
    """A signal that is the clock leaves nothing; two days tell no shape."""
    count, tick_s = 4 * 96, 900.0
    clock = 1e6 + np.sin(2 * np.pi * np.arange(count) / 96)
    load = np.random.default_rng(0).standard_normal(count)
    assert partial(load, clock, tick_s).reason == "constant series"
    assert partial(load, np.full(count, np.nan), tick_s).reason == "fewer than three pairs"
    short = partial(load[:191], clock[:191], tick_s)
    assert (short.value, short.reason) == (None, "fewer than three whole days")


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


def test_ranks_equal_those_of_scipy(rng: np.random.Generator) -> None:
    """Ties share their mean rank."""
    from scipy.stats import spearmanr

    x, y = rng.integers(0, 9, size=(2, 80)).astype(float)
    assert spearman(x, y).value == pytest.approx(spearmanr(x, y).statistic)


def test_is_constant_ignores_rounding_and_holes() -> None:
    """A constant with holes is a constant; so is nothing."""
    assert is_constant(np.array([1.0, np.nan, 1.0 + 1e-15]))
    assert is_constant(np.array([np.nan]))
    assert not is_constant(np.array([1.0, 1.001]))


def test_partial_loses_one_pair_to_the_slope_and_none_to_a_mean(rng: np.random.Generator) -> None:
    """Residuals of a shape have no mean to fit: n - 1 degrees of freedom, where Pearson's test has n - 2."""
    x, y = ar1(288, 0.9, rng), ar1(288, 0.9, rng)
    estimate = partial(x, y, 900.0)
    assert estimate.value is not None
    freedom = float(estimate.extra["n_eff"]) - 1
    t = abs(estimate.value) * np.sqrt(freedom / (1 - estimate.value**2))
    assert _p_value(estimate) == pytest.approx(2 * stats.t.sf(t, freedom))
