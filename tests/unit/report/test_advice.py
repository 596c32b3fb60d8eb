"""A recommendation in words."""

from __future__ import annotations

from dataclasses import replace

from signals.report import advice
from signals.report.document import Heading, Paragraph, Table
from signals.schema import Estimate
from tests.builders import make_scorecard
from tests.builders_advice import make_advice, make_advised


def test_targets_say_what_they_are_of() -> None:
    """A total per instance, an average as it is, a pool whose instances are unknown in all."""
    decode, prefill, nothing = make_advice()
    assert advice.target_text(decode) == "464 tokens/s per instance"
    assert advice.band_text(decode) == "411 to 545 tokens/s"
    assert advice.target_text(prefill) == "70.6 %"
    assert advice.band_text(prefill) == "69.7 to 74.2 %"
    assert advice.target_text(replace(decode, per="pool")) == "464 tokens/s in all"
    assert (advice.target_text(nothing), advice.band_text(nothing)) == ("–", "")
    same = replace(decode, target=Estimate(464.0, 464.01, 464.02))
    assert advice.band_text(same) == "464 tokens/s"


def test_rules_are_those_of_autoscalers() -> None:
    """AverageValue for totals, Value for averages, steps where nothing fits a ratio rule."""
    assert [advice.control_text(one) for one in make_advice()] == [
        "HPA or KEDA, AverageValue",
        "HPA or KEDA, Value",
        "steps on excess only",
    ]


def test_lines_tell_level_rule_runner_up_query_and_what_is_not_known() -> None:
    """In this order; with a condition that is accepted first; the reason alone where there is no signal."""
    card = make_advised()
    decode, prefill, nothing = card.recommendations
    assert advice.advice_lines(card, decode) == [
        "Level: decode:itl_p99 turns upwards at 465 tokens/s of load per instance "
        "(95 %: 412 to 547 tokens/s); the busiest 5 % of quarter hours lay above 581 tokens/s.",
        "Rule: instances = total / target, averaged over 2 min; on tokens/s HeteroScale's proportional control is the same rule.",
        "Next best decode:running: larger capacity error 9 % against 6.3 %.",
        "Query: sum(rate(decode_tokens_total[2m]))",
        "Guard rails: decode:itl_mean.",
        "Limits: Fewer than 3 whole days: other days may be busier.",
    ]
    lines = advice.advice_lines(card, prefill)
    assert lines[0] == "Accepted with it: it comes late."
    assert (
        lines[1]
        == "Level: the busiest 5 % of quarter hours lay above 9.7k tokens/s of load per instance."
    )
    assert lines[2] == "Rule: instances = ready instances x average / target, averaged over 2 min."
    assert advice.advice_lines(card, nothing) == [
        "Nothing to scale on: none of its signals moves in proportion to load. "
        "For steps on excess: unified:ttft_p99."
    ]
    without = replace(decode, target=Estimate(None, reason="too few ticks"))
    assert advice.advice_lines(card, without)[0] == "No target: too few ticks."


def test_level_of_unknown_instances_is_that_of_the_pool() -> None:
    """Load of the pool as a whole."""
    card = make_advised()
    loads = tuple(replace(choice, ready_column=None) for choice in card.loads)
    lines = advice.advice_lines(replace(card, loads=loads), card.recommendations[0])
    assert "of load in the whole pool" in lines[0]


def test_section_has_a_row_and_the_reasons_of_each_pool() -> None:
    """A table of all pools, then each with its lines."""
    section = advice.advice_section(make_advised())
    table = section.blocks[0]
    assert isinstance(table, Table)
    assert [[cell.text for cell in row] for row in table.rows] == [
        [
            "decode:decode_tps",
            "464 tokens/s per instance",
            "2 min",
            "HPA or KEDA, AverageValue",
            "decode:running: larger capacity error 9 % against 6.3 %",
        ],
        ["prefill:gpu_util", "70.6 %", "2 min", "HPA or KEDA, Value", "–"],
        ["unified", "–", "–", "steps on excess only", "–"],
    ]
    heads = [block.text for block in section.blocks if isinstance(block, Heading)]
    assert heads == ["decode:decode_tps", "prefill:gpu_util", "unified"]
    assert any("Query: sum" in b.text for b in section.blocks if isinstance(b, Paragraph))


def test_key_figures_and_the_pool_they_belong_to() -> None:
    """Target with its band, window, rule."""
    card = make_advised()
    one = advice.advice_of(card, "decode")
    assert one is card.recommendations[0]
    assert advice.advice_of(make_scorecard(), "decode") is None
    items = advice.advice_figures(one).items
    assert [(item.value, item.note) for item in items] == [
        ("464 tokens/s per instance", "95 %: 411 to 545 tokens/s"),
        ("2 min", ""),
        ("AverageValue", "of HPA or KEDA"),
    ]
