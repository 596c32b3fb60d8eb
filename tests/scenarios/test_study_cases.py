"""Public bug reports about statistics, put to the study as whole kinds: a sign, a false star, a constant."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from signals.series.synthetic import ar1
from signals.study.score import SignalScore
from signals.study.scorecard import evaluate_panel
from signals.study.specimen import panel_of

LOAD = "service:request_rate"
TICKS = 240


def _load(rng: np.random.Generator, ticks: int = TICKS) -> np.ndarray:
    return np.asarray(100 * np.exp(0.4 * ar1(ticks, 0.8, rng)))


def _scores(values: dict[str, np.ndarray], tick_s: float = 60.0) -> dict[str, SignalScore]:
    card = evaluate_panel(panel_of(values, tick_s))
    return {score.column.signal: score for score in card.signals}


def _codes(score: SignalScore) -> set[str]:
    return {condition.code for condition in score.conditions}


def test_24_pinned_utilisation_is_flagged_though_twelve_ticks_judge_nothing(shared: Path) -> None:
    """No class is given, but that it stands at 100 % is said; SM activity, which moves, is not accused."""
    data = pl.read_csv(shared / "cases" / "24-constant-util" / "input.csv")
    scores = _scores(
        {
            LOAD: data["load_rps"].cast(pl.Float64).to_numpy(),
            "decode:gpu_util": data["gpu_util_pct"].to_numpy() / 100,
            "decode:sm_active": data["sm_active"].to_numpy(),
        }
    )
    pinned = scores["gpu_util"]
    assert pinned.verdict == "insufficient_data"
    assert {"saturated", "constant"} <= _codes(pinned)
    assert pinned.measures["pearson"].value is None
    assert pinned.measures["pearson"].reason == "constant series"
    assert not {"saturated", "constant"} & _codes(scores["sm_active"])


@pytest.mark.parametrize("ticks", [12, TICKS])
@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("at 100 %", {"saturated", "constant"}),
        ("at 0", {"saturated", "constant"}),
        ("in the middle", {"constant"}),
        ("at 100 % for 95 % of the time", {"saturated"}),
        ("at 100 % for half of the time", set()),
        ("free", set()),
    ],
)
def test_24_the_whole_kind(
    rng: np.random.Generator, kind: str, expected: set[str], ticks: int
) -> None:
    """Standing still is told from standing at an end, on twelve ticks as on many."""
    load = _load(rng, ticks)
    order = np.argsort(np.argsort(load)) / ticks
    free = np.clip(load / load.max(), 0.1, 0.9)
    signal = {
        "at 100 %": np.ones(ticks),
        "at 0": np.zeros(ticks),
        "in the middle": np.full(ticks, 0.6),
        "at 100 % for 95 % of the time": np.where(order >= 0.05, 1.0, 0.7),
        "at 100 % for half of the time": np.where(order >= 0.5, 1.0, free),
        "free": free,
    }[kind]
    score = _scores({LOAD: load, "decode:gpu_util": signal})["gpu_util"]
    assert _codes(score) & {"saturated", "constant"} == expected
    if "constant" in expected:
        assert score.measures["pearson"].value is None
        assert score.verdict == ("insufficient_data" if ticks == 12 else "unusable")


@pytest.mark.parametrize("lag", [-7, -1, 0, 1, 12])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_22_who_leads_is_right_on_both_sides(
    rng: np.random.Generator, lag: int, sign: float
) -> None:
    """A signal behind load has a positive lag, one ahead of it a negative one, also where it falls with load."""
    long = _load(rng, TICKS + 60)
    load, behind = long[30 : 30 + TICKS], long[30 - lag : 30 - lag + TICKS]
    signal = 200 + sign * behind * np.exp(0.02 * rng.standard_normal(TICKS))
    estimate = _scores({LOAD: load, "decode:own": signal}, 15.0)["own"].measures["lag_s"]
    assert estimate.determined
    assert estimate.value == pytest.approx(15.0 * lag, abs=4.0)
    leader = "load" if lag > 0 else "signal" if lag < 0 else "neither"
    assert estimate.extra["leader"] == leader


def test_23_slow_unrelated_signals_earn_no_star(rng: np.random.Generator) -> None:
    """20 signals independent of load, all AR(1) with 0.95 as in the case: at most a few pass 5 %."""
    count = 300
    slow = {f"decode:own_{i}": 50 + ar1(count, 0.95, rng) for i in range(20)}
    scores = _scores({LOAD: 50 + ar1(count, 0.95, rng), **slow})
    tests = [scores[name.split(":")[1]].measures["pearson"] for name in slow]
    naive = [abs(e.value or 0.0) > 1.96 / np.sqrt(count) for e in tests]
    assert np.mean(naive) > 0.4, "what counting every tick would call significant"
    single = [e.extra["p_value"] for e in tests]
    assert sum(p < 0.05 for p in single if isinstance(p, float)) <= 4, "99.7 % of binomial(20, 5 %)"
    corrected = [e.extra["p_adjusted"] for e in tests]
    assert sum(p < 0.05 for p in corrected if isinstance(p, float)) <= 1
