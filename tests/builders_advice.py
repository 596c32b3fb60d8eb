"""Recommendations as `evaluate` gives them: one at a turn, one at the busiest, one pool without a signal."""

from __future__ import annotations

from dataclasses import replace

from signals.schema import Estimate
from signals.study.recommendation import Recommendation, RunnerUp
from signals.study.score import Remark, Scorecard
from tests.builders import make_scorecard

__all__ = ["make_advice", "make_advised"]


def make_advice() -> tuple[Recommendation, ...]:
    """Decode at the turn of its latency, prefill at its busiest with a condition accepted, the rest without."""
    decode = Recommendation(
        "decode",
        signal="decode:decode_tps",
        verdict="proportional",
        accepted=(),
        control="ratio_rule",
        metric_type="AverageValue",
        window_s=120.0,
        promql="sum(rate(decode_tokens_total[2m]))",
        target=Estimate(
            464.0,
            411.0,
            545.0,
            extra={
                "basis": "knee",
                "guard": "decode:itl_p99",
                "guards": 7,
                "load_per_instance": 465.0,
                "load_low": 412.0,
                "load_high": 547.0,
                "busiest_load": 581.0,
                "busiest_target": 579.0,
                "ratio": 0.997,
            },
        ),
        unit="tokens/s",
        per="instance",
        runner_up=RunnerUp(
            "decode:running",
            "proportional",
            "capacity_error",
            "larger capacity error 9 % against 6.3 %",
        ),
        guard_rails=("decode:itl_mean",),
        limits=(Remark("few_days", "fewer than 3 whole days: other days may be busier"),),
        reason="",
    )
    prefill = replace(
        decode,
        pool="prefill",
        signal="prefill:gpu_util",
        accepted=(Remark("late", "it comes late"),),
        metric_type="Value",
        promql="",
        unit="ratio",
        target=Estimate(
            0.706,
            0.697,
            0.742,
            extra={
                "basis": "busiest",
                "guard": None,
                "guards": 0,
                "load_per_instance": 9700.0,
                "load_low": None,
                "load_high": None,
                "busiest_load": 9700.0,
                "busiest_target": 0.706,
                "ratio": 7.3e-5,
            },
        ),
        runner_up=None,
        guard_rails=(),
    )
    nothing = Recommendation(
        "unified",
        signal=None,
        verdict=None,
        accepted=(),
        control="guard_rail",
        metric_type=None,
        window_s=None,
        promql="",
        target=Estimate(None, determined=False, reason="no signal to set a target for"),
        unit="",
        per="instance",
        runner_up=None,
        guard_rails=("unified:ttft_p99",),
        limits=(),
        reason="none of its signals moves in proportion to load",
    )
    return decode, prefill, nothing


def make_advised() -> Scorecard:
    """The scorecard of `make_scorecard` with these recommendations."""
    return replace(make_scorecard(), recommendations=make_advice())
