"""What the reader of a panel is told."""

from __future__ import annotations

import pytest

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


def test_what_was_scraped_once_counts_from_the_begin_and_says_so(hand: Hand) -> None:
    name = "vllm:time_to_first_token_seconds"
    counts = {"1.0": 40, "2.5": 60, "5.0": 80, "7.5": 90, "10.0": 94, "+Inf": 100}
    hand.load(
        chunk_of(
            *(
                (Series(f"{name}_bucket", {"pod": "p", "le": le}), [(7, n)])
                for le, n in counts.items()
            ),
            (Series(f"{name}_sum", {"pod": "p"}), [(7, 520)]),
            (Series(f"{name}_count", {"pod": "p"}), [(7, 100)]),
        )
    )
    row = hand.store.panel("svc").frame.row(-1, named=True)
    found = [row[f"unified:ttft_{what}"] for what in ("p50", "p90", "mean")]
    assert found == pytest.approx([1.75, 7.5, 5.2])
    assert row.get("unified:ttft_p99") is None
    assert {"open_bound", "scraped_once"} <= set(codes(hand))


def test_a_second_scrape_counts_alone(hand: Hand) -> None:
    name = "vllm:time_to_first_token_seconds_bucket"
    hand.load(
        chunk_of(
            (Series(name, {"pod": "p", "le": "1.0"}), [(0, 40), (15, 50)]),
            (Series(name, {"pod": "p", "le": "+Inf"}), [(0, 100), (15, 110)]),
            (Series(name, {"pod": "q", "le": "1.0"}), [(15, 0)]),
            (Series(name, {"pod": "q", "le": "+Inf"}), [(15, 7000)]),
        )
    )
    assert hand.store.panel("svc").frame["unified:ttft_p99"].drop_nulls().to_list() == [0.99]
    assert "scraped_once" not in codes(hand)


def test_counters_that_end_early_are_told(hand: Hand) -> None:
    def tokens(pod: str, scrapes: int) -> tuple[Series, list[tuple[float, float]]]:
        points = [(15.0 * i, 150.0 * i) for i in range(scrapes)]
        return Series("vllm:generation_tokens_total", {"pod": pod}), points

    hand.load(chunk_of(tokens("a", 10), tokens("b", 9), tokens("c", 8)))
    text = codes(hand)["counter_ended"]
    assert text.startswith("1 of 3 counters of decode_tokens_total end while others")
    assert "00:01:45 UTC" in text
