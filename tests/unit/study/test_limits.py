"""What a target does not know."""

from __future__ import annotations

from dataclasses import replace

from signals.schema import Estimate, PanelColumn
from signals.study.limits import limits
from signals.study.score import LoadChoice, Remark, SignalScore

CHOICE = LoadChoice(
    "decode", "service:offered_output_tps", "load", "tokens/s", "offered", "default", "decode:ready"
)
SCORE = SignalScore(
    PanelColumn("decode:decode_tps", "decode", "decode_tps", "tokens/s", "total"),
    "service:offered_output_tps",
    "proportional",
    (),
    (),
    1,
    identity=False,
    measures={},
)


def _target(**extra: float | str | None) -> Estimate:
    return Estimate(400.0, extra={"guard": None, "guards": 0, **extra})


def _texts(*args: object) -> dict[str, str]:
    return {remark.code: remark.text for remark in limits(*args)}  # type: ignore[arg-type]


def test_latency_objective_is_never_known() -> None:
    """Three sentences: a guard turns, none of those looked at does, or there is none."""
    turned = _texts(SCORE, CHOICE, _target(guard="decode:itl_p99", guards=7))["no_objective"]
    assert "whether decode:itl_p99 turns too far there" in turned
    assert "(7 looked at)" in _texts(SCORE, CHOICE, _target(guards=7))["no_objective"]
    assert "neither a queue nor a latency" in _texts(SCORE, CHOICE, _target())["no_objective"]


def test_days_are_compared_where_there_are_three() -> None:
    """With their targets; else it is said that there are too few."""
    three = _texts(SCORE, CHOICE, _target(day_low=350.0, day_high=1420.0))
    assert "between 350 tokens/s and 1.42k tokens/s" in three["days_differ"]
    assert "few_days" in _texts(SCORE, CHOICE, _target())


def test_what_else_makes_it_doubtful() -> None:
    """An unknown number of instances (of a total only), a load that was served, a scaler that acted."""
    unknown = replace(CHOICE, ready_column=None, kind="served")
    held = replace(SCORE, conditions=(Remark("closed_loop", "it is held"),))
    codes = set(_texts(held, unknown, _target()))
    assert codes == {"no_objective", "whole_pool", "closed_loop", "served_load", "few_days"}
    average = replace(SCORE, column=replace(SCORE.column, scope="average"))
    assert "whole_pool" not in _texts(average, unknown, _target())
    assert set(_texts(SCORE, CHOICE, _target())) == {"no_objective", "few_days"}


def test_without_a_target_there_is_nothing_to_say() -> None:
    """The reason is the target's own."""
    assert limits(SCORE, CHOICE, Estimate(None, reason="too few ticks")) == ()
