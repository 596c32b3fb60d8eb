"""Continuous batching, KV blocks, preemption; ROUND's decode step of b sequences takes 9 + b ms."""

from __future__ import annotations

from dataclasses import replace

import pytest

from signals.fleet import Fleet, FleetSpec
from tests.builders_fleet import ROUND, workload

FREE_LINK = replace(ROUND, link_latency_s=0.0, kv_bytes_per_token=0)


def e2e(fleet: Fleet) -> list[float]:
    fleet.advance(100.0)
    return fleet.request_log()["e2e_s"].to_list()


def test_sequence_joins_at_the_next_boundary() -> None:
    """The second prefill ends at 120 ms, in the middle of a step that ends at 121: it joins then."""
    fleet = Fleet(FleetSpec(FREE_LINK, 2, 1), workload([0, 0], [101, 110], [4, 2]), 1)
    # the first: 111, 121, then two steps of 11 and 10 ms; the second: one step of 11 ms from 121
    assert pytest.approx([0.142, 0.132]) == e2e(fleet)


def test_batch_is_limited_by_sequences() -> None:
    """With one place the second sequence waits until the first has ended."""
    one = replace(FREE_LINK, max_num_seqs=1)
    fleet = Fleet(FleetSpec(one, 2, 1), workload([0, 0], [100, 100], [3, 3]), 1)
    assert pytest.approx([0.130, 0.150]) == e2e(fleet)


def test_admission_needs_the_blocks_of_the_whole_prompt() -> None:
    """160 tokens of KV hold one of two prompts of 90: the second waits, as if there were one place."""
    small = replace(FREE_LINK, kv_capacity_tokens=160)
    fleet = Fleet(FleetSpec(small, 2, 1), workload([0, 0], [90, 90], [3, 3]), 1)
    assert pytest.approx([0.120, 0.140]) == e2e(fleet)


def test_newest_is_preempted_and_recomputes() -> None:
    """Two prompts of 15 + 1 fill both blocks; the second token of the first needs a third block."""
    small = replace(FREE_LINK, kv_capacity_tokens=48, kv_block_tokens=16)
    fleet = Fleet(FleetSpec(small, 2, 1), workload([0, 0], [16, 16], [3, 3]), 1)
    fleet.advance(100.0)
    _, _, preempted = fleet.scrapes.counter("preemptions_total", "decode", 90, 90)
    log = fleet.request_log()
    assert preempted[0, 0] == 0.0
    # both held 1 block after prefill; the first step needs 2 each, 4 of 3: the second is not admitted
    assert log["e2e_s"][1] > log["e2e_s"][0]


def test_preempted_sequence_keeps_its_first_token_and_its_place() -> None:
    """Growing past the cache throws out the newest, which recomputes and still ends second."""
    small = replace(FREE_LINK, kv_capacity_tokens=64, kv_block_tokens=16)
    fleet = Fleet(FleetSpec(small, 2, 1), workload([0, 0], [16, 16], [20, 20]), 1)
    fleet.advance(100.0)
    _, _, preempted = fleet.scrapes.counter("preemptions_total", "decode", 90, 90)
    _, _, recomputed = fleet.scrapes.counter("prefill_tokens_total", "decode", 90, 90)
    log = fleet.request_log()
    assert preempted[0, 0] == 1.0
    assert [round(x, 6) for x in log["ttft_s"]] == [0.026, 0.026]
    assert log["e2e_s"][1] > log["e2e_s"][0]
    # both share 16 steps of 11 ms and hold 32 tokens, all 4 blocks; the next step needs 6. The second has
    # 16 + 17 tokens to compute once the first is gone, after its 3 last steps of 10 ms
    assert recomputed[0, 0] == 33.0
    assert round(0.026 + 16 * 0.011 + 3 * 0.010 + 0.043 + 2 * 0.010, 6) == round(log["e2e_s"][1], 6)


def test_context_makes_steps_longer() -> None:
    """1 ms per token of context: steps over 101 and 102 tokens take 111 and 112 ms."""
    slow = replace(FREE_LINK, context_s_per_token=0.001)
    fleet = Fleet(FleetSpec(slow, 1, 1), workload([0], [100], [3]), 1)
    assert pytest.approx([0.110 + 0.111 + 0.112]) == e2e(fleet)
