"""Values, intervals and remarks in words."""

from __future__ import annotations

from datetime import timedelta

import pytest

from signals.report import words
from signals.schema import Estimate, Finding, Slo, Span
from signals.study.score import Remark
from tests.builders import START, make_comparison, make_score


@pytest.mark.parametrize(
    ("value", "unit", "expected"),
    [
        (0.061, "ln", "6.29 %"),
        (0.0, "ln", "0 %"),
        (0.873, "ratio", "87.3 %"),
        (0.031, "s", "31 ms"),
        (9.8, "s", "9.8 s"),
        (14 * 86_400.0, "s", "336 h"),
        (10_108_800.0, "s", "117 d"),
        (41_200.0, "tokens/s", "41.2k tokens/s"),
        (0.98, "", "0.98"),
        (None, "s", "–"),
        (float("nan"), "s", "–"),
    ],
)
def test_quantity_shows_unit_and_three_digits(
    value: float | None, unit: str, expected: str
) -> None:
    """Log errors become per cent; a missing value is a dash."""
    assert words.quantity(value, unit) == expected


@pytest.mark.parametrize(
    ("share", "expected"),
    [(0.902, "90.2 %"), (0.9987, "99.87 %"), (0.99999, "99.99 %"), (1.0, "100 %"), (147.4, "14,740 %"), (None, "–")],
)  # fmt: skip
def test_share_close_to_one_keeps_what_matters(share: float | None, expected: str) -> None:
    """99.999 % is not shown as 100 %, since a miss is a miss."""
    assert words.share_text(share) == expected


@pytest.mark.parametrize(
    ("name", "estimate", "value", "interval"),
    [
        ("capacity_error", Estimate(0.061, 0.055, 0.068), "6.29 %", "5.65 to 7.04 %"),
        ("lag_s", Estimate(9.8, 7.7, 12.2), "9.8 s", "7.7 to 12.2 s"),
        ("lag_s", Estimate(0.9, 0.5, 1.4), "900 ms", "500 ms to 1.4 s"),
        ("lag_s", Estimate(5.0, -400, 500, determined=False), "undetermined", "-6.67 to 8.33 min"),
        ("spearman", Estimate(0.991, 0.96, 0.996), "0.99", "0.96 to 1.00"),
        ("peak_bias", Estimate(-0.1, -0.2, 0.1), "−9.52 %", "−18.1 to +10.5 %"),
        ("noise_ratio", Estimate(None, reason="constant"), "–", ""),
        ("noise_ratio", None, "–", ""),
    ],
)
def test_measure_in_words(name: str, estimate: Estimate | None, value: str, interval: str) -> None:
    """A shared unit is written once; undetermined is said."""
    assert words.value_text(name, estimate) == value
    assert words.interval_text(name, estimate) == interval


def test_estimate_joins_value_and_interval() -> None:
    """An undetermined value shows no interval that would suggest precision."""
    assert words.estimate_text("lag_s", Estimate(9.8, 7.7, 12.2)) == "9.8 s (7.7 to 12.2 s)"
    assert (
        words.estimate_text("lag_s", Estimate(9.8, 7.7, 12.2, determined=False)) == "undetermined"
    )


@pytest.mark.parametrize(
    ("lag", "expected"),
    [
        (Estimate(10.0), "10 s behind load"),
        (Estimate(-2.0), "2 s ahead of load"),
        (Estimate(1.0, -1.0, 2.0), "no lag to speak of"),
        (Estimate(3.0, determined=False), "lag undetermined"),
        (Estimate(None), "lag unknown"),
    ],
)
def test_lag_words(lag: Estimate, expected: str) -> None:
    """The sign becomes a word."""
    assert words.lag_words(make_score(measures={"lag_s": lag})) == expected


def test_remarks_become_sentences() -> None:
    """Capital first, full stop last; a remark without text is told by its code."""
    remarks = (Remark("noisy", "its noise is 21 %"), Remark("closed_loop", ""))
    assert words.remarks_text(remarks) == "Its noise is 21 %. Closed loop."


def test_finding_names_subject_and_action() -> None:
    """What about what, and what was done."""
    finding = Finding("scrape_gap", "warning", "no samples", 1, "prefill-2", "left empty")
    assert words.finding_text(finding) == "prefill-2: no samples (left empty)"


def test_span_names_the_second_day_only_if_there_is_one() -> None:
    """From when to when, and how long that is, in UTC."""
    assert (
        words.span_text(Span(START, START + timedelta(hours=2)))
        == "2026-11-23 00:00 to 02:00 UTC (2 h)"
    )
    assert words.span_text(Span(START, START + timedelta(hours=30))) == "2026-11-23 00:00 to 2026-11-24 06:00 UTC (30 h)"  # fmt: skip


def test_settings_of_a_backtest_in_words() -> None:
    """Objectives, workload and parameters as people write them."""
    assert words.slo_text(Slo(1.0, 0.05)) == "TTFT ≤ 1 s, TPOT ≤ 50 ms"
    assert words.workload_text(make_comparison(hours=1)).endswith("requests of chat")
    assert words.parameters_text({"a": 0.1, "b": None, "c": "x"}) == "a=0.1, c=x"
    assert words.parameters_text({}) == "–"


def test_unknown_measure_is_titled_by_its_name() -> None:
    """A measure that is added later needs no change here."""
    assert words.measure_spec("rise_time").title == "rise time"


def test_told_says_each_sentence_once_and_leaves_the_load_to_a_common_note() -> None:
    """What is true because of the load is said once for all signals, with their number."""
    pinned = Remark("pinned", "it is pinned")
    served = Remark("served_load", "the load is what was served")
    one = make_score(reasons=[pinned], conditions=[pinned, served])
    two = make_score(reasons=[Remark("ok", "it fits")], identity=True)
    assert words.told(one) == "It is pinned."
    assert words.told(two) == "This signal is the load itself, so it has no rank. It fits."
    assert words.told_of_load([one, two]) == "1 of 2 signals: The load is what was served."
    assert words.told_of_load([one]) == "All signals: The load is what was served."


def test_told_briefly_is_one_sentence_and_codes() -> None:
    """A terminal has little room: the first reason in full, the rest by code, the load's left out."""
    served = Remark("served_load", "the load is what was served")
    late, noisy = Remark("late", "it comes late"), Remark("very_noisy", "its noise is 30 %")
    score = make_score(
        reasons=[Remark("slope", "it is insensitive")], conditions=[late, served, noisy]
    )
    assert words.told_briefly(score) == "It is insensitive; late, very noisy."
    assert words.told_briefly(make_score(reasons=[late])) == "It comes late."
    assert words.told_briefly(make_score(reasons=[], identity=True)).startswith(
        "This signal is the load"
    )
