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
    assert inventory.pools.rows() == [("svc", "decode", 1, "label pod", 0)]
    assert inventory.targets.rows() == [
        ("svc", "decode-0", "decode", "label pod", "pod=decode-0", 2, 5)
    ]
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


def test_every_target_says_what_decided_its_pool(hand: Hand) -> None:
    def gauge(metric: str, **labels: str) -> tuple[Series, list[tuple[int, int]]]:
        return Series(metric, labels), [(0, 1), (15, 1)]

    hand.load(
        chunk_of(
            gauge("vllm:num_requests_running", pod="a", role="prefill"),
            gauge("vllm:num_requests_running", pod="b", zone="z1"),
            gauge("vllm:num_requests_running", pod="c"),
            gauge("DCGM_FI_DEV_GPU_UTIL", exported_pod="a", UUID="GPU-1", gpu="0"),
            gauge("dynamo_planner_num_decode_replicas"),
        ),
        pool_rules=("decode=zone:z1",),
    )
    found = hand.store.inventory().targets.select("target", "pool", "rule", "decided_by").rows()
    assert sorted(found) == [
        ("a", "prefill", "label role", "role=prefill"),
        ("a gpu GPU-1", "prefill", "joined instance", "instance=a"),
        ("b", "decode", "decode=zone:z1", "decode=zone:z1"),
        ("c", "unified", "default", ""),
        ("pool=decode", "decode", "metric", "name of the metric"),
    ]


def test_a_gpu_that_pods_share_or_change_is_one(hand: Hand) -> None:
    hand.load(
        chunk_of(
            *(
                (Series("DCGM_FI_DEV_GPU_UTIL", {"UUID": "GPU-a", "exported_pod": pod}), [(0, 10)])
                for pod in ("", "llm-0", "llm-1")
            ),
            *(
                (
                    Series("DCGM_FI_PROF_SM_ACTIVE", {"UUID": "GPU-b", "GPU_I_ID": mig}),
                    [(0, 0.5)],
                )
                for mig in ("1", "2")
            ),
        )
    )
    assert hand.store.inventory().pools["gpus"].to_list() == [3]
