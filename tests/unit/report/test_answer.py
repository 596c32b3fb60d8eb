"""Which signal is recommended, which policy serves for least, and the sentence that says so."""

from __future__ import annotations

from dataclasses import replace

import pytest

from signals.report.answer import (
    best_policy,
    choose_policy_words,
    notable_signals,
    recommended,
    sentence,
)
from signals.study.score import Remark
from tests.builders import make_comparison, make_score, make_scorecard


def test_recommended_is_the_best_proportional_signal() -> None:
    """Rank 1, never the load itself."""
    score = recommended(make_scorecard())
    assert score is not None
    assert score.signal == "decode:decode_tps"


def test_recommended_of_a_pool() -> None:
    """Each pool has its own best."""
    score = recommended(make_scorecard(), pool="prefill")
    assert score is not None
    assert score.signal == "prefill:prefill_tps"


def test_condition_that_disqualifies_gives_way_to_a_lower_rank() -> None:
    """A late signal of rank 1 stands back behind one of rank 2 without the condition."""
    late = make_score("decode:decode_tps", rank=1, conditions=[Remark("late", "it comes late")])
    noisy = make_score("decode:running", rank=2, conditions=[Remark("noisy", "it is noisy")])
    card = replace(make_scorecard(), signals=(late, noisy))
    assert recommended(card) is noisy
    assert recommended(replace(card, signals=(late,))) is late
    assert "accepting that it comes late" in sentence(replace(card, signals=(late,)))


def test_nothing_proportional_is_said() -> None:
    """No recommendation, and the sentence says why."""
    card = replace(make_scorecard(), signals=make_scorecard().signals[4:12])
    assert recommended(card) is None
    assert sentence(card) == card.headline


def test_notable_signals_hold_the_best_and_the_tempting() -> None:
    """The best three, and what people scale on without looking; no signal that is the load."""
    card = make_scorecard()
    names = notable_signals(card)
    assert names[:3] == ("decode:decode_tps", "prefill:prefill_tps", "prefill:gpu_util")
    assert "decode:gpu_util" in names
    late_decode = (*card.signals[1:5], card.signals[0], *card.signals[5:])
    two = notable_signals(replace(card, signals=late_decode), best=2, others=0)
    assert two == ("prefill:prefill_tps", "decode:decode_tps")
    assert "decode:offered_output_tps" not in names


def test_best_policy_is_the_cheapest_that_serves_well() -> None:
    """Heteroscale is within a point of static's attainment for 1157.1 of 1728 GPU-hours."""
    choice = best_policy(make_comparison(hours=1))
    assert choice is not None
    assert choice.policy.label == "heteroscale"
    assert choice.saved_ratio == pytest.approx(1 - 1157.1 / 1728)


def test_backtest_comes_down_to_two_sentences() -> None:
    """The best policy with what it saved, and the worst one."""
    assert choose_policy_words(make_comparison(hours=1)) == (
        "heteroscale keeps 99.10 % of requests within both objectives for 1,157 GPU-hours, "
        "33 % fewer than static (99.70 %). hpa decode:gpu_util 70 % keeps 90.2 % for 1,515 GPU-hours."
    )


def test_static_alone_and_nothing_served_are_said() -> None:
    """A comparison of one policy has no saving; one without arrivals has no answer."""
    alone = make_comparison(hours=1, policies=1)
    assert choose_policy_words(alone).startswith("static keeps 99.70 %")
    nothing = replace(alone.policies[0], attainment={"both": None})
    empty = replace(alone, policies=(nothing,))
    assert best_policy(empty) is None
    assert "nothing can be compared" in choose_policy_words(empty)
    assert sentence(make_scorecard(), empty).endswith("error 7 %).")


def test_without_static_no_saving_is_claimed() -> None:
    """There is nothing to compare GPU-hours with."""
    comparison = make_comparison(hours=1)
    rest = replace(comparison, policies=comparison.policies[1:])
    text = choose_policy_words(rest)
    assert text.startswith("heteroscale serves users for least: 99.10 %")
    assert "static" not in text


def test_sentence_joins_signal_and_policy() -> None:
    """One line for the end of a run."""
    assert sentence(make_scorecard(), make_comparison(hours=1)) == (
        "Scale decode on decode_tps (proportional, 10 s behind load, capacity error 6.3 %) and "
        "prefill on prefill_tps (proportional, no lag to speak of (+2 s), capacity error 7 %); "
        "heteroscale would have kept 99.10 % of requests within both objectives with 33 % fewer "
        "GPU-hours than static."
    )


def test_policy_that_costs_far_more_for_the_same_is_named() -> None:
    """All serve well; one takes 2.0 times the GPU-hours of the best."""
    comparison = make_comparison(hours=1, policies=2)
    wasteful = replace(comparison.policies[1], label="hpa", gpu_hours=3456.0)
    text = choose_policy_words(replace(comparison, policies=(comparison.policies[0], wasteful)))
    assert text.endswith("hpa takes 2.0 times the GPU-hours of static (3,456).")


def test_the_target_of_the_best_policy_is_named_with_its_unit() -> None:
    """At what threshold: what the policy was run with."""
    comparison = make_comparison(hours=1, policies=2)
    best = replace(
        comparison.policies[1], policy="heteroscale", params={"target": 465.4}, gpu_hours=1.0
    )
    told = replace(comparison, policies=(comparison.policies[0], best))
    assert "Its target is 465 tokens/s per instance." in choose_policy_words(told)
    assert "(target 465 tokens/s per instance) would have kept" in sentence(make_scorecard(), told)
