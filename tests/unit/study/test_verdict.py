"""The rules by which figures become a verdict."""

from __future__ import annotations

import pytest

from signals.study.score import Remark, Verdict
from signals.study.verdict import RULES, blocks_recommendation, judge

GOOD: dict[str, float | None] = {
    "ticks": 1440.0,
    "load_span": 4.0,
    "coverage": 1.0,
    "elasticity": 1.0,
    "elasticity_size": 1.0,
    "saturation_ratio": 0.0,
    "calibrated_share": 0.1,
    "capacity_error": 0.05,
    "lag_low_s": 5.0,
    "residual_elasticity": 0.9,
    "peak_bias": 0.0,
    "trend_gap": 0.0,
    "noise_ratio": 0.02,
    "hysteresis_size": 0.01,
    "served_load": 0.0,
    "assumed_constant_fleet": 0.0,
    "scaler_elasticity": 0.0,
}


def test_good_figures_are_proportional_without_conditions() -> None:
    """Everything in its range."""
    verdict, reasons, conditions = judge(GOOD)
    assert verdict == "proportional"
    assert [reason.code for reason in reasons] == ["in_proportion"]
    assert conditions == ()


@pytest.mark.parametrize(
    ("figures", "verdict", "code"),
    [
        ({"ticks": 119.0}, "insufficient_data", "few_ticks"),
        ({"load_span": 1.49}, "insufficient_data", "load_hardly_moves"),
        ({"coverage": 0.49}, "insufficient_data", "low_coverage"),
        ({"capacity_error": None}, "insufficient_data", "no_capacity_error"),
        ({"elasticity": 0.09, "elasticity_size": 0.09}, "unusable", "insensitive"),
        ({"saturation_ratio": 0.51}, "unusable", "pinned"),
        ({"flat_against_direction": 0.51}, "unusable", "no_response"),
        ({"at_upper_end": 0.51}, "unusable", "pinned"),
        ({"calibrated_share": 0.81}, "unusable", "uninformative"),
        ({"lag_low_s": 901.0}, "unusable", "too_late"),
        ({"residual_elasticity": 0.19}, "unusable", "follows_the_clock"),
        ({"elasticity": 0.79, "elasticity_size": 0.79}, "feedback", "insensitive"),
        ({"elasticity": 1.26, "elasticity_size": 1.26}, "feedback", "oversensitive"),
        ({"elasticity": -1.0, "elasticity_size": 1.0}, "feedback", "falls_with_load"),
        ({"elasticity": None, "elasticity_size": None}, "feedback", "no_elasticity"),
        ({"capacity_error": 0.151}, "feedback", "inaccurate"),
        ({"elasticity": 0.8, "elasticity_size": 0.8}, "proportional", "in_proportion"),
        ({"elasticity": 1.25, "elasticity_size": 1.25}, "proportional", "in_proportion"),
        ({"capacity_error": 0.15}, "proportional", "in_proportion"),
        ({"residual_elasticity": None}, "proportional", "in_proportion"),
    ],
)
def test_class_follows_its_threshold(
    figures: dict[str, float | None], verdict: Verdict, code: str
) -> None:
    """One figure out of its range decides; the threshold itself does not."""
    found, reasons, _ = judge({**GOOD, **figures})
    assert (found, reasons[0].code) == (verdict, code)


@pytest.mark.parametrize(
    ("figures", "code", "blocks"),
    [
        ({"peak_bias": -0.06}, "under_orders_at_peak", True),
        ({"peak_bias": 0.06}, "over_orders_at_peak", False),
        ({"trend_gap": -0.11}, "late", True),
        ({"lag_low_s": 61.0}, "late", True),
        ({"noise_ratio": 0.11}, "noisy", False),
        ({"residual_elasticity": 0.49}, "clock_shaped", True),
        ({"saturation_ratio": 0.3}, "pinned_part_of_the_time", False),
        ({"hysteresis_size": 0.2}, "hysteresis", False),
        ({"served_load": 1.0}, "served_load", False),
        ({"scaler_elasticity": 0.8}, "closed_loop", False),
        ({"assumed_constant_fleet": 1.0}, "assumed_constant_fleet", False),
        ({"at_lower_end": 0.91}, "saturated", False),
        ({"at_zero": 0.91}, "mostly_zero", False),
        ({"constant": 1.0}, "constant", False),
        ({"other_pool": 0.51}, "moved_by_other_pool", True),
        ({"warned_rises": 3.0}, "warns_of_latency", False),
    ],
)
def test_condition_changes_no_class_but_may_block(
    figures: dict[str, float | None], code: str, blocks: bool
) -> None:
    """Each condition carries its figure; three of them stop a recommendation."""
    verdict, _, conditions = judge({**GOOD, **figures})
    assert verdict == "proportional"
    assert [condition.code for condition in conditions] == [code]
    assert conditions[0].value == next(iter(figures.values()))
    assert blocks_recommendation(conditions[0]) is blocks


def test_two_ways_of_being_late_are_one_condition() -> None:
    """The first rule of a code speaks."""
    _, _, conditions = judge({**GOOD, "trend_gap": -0.5, "lag_low_s": 100.0})
    assert [c.code for c in conditions] == ["late"]
    assert conditions[0].threshold == -0.10


def test_all_reasons_of_the_class_are_named() -> None:
    """A constant is insensitive, pinned and uninformative at once."""
    flat = {"elasticity": 0.0, "elasticity_size": 0.0, "saturation_ratio": 1.0}
    _, reasons, _ = judge({**GOOD, **flat, "calibrated_share": 1.0})
    assert [r.code for r in reasons] == ["insensitive", "pinned", "uninformative"]


def test_too_little_data_keeps_only_what_surrounds_the_signal() -> None:
    """What cannot be judged is not described, but that a scaler holds load flat explains it."""
    _, _, conditions = judge(
        {**GOOD, "load_span": 1.1, "noise_ratio": 3.0, "scaler_elasticity": 0.95}
    )
    assert [condition.code for condition in conditions] == ["closed_loop"]


def test_sentences_read_well() -> None:
    """Figures are filled in as people read them."""
    _, reasons, _ = judge({**GOOD, "elasticity": 0.02, "elasticity_size": 0.02})
    assert reasons[0].text == "it hardly moves: 0.02 % when load moves by 1 %"
    _, reasons, _ = judge({**GOOD, "capacity_error": 0.45})
    assert "57 % too many or too few" in reasons[0].text
    _, _, conditions = judge({**GOOD, "peak_bias": -0.145})
    assert conditions[0].text == "at the peak a ratio rule on it orders 13 % too few instances"


@pytest.mark.parametrize(
    ("figures", "interval", "code", "end"),
    [
        ({"elasticity": -0.28}, (-1.24, 1.38), "falls_with_load",
         "it falls as load grows: by 0.28 % when load moves by 1 %; its interval, -1.24 to 1.38, leaves that open"),
        ({"elasticity": -0.28}, (-0.5, -0.1), "falls_with_load",
         "it falls as load grows: by 0.28 % when load moves by 1 %"),
        ({"elasticity_size": 0.01}, (-0.74, 0.90), "insensitive", "; its interval, -0.74 to 0.90, leaves that open"),
        ({"elasticity_size": 0.01}, (-0.05, 0.06), "insensitive", "0.01 % when load moves by 1 %"),
        ({"elasticity_size": 0.3}, (-0.2, 0.7), "insensitive", "; its interval, -0.20 to 0.70, leaves its direction open"),
        ({"elasticity_size": 0.3}, (-0.9, 0.7), "insensitive", "; its interval, -0.90 to 0.70, leaves that open"),
        ({"elasticity_size": 0.3}, (0.1, 0.7), "insensitive", "a ratio rule needs 1 %"),
        ({"elasticity": 1.5}, (1.25, 2.0), "oversensitive", "; its interval, 1.25 to 2.00, leaves that open"),
        ({"elasticity": 1.5}, (1.26, 2.0), "oversensitive", "a ratio rule needs 1 %"),
        ({"capacity_error": 0.2}, (0.1, 0.3), "inaccurate", "; its interval, 11 % to 35 %, leaves that open"),
        ({"peak_bias": -0.145}, (-0.2, 0.02), "under_orders_at_peak", "; its interval, -18 % to 2 %, leaves that open"),
        ({"trend_gap": -0.2}, (-0.4, 0.1), "late", "; its interval, -33 % to 11 %, leaves that open"),
        ({"trend_gap": -0.2}, (-0.4, -0.11), "late", "18 % less than on falling load"),
        ({"hysteresis_size": 0.2}, (-0.3, 0.5), "hysteresis", "; its interval, -30 % to 50 %, leaves that open"),
        ({"hysteresis_size": 0.2}, (-0.5, -0.11), "hysteresis", "between rising and falling load"),
        ({"noise_ratio": 0.12}, (0.08, 0.2), "noisy", "; its interval, 8 % to 20 %, leaves that open"),
        ({}, (0.7, 1.1), "in_proportion", "; its interval, 0.70 to 1.10, leaves that open"),
        ({}, (0.9, 1.26), "in_proportion", "; its interval, 0.90 to 1.26, leaves that open"),
        ({}, (0.8, 1.25), "in_proportion", "1.00 % when load moves by 1 %"),
    ],
)  # fmt: skip
def test_sentence_says_where_its_interval_leaves_it_open(
    figures: dict[str, float | None], interval: tuple[float, float], code: str, end: str
) -> None:
    """Over the threshold, or over the sign that is claimed; class, codes and figures are as without it."""
    known = {next(iter(figures), "elasticity"): interval}
    seen = {**GOOD, **figures}
    bare, told = judge(seen), judge(seen, known)
    remarks = {remark.code: remark for part in told[1:] for remark in part}
    assert remarks[code].text.endswith(end)
    assert told[0] == bare[0]
    for before, after in zip((*bare[1], *bare[2]), (*told[1], *told[2]), strict=True):
        assert (after.code, after.value, after.threshold) == (
            before.code,
            before.value,
            before.threshold,
        )


def test_every_rule_can_be_written_and_every_code_is_snake_case() -> None:
    """No sentence with a hole, no code that changes under a reader's hands."""
    for rule in RULES:
        nudge = -0.001 if rule.side == "below" else 0.001
        verdicts = judge({**GOOD, rule.figure: rule.threshold + nudge})
        texts = [remark.text for remarks in verdicts[1:] for remark in remarks]
        assert all("{" not in text for text in texts)
        assert rule.code.replace("_", "").isalpha()
        assert rule.code == rule.code.lower()


def test_unknown_condition_blocks_nothing() -> None:
    """Codes that are in no rule are only words."""
    assert not blocks_recommendation(Remark("anything", ""))


@pytest.mark.parametrize("ticks", [0.0, 1.0, 119.0])
def test_few_ticks_read_well_for_any_count(ticks: float) -> None:
    """One tick is no plural; 120 are needed."""
    reason = judge({**GOOD, "ticks": ticks})[1][0]
    assert reason.text == (
        f"signal and load have values on only {ticks:.0f} of the 120 ticks that are needed"
    )
