"""The answer in one sentence."""

from __future__ import annotations

from dataclasses import replace

from signals.schema import Estimate, PanelColumn
from signals.study.headline import guard_rails, headline, recommended
from signals.study.score import Remark, SignalScore, Verdict
from tests.builders_advice import make_advice


def _score(
    name: str,
    verdict: Verdict,
    *,
    rank: int | None = 1,
    identity: bool = False,
    conditions: tuple[Remark, ...] = (),
    lag: Estimate | None = None,
    reason: str = "it hardly moves",
) -> SignalScore:
    pool, signal = name.split(":")
    return SignalScore(
        PanelColumn(name, pool, signal, "ratio", "average"),
        "service:request_rate",
        verdict,
        (Remark("why", reason),),
        conditions,
        rank,
        identity,
        {"lag_s": lag or Estimate(30.0, 20.0, 40.0), "capacity_error": Estimate(0.07)},
    )


LATE = Remark("late", "it comes late", -0.2, -0.1)
NOISY = Remark("noisy", "its noise is large", 0.2, 0.1)


def test_best_clean_signal_is_recommended() -> None:
    """Not the first, if that one comes late; noise alone is no obstacle."""
    scores = [
        _score("prefill:gpu_util", "proportional", conditions=(LATE,)),
        _score("decode:decode_tps", "proportional", rank=2, conditions=(NOISY,)),
    ]
    assert recommended(scores) is scores[1]
    assert headline(scores) == (
        "Scale on decode:decode_tps: proportional, 30 s behind load, capacity error 7.3 %."
    )


def test_without_a_clean_signal_the_condition_is_named() -> None:
    """Who takes it anyway knows what is accepted."""
    text = headline([_score("prefill:gpu_util", "proportional", conditions=(LATE,))])
    assert text.startswith("prefill:gpu_util comes closest to what a ratio rule needs")
    assert text.endswith("but it comes late.")


def test_popular_signals_are_warned_of() -> None:
    """Unusable ones with their reason, guard rails by name."""
    text = headline(
        [
            _score("decode:decode_tps", "proportional"),
            _score("prefill:ttft_mean", "feedback"),
            _score("decode:itl_mean", "feedback", rank=2),
            _score("decode:gpu_util", "unusable"),
        ]
    )
    assert "; decode:gpu_util is unusable (it hardly moves); " in text
    assert text.endswith("prefill:ttft_mean, decode:itl_mean are guard rails only.")


def test_no_name_gets_two_advices() -> None:
    text = headline(
        [
            _score("decode:decode_tps", "proportional"),
            _score("prefill:ttft_mean", "feedback"),
            _score("decode:ttft_mean", "unusable"),
            _score("decode:power_w", "unusable"),
        ]
    )
    assert text.count("ttft_mean") == 1
    assert "decode:power_w is unusable" in text


def test_a_signal_that_warns_of_latency_is_a_guard_rail_whatever_its_class() -> None:
    warns = Remark("warns_of_latency", "it reached 90 % before latency rose")
    scores = [
        _score("prefill:ttft_mean", "feedback"),
        _score("decode:kv_usage", "unusable", conditions=(warns,)),
        _score("prefill:kv_usage", "insufficient_data", conditions=(warns,)),
    ]
    assert guard_rails(scores) == ["decode:kv_usage", "prefill:ttft_mean"]
    assert headline(scores).endswith("; decode:kv_usage, prefill:ttft_mean are guard rails only.")


def test_no_proportional_signal_says_so() -> None:
    """With or without the load itself among them; too little data says why."""
    rail = _score("decode:itl_mean", "feedback")
    own = _score("decode:decode_tps", "proportional", rank=None, identity=True)
    assert headline([rail]).startswith("No signal moves in proportion to load")
    assert headline([own, rail]).startswith("No signal beside the load itself")
    few = _score("decode:itl_mean", "insufficient_data", rank=None, reason="only 12 ticks")
    assert headline([few]) == "Too little data for a verdict: only 12 ticks."


def test_lags_read_as_words() -> None:
    """Ahead, none to speak of, or undetermined."""
    for lag, words in (
        (Estimate(-20.0, -30.0, -10.0), "20 s ahead of load"),
        (Estimate(0.2, -1.0, 1.0), "no lag to speak of,"),
        (Estimate(None, determined=False), "lag undetermined"),
    ):
        assert words in headline([_score("decode:decode_tps", "proportional", lag=lag)])


def test_each_pool_gets_its_own_signal() -> None:
    """Prefill and decode are two fleets; the service's arrivals are nobody's signal beside them."""
    scores = [
        _score("service:request_rate", "proportional"),
        _score("prefill:prefill_tps", "proportional", rank=2, lag=Estimate(0.4, -0.2, 1.1)),
        _score("prefill:gpu_util", "proportional", rank=3),
        _score("decode:decode_tps", "proportional", rank=4),
    ]
    assert headline(scores) == (
        "Scale prefill on prefill_tps (proportional, no lag to speak of, capacity error 7.3 %) "
        "and decode on decode_tps (proportional, 30 s behind load, capacity error 7.3 %)."
    )


def test_the_target_is_named_where_one_is_recommended() -> None:
    """Behind the figures of its signal: of a total per instance, of an average as it is, of a pool in all."""
    score = _score("decode:decode_tps", "proportional")
    decode, prefill, _ = make_advice()
    assert headline([score], (decode,)).endswith(
        "capacity error 7.3 %; aim at 464 tokens/s per instance."
    )
    assert headline([score], (replace(decode, per="pool"),)).endswith(
        "; aim at 464 tokens/s for the whole pool."
    )
    late = _score("prefill:gpu_util", "proportional", conditions=(LATE,))
    assert "capacity error 7.3 %; aim at 70.6 %), but it comes late" in headline([late], (prefill,))


def test_every_pool_that_serves_is_named() -> None:
    """Also one whose signal takes a condition to accept, and one without any."""
    decode, prefill, nothing = make_advice()
    scores = [
        _score("decode:decode_tps", "proportional"),
        _score("prefill:gpu_util", "proportional", conditions=(LATE,)),
        _score("unified:ttft_p99", "feedback"),
    ]
    text = headline(scores, (decode, prefill, nothing))
    assert text.startswith("Scale on decode:decode_tps: ")
    assert "; prefill at best on gpu_util (proportional, 30 s behind load, " in text
    assert "but it comes late; nothing to scale unified on; " in text
    doubtful = headline(scores[1:], (prefill, replace(nothing, pool="decode"), nothing))
    assert doubtful.startswith("prefill:gpu_util comes closest")
    assert "but it comes late; nothing to scale decode and unified on; " in doubtful
    assert doubtful.count("gpu_util") == 1


def test_too_little_data_on_some_is_no_word_on_all() -> None:
    few = _score("decode:itl_mean", "insufficient_data", rank=None, reason="only 12 ticks")
    text = headline([_score("decode:gpu_util", "unusable"), few])
    assert text.startswith(
        "Too little data for a verdict on 1 of 2 signals: only 12 ticks; no other moves in proportion"
    )
