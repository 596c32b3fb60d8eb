"""Signals that fool weaker rules: each is named by what is wrong with it, none passes as clean."""

from __future__ import annotations

import numpy as np
import pytest

from signals.schema import Estimate, Panel
from signals.series.synthetic import daily_load
from signals.study.appraisal import _intervals
from signals.study.headline import recommended
from signals.study.score import MEASURES, SignalScore
from signals.study.scorecard import evaluate_panel

TICK_S = 60.0
DAYS = 4
LOAD = "service:offered_output_tps"


def _signals(load: np.ndarray, rng: np.random.Generator) -> dict[str, np.ndarray]:
    middle = float(np.exp(np.log(load).mean()))
    smooth = np.convolve(load, np.ones(15) / 15, "same")
    rising = np.gradient(smooth) > 0
    return {
        "honest": load * (1 + 0.03 * rng.standard_normal(len(load))),
        "clipped": np.minimum(load, np.quantile(load, 0.85)),
        "late": np.roll(load, 10),
        "noisy": np.maximum(load * (1 + 0.3 * rng.standard_normal(len(load))), 0),
        "clock": daily_load(len(load), TICK_S, rng=np.random.default_rng(9)),
        "yesterday": np.roll(load, 1440),
        "idle": load + np.median(load),
        "hysteretic": load * np.where(rising, 0.8, 1.2),
        "two_slopes": np.where(load < middle, (load / middle) ** 0.5, (load / middle) ** 2),
        "constant": np.ones(len(load)),
        "falling": (load / middle) ** -0.8,
    }


@pytest.fixture(scope="module")
def scores(make_panel) -> dict[str, SignalScore]:
    """Four days whose load departs slowly from its daily shape."""
    rng = np.random.default_rng(4)
    load = 100 * daily_load(DAYS * 1440, TICK_S, wander=0.2, rng=rng)
    signals = _signals(load, rng)
    panel: Panel = make_panel(
        TICK_S,
        {LOAD: load, **{f"decode:{name}": values for name, values in signals.items()}},
        totals=("offered_output_tps", *signals),
    )
    return {score.column.signal: score for score in evaluate_panel(panel).signals}


def _codes(score: SignalScore) -> set[str]:
    return {remark.code for remark in (*score.reasons, *score.conditions)}


def test_honest_signal_is_clean(scores: dict[str, SignalScore]) -> None:
    """3 % of noise, in proportion: nothing to object, and it is the one recommended."""
    assert scores["honest"].verdict == "proportional"
    assert scores["honest"].conditions == ()
    ranked = [scores["honest"], *(s for s in scores.values() if s.column.signal != "honest")]
    assert recommended(ranked) is scores["honest"]


@pytest.mark.parametrize(
    ("name", "verdict", "codes"),
    [
        ("clipped", "proportional", {"under_orders_at_peak"}),
        ("late", "proportional", {"late"}),
        ("noisy", "feedback", {"inaccurate", "noisy"}),
        ("clock", "unusable", {"follows_the_clock", "clock_shaped"}),
        ("yesterday", "unusable", {"follows_the_clock", "clock_shaped"}),
        ("idle", "feedback", {"insensitive"}),
        ("hysteretic", "feedback", {"inaccurate", "late", "hysteresis"}),
        ("two_slopes", "feedback", {"inaccurate"}),
        ("constant", "unusable", {"insensitive", "pinned", "uninformative"}),
    ],
)
def test_fooling_signal_is_named(
    scores: dict[str, SignalScore], name: str, verdict: str, codes: set[str]
) -> None:
    """Class and codes say what is wrong."""
    assert scores[name].verdict == verdict
    assert codes <= _codes(scores[name])


@pytest.mark.parametrize(
    ("name", "measure", "low", "high"),
    [
        ("clipped", "peak_bias", -0.35, -0.09),
        ("late", "trend_gap", -0.25, -0.10),
        ("late", "lag_s", 585, 615),
        ("noisy", "capacity_error", 0.22, 0.29),
        ("clock", "residual_elasticity", -0.05, 0.05),
        ("yesterday", "residual_elasticity", -0.6, 0.2),
        ("idle", "elasticity", 0.3, 0.6),
        ("hysteretic", "trend_gap", -0.5, -0.3),
        ("two_slopes", "capacity_error", 0.15, 0.3),
        ("two_slopes", "elasticity", 0.9, 1.25),
    ],
)
def test_fooling_signal_shows_in_its_figure(
    scores: dict[str, SignalScore], name: str, measure: str, low: float, high: float
) -> None:
    """The measure that catches it, in the range that was measured before."""
    value = scores[name].measures[measure].value
    assert value is not None
    assert low <= value <= high


def test_signal_that_falls_with_load_follows_it(scores: dict[str, SignalScore]) -> None:
    """It goes against load beyond the daily shape too, which is not what the clock does."""
    residual = scores["falling"].measures["residual_elasticity"].value
    assert residual is not None
    assert residual < -0.6
    assert scores["falling"].verdict == "feedback"
    assert "falls_with_load" in _codes(scores["falling"])
    assert not _codes(scores["falling"]) & {"clock_shaped", "follows_the_clock"}


def test_only_the_honest_signal_is_recommendable(scores: dict[str, SignalScore]) -> None:
    """Put alone, no fooling signal is recommended."""
    for name, score in scores.items():
        if name not in {"honest", "offered_output_tps"}:
            assert recommended([score]) is None, name


def test_measures_are_exactly_those_of_the_table(scores: dict[str, SignalScore]) -> None:
    """Every measure is declared, every declared measure is reported."""
    declared = {spec.name for spec in MEASURES}
    for score in scores.values():
        assert set(score.measures) == declared


def test_association_of_an_undetermined_lag_is_at_lag_zero(
    scores: dict[str, SignalScore],
) -> None:
    """And a finding says so."""
    constant = scores["constant"]
    assert "lag_undetermined" in {finding.code for finding in constant.findings}
    late = scores["late"].measures["pearson"]
    assert late.extra["lag_ticks"] == 10
    assert late.value == pytest.approx(1.0, abs=0.02)


def test_intervals_of_figures_are_those_of_their_measures() -> None:
    """A size has the signed one; of a falling signal what follows load beyond the day is turned over."""
    measures = {
        "elasticity": Estimate(-1.0, -1.2, -0.7),
        "residual_elasticity": Estimate(-0.6, -0.9, -0.3),
        "trend_gap": Estimate(-0.2, -0.4, 0.1),
        "hysteresis": Estimate(0.2),
    }
    assert _intervals(measures) == {
        "elasticity": (-1.2, -0.7),
        "elasticity_size": (-1.2, -0.7),
        "residual_elasticity": (0.3, 0.9),
        "trend_gap": (-0.4, 0.1),
    }
    rising = {**measures, "elasticity": Estimate(1.0, 0.7, 1.2)}
    assert _intervals(rising)["residual_elasticity"] == (-0.9, -0.3)


def test_sentence_of_a_score_says_where_its_interval_leaves_it_open(
    scores: dict[str, SignalScore],
) -> None:
    """It is open exactly where the interval of its measure holds the threshold."""
    measured = {"inaccurate": "capacity_error", "noisy": "noise_ratio", "late": "trend_gap"}
    told = {}
    for name, score in scores.items():
        for remark in (*score.reasons, *score.conditions):
            estimate = score.measures.get(measured.get(remark.code, ""))
            if estimate is None or estimate.low is None or estimate.high is None:
                continue
            assert remark.threshold is not None
            holds = estimate.low <= remark.threshold <= estimate.high
            told[name, remark.code] = holds
            assert remark.text.endswith("leaves that open") is holds
    assert told["late", "late"] is False
    assert True in told.values()
