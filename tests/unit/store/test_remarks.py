"""What the reader of a panel is told."""

from __future__ import annotations

from signals.store.parsed import Series
from tests.sql.hand import Hand, chunk_of


def codes(hand: Hand) -> dict[str, str]:
    return {finding.code: finding.text for finding in hand.store.panel("svc").findings}


def test_resets_and_late_counters_are_told(hand: Hand) -> None:
    def tokens(pod: str) -> Series:
        return Series("vllm:generation_tokens_total", {"pod": pod})

    hand.load(
        chunk_of(
            (tokens("a"), [(15.0 * i, 10.0 * (i % 5)) for i in range(10)]),
            (tokens("b"), [(90, 500), (105, 510), (120, 520)]),
            (tokens("c"), [(90, 0), (105, 10), (120, 20)]),
        )
    )
    found = codes(hand)
    assert found["counter_reset"] == "counters of decode_tokens_total fell once, as after a restart"
    assert found["late_counter"].startswith("1 counters of decode_tokens_total appear late")
    assert "no_gpu_signals" in found


def test_open_bounds_are_told_with_their_share(hand: Hand) -> None:
    series = [
        (
            Series("vllm:time_to_first_token_seconds_bucket", {"pod": "p", "le": le}),
            [(0, 0), (15, n)],
        )
        for le, n in (("1.0", 40), ("10.0", 94), ("+Inf", 100))
    ]
    hand.load(chunk_of(*series))
    assert codes(hand)["open_bound"] == (
        "at 1 ticks a quantile lies above the top bound of 10 s (up to 6% of observations)"
    )
    panel = hand.store.panel("svc")
    assert panel.column("unified:ttft_p99") is None
    assert panel.frame["unified:ttft_p50"].to_list()[-1] is not None


def test_hardware_signals_are_not_missed_where_they_are(hand: Hand) -> None:
    hand.load(chunk_of((Series("decode_tps", {}, unit="tokens/s"), [(15, 1)])))
    assert "no_gpu_signals" in codes(hand)
    hand.load(chunk_of((Series("gpu_util", {}, unit="%"), [(15, 1)])))
    assert "no_gpu_signals" not in codes(hand)


def test_warnings_of_loading_come_along(hand: Hand) -> None:
    usage = Series("vllm:kv_cache_usage_perc", {"pod": "p"})
    hand.load(chunk_of((usage, [(0, 55), (15, 60)])))
    hand.load(chunk_of((usage, [(30, 70)])))
    found = [f for f in hand.store.panel("svc").findings if f.code == "out_of_range"]
    assert [finding.count for finding in found] == [3]
