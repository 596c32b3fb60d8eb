"""What to scale each pool on, at which value, and why not on the next best."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from signals.schema import Estimate, Panel, PanelColumn
from signals.series.synthetic import daily_load
from signals.study.panel import choose_loads
from signals.study.recommendation import Recommendation, recommend
from signals.study.score import Remark, SignalScore, Verdict
from signals.study.scorecard import evaluate_panel

LATE = Remark("late", "it comes late: on rising load it orders 12 % less", -0.12, -0.1)
NOISY = Remark("noisy", "its noise is 20 % of its response to load", 0.2, 0.1)


@pytest.fixture(scope="module")
def panel(make_panel) -> Panel:
    """A day of four decode instances: output tokens, cache usage, and a latency that turns at 160 each."""
    rng = np.random.default_rng(1)
    load = 1000 * daily_load(1440, 60.0, wander=0.05, phi=0.97, rng=rng)
    return make_panel(
        60.0,
        {
            "service:offered_output_tps": load,
            "decode:decode_tps": load * np.exp(0.02 * rng.standard_normal(1440)),
            "decode:kv_usage": load / 2000 * np.exp(0.05 * rng.standard_normal(1440)),
            "decode:itl_mean": 0.03
            + 0.0005 * np.maximum(load / 4 - 160, 0)
            + 0.001 * rng.standard_normal(1440),
            "decode:ready": np.full(1440, 4.0),
        },
    )


def _score(
    name: str,
    error: tuple[float, float, float],
    *,
    rank: int | None = 1,
    verdict: Verdict = "proportional",
    conditions: tuple[Remark, ...] = (),
    identity: bool = False,
) -> SignalScore:
    pool, signal = name.split(":")
    scope = "total" if signal == "decode_tps" else "average"
    return SignalScore(
        PanelColumn(name, pool, signal, "tokens/s", scope, (f"{signal}@{pool}",)),
        "service:offered_output_tps",
        verdict,
        (Remark("insensitive", "it is insensitive: it moves by 0.30 %"),),
        conditions,
        rank,
        identity,
        {
            "capacity_error": Estimate(*error),
            "suggested_window_s": Estimate(120.0, extra={"promql": "sum(rate(x[2m]))"}),
        },
    )


def _of(panel: Panel, *scores: SignalScore) -> Recommendation:
    choices, _ = choose_loads(panel)
    return recommend(panel, scores, choices)[0]


def test_the_scorecard_recommends_with_window_control_and_target(panel: Panel) -> None:
    """160 tokens/s per instance is where latency turns; the headline says the same."""
    card = evaluate_panel(panel)
    (one,) = card.recommendations
    assert (one.pool, one.signal, one.verdict) == ("decode", "decode:decode_tps", "proportional")
    assert (one.control, one.metric_type, one.per) == ("ratio_rule", "AverageValue", "instance")
    assert (one.accepted, one.reason) == ((), "")
    best = next(s for s in card.signals if s.signal == one.signal)
    assert one.window_s == best.measures["suggested_window_s"].value
    assert one.promql == best.measures["suggested_window_s"].extra["promql"]
    assert one.target.value == pytest.approx(160, rel=0.05)
    assert one.target.extra["guard"] == "decode:itl_mean"
    assert one.runner_up is not None
    assert one.runner_up.signal == "decode:kv_usage"
    assert one.runner_up.lost_by == "capacity_error"
    assert one.runner_up.text.startswith("larger capacity error ")
    assert [limit.code for limit in one.limits] == ["no_objective", "few_days"]
    assert f"; aim at {one.target.value:.4g} per instance" in card.headline


def test_same_seed_same_band_whatever_else_is_scored(panel: Panel) -> None:
    """The band depends on seed and signal alone; queues and latencies count though they are not asked for."""
    whole = evaluate_panel(panel, seed=3).recommendations[0].target
    alone = evaluate_panel(panel, signals=("decode:decode_tps",), seed=3).recommendations[0]
    assert alone.target == whole
    assert alone.runner_up is None
    assert evaluate_panel(panel, seed=4).recommendations[0].target.low != whole.low


def test_an_average_is_read_as_a_value(panel: Panel) -> None:
    """Cache usage of 8 % at 160 tokens/s: over target, times instances."""
    one = _of(panel, _score("decode:kv_usage", (0.05, 0.04, 0.06)))
    assert (one.metric_type, one.per) == ("Value", "instance")
    assert one.target.value == pytest.approx(160 * 4 / 2000, rel=0.05)


def test_unknown_instances_give_the_target_of_the_pool(panel: Panel) -> None:
    """Four instances at 160 each are 640 in all."""
    bare = Panel(
        panel.service,
        panel.tick_s,
        panel.frame.drop("decode:ready"),
        tuple(c for c in panel.columns if c.name != "decode:ready"),
    )
    one = _of(bare, _score("decode:decode_tps", (0.05, 0.04, 0.06)))
    assert one.per == "pool"
    assert one.target.value == pytest.approx(640, rel=0.05)
    assert "whole_pool" in {limit.code for limit in one.limits}


def test_runner_up_within_the_interval_is_a_tie(panel: Panel) -> None:
    """5 % against 5.5 %: the data do not tell them apart."""
    first = _score("decode:decode_tps", (0.05, 0.04, 0.06))
    second = _score("decode:kv_usage", (0.055, 0.05, 0.07), rank=2, conditions=(NOISY,))
    tie = _of(panel, first, second).runner_up
    assert tie is not None
    assert tie.lost_by == "tie"
    assert tie.text == (
        "a tie: capacity error 5.7 % against 5.1 %, a difference within their intervals; "
        "its noise is 20 % of its response to load"
    )
    far = replace(second, measures={**second.measures, "capacity_error": Estimate(0.1, 0.08, 0.12)})
    lost = _of(panel, first, far).runner_up
    assert lost is not None
    assert lost.lost_by == "capacity_error"
    assert lost.text.startswith("larger capacity error 11 % against 5.1 %; its noise")


def test_runner_up_that_comes_late_lost_by_that(panel: Panel) -> None:
    """Although its capacity error is the smaller one."""
    late = _score("decode:kv_usage", (0.03, 0.02, 0.04), conditions=(LATE,))
    clean = _score("decode:decode_tps", (0.05, 0.04, 0.06), rank=2)
    one = _of(panel, late, clean)
    assert one.signal == "decode:decode_tps"
    assert one.runner_up is not None
    assert one.runner_up.lost_by == "condition"
    assert one.runner_up.text == (
        "it comes late: on rising load it orders 12 % less "
        "(its capacity error is smaller: 3 % against 5.1 %)"
    )


def test_without_a_clean_signal_the_condition_is_accepted(panel: Panel) -> None:
    """And named; the other one that comes late too lost by its error."""
    late = _score("decode:kv_usage", (0.03, 0.02, 0.04), conditions=(LATE, NOISY))
    also = _score("decode:decode_tps", (0.05, 0.04, 0.06), rank=2, conditions=(LATE,))
    one = _of(panel, late, also)
    assert one.signal == "decode:kv_usage"
    assert one.accepted == (LATE,)
    assert one.runner_up is not None
    assert one.runner_up.lost_by == "capacity_error"


def test_guard_rails_lose_by_their_class_and_the_load_itself_is_none(panel: Panel) -> None:
    """A latency cannot size a fleet; a copy of the same counter is no second signal."""
    first = _score("decode:decode_tps", (0.05, 0.04, 0.06))
    copy = replace(first, rank=2)
    load = _score("decode:running", (0.0, 0.0, 0.0), rank=None, identity=True)
    rail = _score("decode:itl_mean", (0.5, 0.4, 0.6), verdict="feedback")
    one = _of(panel, first, copy, load, rail)
    assert one.runner_up is not None
    assert (one.runner_up.signal, one.runner_up.lost_by) == ("decode:itl_mean", "verdict")
    assert one.runner_up.text == "no ratio rule fits it: it is insensitive: it moves by 0.30 %"
    assert one.guard_rails == ("decode:itl_mean",)


def test_a_pool_without_a_proportional_signal_says_why(panel: Panel) -> None:
    """Nothing, the load alone, or too little data."""
    rail = _score("decode:itl_mean", (0.5, 0.4, 0.6), verdict="feedback")
    load = _score("decode:decode_tps", (0.0, 0.0, 0.0), rank=None, identity=True)
    few = _score("decode:kv_usage", (0.0, 0.0, 0.0), rank=None, verdict="insufficient_data")
    one = _of(panel, rail)
    assert (one.signal, one.verdict, one.metric_type, one.target.value) == (None,) * 4
    assert (one.control, one.guard_rails) == ("guard_rail", ("decode:itl_mean",))
    assert "a ratio rule has nothing to steer by" in one.reason
    assert "beside decode:decode_tps moves" in _of(panel, load, rail).reason
    assert _of(panel, few).control == "none"
    assert "too little data" in _of(panel, few).reason


def test_the_service_is_recommended_for_only_where_nothing_else_is(panel: Panel) -> None:
    """Arrivals at the gateway are nobody's signal beside those of a pool."""
    own = _score("service:offered_output_tps", (0.05, 0.04, 0.06))
    pool = _score("decode:decode_tps", (0.05, 0.04, 0.06))
    choices, _ = choose_loads(panel)
    assert [r.pool for r in recommend(panel, (own, pool), choices)] == ["decode"]
    assert [r.pool for r in recommend(panel, (own,), choices)] == ["service"]
