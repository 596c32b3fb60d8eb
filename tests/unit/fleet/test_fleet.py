"""A fleet of hand-checkable times.

In the ROUND profile a prefill of n tokens takes 10 + n ms, a transfer of n tokens 1 + n ms, a decode step of b
sequences 9 + b ms.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from signals.errors import UsageError
from signals.fleet import Fleet, FleetSpec
from tests.builders_fleet import PROFILE, ROUND, poisson, workload


def finished(fleet: Fleet, until_s: float = 100.0) -> dict[str, list[float | None]]:
    fleet.advance(until_s)
    log = fleet.request_log()
    return {
        name: [None if x is None else round(x, 9) for x in log[name]]
        for name in ("prefill_start_s", "ttft_s", "tpot_s", "e2e_s")
    }


def samples(fleet: Fleet) -> bytes:
    memory = fleet._memory
    table: bytes = memory["samples"][: memory.scalar("samples")].tobytes()
    return table


def test_one_request_takes_prefill_transfer_and_its_steps() -> None:
    """100 tokens: 110 ms to the first token, 101 ms on the link, two steps of 10 ms."""
    fleet = Fleet(FleetSpec(ROUND, 1, 1), workload([1.0], [100], [3]), 1)
    assert finished(fleet) == {
        "prefill_start_s": [1.0],
        "ttft_s": [0.110],
        "tpot_s": [0.0605],
        "e2e_s": [0.231],
    }


def test_request_of_one_token_ends_with_its_prefill() -> None:
    """No transfer, no decode, no TPOT; it needs no decode instance."""
    fleet = Fleet(FleetSpec(ROUND, 1, 0), workload([0.0], [100], [1]), 1)
    log = finished(fleet)
    assert (log["ttft_s"], log["tpot_s"], log["e2e_s"]) == ([0.110], [None], [0.110])


def test_requests_queue_in_order_of_arrival() -> None:
    """Two prompts in one step if they fit its budget, else one after the other."""
    together = Fleet(FleetSpec(ROUND, 1, 1), workload([0, 0], [100, 50], [1, 1]), 1)
    assert finished(together)["ttft_s"] == [0.160, 0.160]
    small = replace(ROUND, max_batched_tokens=128, max_num_seqs=8)
    chunked = Fleet(FleetSpec(small, 1, 1), workload([0, 0], [100, 50], [1, 1]), 1)
    # 100 + 28 tokens in 138 ms, the last 22 in 32 ms
    assert finished(chunked)["ttft_s"] == [0.138, 0.170]


def test_requests_spread_over_instances() -> None:
    """The second of two equal prompts goes to the second instance."""
    fleet = Fleet(FleetSpec(ROUND, 2, 1), workload([0, 0], [100, 100], [1, 1]), 1)
    assert finished(fleet)["ttft_s"] == [0.110, 0.110]


def test_cached_tokens_are_not_computed() -> None:
    """Of 100 tokens 60 are cached: 50 ms; all cached: one is computed nevertheless."""
    fleet = Fleet(FleetSpec(ROUND, 2, 1), workload([0, 0], [100, 100], [1, 1], cached=[60, 100]), 1)
    assert finished(fleet)["ttft_s"] == [0.050, 0.011]


def test_batch_shares_its_steps() -> None:
    """Two sequences of 3 tokens that arrive together decode in steps of 11 ms."""
    profile = replace(ROUND, link_latency_s=0.0, kv_bytes_per_token=0)
    fleet = Fleet(FleetSpec(profile, 2, 1), workload([0, 0], [100, 100], [3, 3]), 1)
    assert finished(fleet)["e2e_s"] == [0.132, 0.132]


def test_request_that_can_never_fit_is_dropped_at_once() -> None:
    """A prompt larger than the KV cache has no first token."""
    small = replace(ROUND, kv_capacity_tokens=160)
    fleet = Fleet(FleetSpec(small, 1, 1), workload([0, 0], [160, 100], [1, 1]), 1)
    assert finished(fleet)["ttft_s"] == [None, 0.110]
    assert fleet.request_log()["status"].to_list() == ["dropped", "ok"]


def test_request_that_outgrows_the_cache_is_dropped_with_its_first_token() -> None:
    """100 + 99 tokens do not fit 160: nothing says so before they are produced."""
    small = replace(ROUND, kv_capacity_tokens=160)
    fleet = Fleet(FleetSpec(small, 1, 1), workload([0], [100], [100]), 1)
    assert finished(fleet)["ttft_s"] == [0.110]
    assert fleet.request_log()["status"].to_list() == ["dropped"]


def test_event_at_the_end_of_advance_is_seen_but_not_dispatched() -> None:
    """A request that arrives when the policy decides waits for its orders."""
    fleet = Fleet(FleetSpec(ROUND, 1, 1), workload([1.0], [100], [1]), 1)
    fleet.advance(1.0)
    assert (fleet.counts("prefill").queue_depth, fleet.counts("prefill").running) == (1, 0)
    fleet.advance(1.05)
    assert (fleet.counts("prefill").queue_depth, fleet.counts("prefill").running) == (0, 1)


def test_advance_in_pieces_equals_advance_at_once() -> None:
    """Time may pass in any pieces."""
    requests = poisson(300, 4.0, 3)
    spec = FleetSpec(PROFILE, 2, 2)
    once, pieces = (Fleet(spec, requests, 1) for _ in range(2))
    once.advance(200.0)
    for tenth in range(2001):
        pieces.advance(tenth / 10)
    assert once.request_log().equals(pieces.request_log())
    assert samples(once) == samples(pieces)


def test_advance_into_the_past_changes_nothing() -> None:
    """The clock never goes back."""
    fleet = Fleet(FleetSpec(ROUND, 1, 1), workload([0], [100], [1]), 1)
    fleet.advance(5.0)
    fleet.advance(1.0)
    assert fleet.now_s == 5.0


def test_fleet_refuses_what_it_cannot_do() -> None:
    """Unknown pools, negative counts, times that are none."""
    fleet = Fleet(FleetSpec(ROUND, 1, 1), workload([0], [100], [1]), 1)
    with pytest.raises(UsageError, match="no pool 'unified'"):
        fleet.counts("unified")
    with pytest.raises(UsageError, match="-1 instances"):
        fleet.scale("decode", -1)
    with pytest.raises(UsageError, match="nan"):
        fleet.advance(float("nan"))
