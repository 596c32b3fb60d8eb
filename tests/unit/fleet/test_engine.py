"""Events of one time keep their order, and the state decides what follows."""

from __future__ import annotations

from dataclasses import replace

import pytest

from signals.fleet import Fleet, FleetSpec
from tests.builders_fleet import ROUND, workload


def test_step_end_comes_before_arrivals_of_its_time() -> None:
    """The prefill ends at 110 ms, when the next request arrives: that one starts at once."""
    one = replace(ROUND, max_num_seqs=1)
    fleet = Fleet(FleetSpec(one, 1, 0), workload([0, 0.110], [100, 100], [1, 1]), 1)
    fleet.advance(10.0)
    assert fleet.request_log()["prefill_start_s"].to_list() == pytest.approx([0.0, 0.110])


def test_transfer_that_ends_at_a_boundary_joins_there() -> None:
    """Two transfers end at 131 ms, a boundary of the first sequence's steps: both decode from then on."""
    free = replace(ROUND, link_latency_s=0.0, kv_bytes_per_token=0)
    fleet = Fleet(
        FleetSpec(free, 2, 1), workload([0, 0.010], [101, 111], [12, 2]), 1
    )  # prefills end at 111 and 131 ms (and a picosecond on the link)
    fleet.advance(10.0)
    e2e = fleet.request_log()["e2e_s"].to_list()
    # the first: 2 steps alone, 1 together, 8 alone
    assert e2e == pytest.approx([0.111 + 0.020 + 0.011 + 0.080, 0.121 + 0.011])


def test_instance_that_becomes_ready_takes_what_waits() -> None:
    """Nothing was ready for 5 s; the queue moves in the moment that changes."""
    fleet = Fleet(FleetSpec(ROUND, 0, 0, cold_start_s=5.0), workload([1.0], [100], [1]), 1)
    fleet.advance(0.0)
    fleet.scale("prefill", 1)
    fleet.advance(10.0)
    assert fleet.request_log()["prefill_start_s"].to_list() == [5.0]


def test_orders_at_time_zero_are_as_if_always_there() -> None:
    """With no cold start the fleet ordered before time passes serves the first arrival."""
    fleet = Fleet(FleetSpec(ROUND, 0, 0, cold_start_s=0.0), workload([0.0], [100], [1]), 1)
    fleet.scale("prefill", 1)
    fleet.advance(10.0)
    assert fleet.request_log()["ttft_s"].to_list() == pytest.approx([0.110])


def test_fleet_without_requests_only_scrapes() -> None:
    """Time passes."""
    fleet = Fleet(FleetSpec(ROUND, 1, 1), workload([], [], []), 1)
    fleet.advance(60.0)
    assert fleet.scrapes.gauge("running", "decode", 0.0, 60.0)[2].tolist() == [[0.0]] * 5
    assert len(fleet.request_log()) == 0
