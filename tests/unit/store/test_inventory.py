"""What is loaded."""

from __future__ import annotations

import pytest

from signals.store.parsed import Series
from tests.sql.hand import Hand, at, chunk_of


def test_services_pools_signals_sources_and_findings(hand: Hand) -> None:
    running = Series("vllm:num_requests_running", {"pod": "decode-0"})
    buckets = [
        (Series("vllm:time_to_first_token_seconds_bucket", {"pod": "decode-0", "le": le}), [(0, 0)])
        for le in ("1", "+Inf")
    ]
    hand.load(chunk_of((running, [(0, 1), (15, 1), (15, 2), (45, 1), (60, 1)]), *buckets))
    hand.load(chunk_of(requests=[{"arrived_s": 90, "prompt_tokens": 5}]), service="log")
    inventory = hand.store.inventory()
    assert inventory.services.select("service", "series", "samples", "requests").rows() == [
        ("log", 0, 0, 1),
        ("svc", 2, 5, 0),
    ]
    assert inventory.services["last_at"].to_list() == [at(90), at(60)]
    assert inventory.pools.rows() == [("svc", "decode", 1, "label pod")]
    signals = {
        (row["service"], row["pool"], row["signal"]): row
        for row in inventory.signals.iter_rows(named=True)
    }
    assert ("svc", "decode", "ttft_p99") in signals
    assert ("svc", "decode", "ttft_mean") not in signals
    assert signals["svc", "decode", "running"]["coverage_ratio"] == pytest.approx(4 / 5)
    assert signals["log", "service", "request_rate"]["first_at"] == at(90)
    assert inventory.sources["rows_kept"].to_list() == [6, 1]
    assert inventory.findings["code"].to_list() == ["conflict"]


def test_coverage_counts_what_is_absent_at_the_ends(hand: Hand) -> None:
    hand.load(
        chunk_of(
            (Series("vllm:num_requests_running", {"pod": "a"}), [(15 * i, 1) for i in range(20)]),
            (Series("vllm:num_requests_waiting", {"pod": "a"}), [(15 * i, 1) for i in range(10)]),
        )
    )
    signals = hand.store.inventory().signals
    found = dict(signals.select("signal", "coverage_ratio").iter_rows())
    assert found == {"running": 1.0, "queue_depth": 0.5}
