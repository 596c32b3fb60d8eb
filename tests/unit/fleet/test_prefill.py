"""Token budget, chunks, KV blocks on the prefill side; in ROUND n tokens take 10 + n ms."""

from __future__ import annotations

from dataclasses import replace

import pytest

from signals.fleet import Fleet, FleetSpec
from tests.builders_fleet import ROUND, workload

BUDGET_100 = replace(ROUND, max_batched_tokens=100, max_num_seqs=100)


def ttft(fleet: Fleet) -> list[float]:
    fleet.advance(100.0)
    return fleet.request_log()["ttft_s"].to_list()


def test_long_prompt_goes_in_chunks_of_the_budget() -> None:
    """350 tokens: three steps of 110 ms and one of 60."""
    fleet = Fleet(FleetSpec(BUDGET_100, 1, 0), workload([0], [350], [1]), 1)
    assert ttft(fleet) == pytest.approx([0.390])


def test_whole_chunks_have_no_remainder() -> None:
    """300 tokens: three steps."""
    fleet = Fleet(FleetSpec(BUDGET_100, 1, 0), workload([0], [300], [1]), 1)
    assert ttft(fleet) == pytest.approx([0.330])


def test_budget_left_by_the_last_chunk_goes_to_the_next_prompt() -> None:
    """350 and 30 tokens, the second arriving during the first chunk: both end with the fourth step."""
    fleet = Fleet(FleetSpec(BUDGET_100, 1, 0), workload([0, 0.05], [350, 30], [1, 1]), 1)
    assert ttft(fleet) == pytest.approx([0.420, 0.370])


def test_backlog_falls_step_by_step() -> None:
    """At 250 ms two of three whole chunks are done: 150 of 350 tokens are left."""
    spec = FleetSpec(BUDGET_100, 1, 0, scrape_interval_s=0.25)
    fleet = Fleet(spec, workload([0], [350], [1]), 1)
    fleet.advance(0.25)
    _, _, backlog = fleet.scrapes.gauge("prefill_backlog_tokens", "prefill", 0.25, 0.25)
    _, _, done = fleet.scrapes.counter("prefill_tokens_total", "prefill", 0.25, 0.25)
    assert (backlog[0, 0], done[0, 0]) == (150.0, 200.0)


def test_prompts_wait_for_blocks_that_are_still_on_the_link() -> None:
    """160 tokens hold one prompt of 100 until its transfer has ended, 101 ms after its prefill."""
    small = replace(ROUND, kv_capacity_tokens=160)
    fleet = Fleet(FleetSpec(small, 1, 1), workload([0, 0], [100, 100], [2, 1]), 1)
    assert ttft(fleet) == pytest.approx([0.110, 0.110 + 0.101 + 0.110])


def test_prefill_start_is_the_first_chunk() -> None:
    """Queue wait and service are told apart."""
    one = replace(ROUND, max_num_seqs=1)
    fleet = Fleet(FleetSpec(one, 1, 0), workload([0, 0], [100, 100], [1, 1]), 1)
    fleet.advance(10.0)
    assert fleet.request_log()["prefill_start_s"].to_list() == pytest.approx([0.0, 0.110])
