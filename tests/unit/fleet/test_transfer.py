"""KV transfer over one link per prefill instance; in ROUND n tokens take 1 + n ms."""

from __future__ import annotations

import pytest

from signals.fleet import Fleet, FleetSpec
from tests.builders_fleet import ROUND, workload


def e2e(fleet: Fleet) -> list[float]:
    fleet.advance(100.0)
    return fleet.request_log()["e2e_s"].to_list()


def test_transfers_of_one_instance_queue() -> None:
    """Both prompts end at 210 ms; the second transfer starts when the first has ended."""
    fleet = Fleet(FleetSpec(ROUND, 1, 2), workload([0, 0], [100, 100], [2, 2]), 1)
    assert pytest.approx([0.210 + 0.101 + 0.010, 0.210 + 0.202 + 0.010]) == e2e(fleet)


def test_transfers_of_two_instances_run_side_by_side() -> None:
    """Each prefill instance has its own link."""
    fleet = Fleet(FleetSpec(ROUND, 2, 2), workload([0, 0], [100, 100], [2, 2]), 1)
    assert pytest.approx([0.110 + 0.101 + 0.010] * 2) == e2e(fleet)


def test_transfer_waits_for_a_ready_decode_instance() -> None:
    """Without one the request keeps its blocks and its first token."""
    fleet = Fleet(FleetSpec(ROUND, 1, 0, cold_start_s=2.0), workload([0], [100], [2]), 1)
    fleet.advance(1.0)
    assert fleet.counts("decode").queue_depth == 1
    fleet.scale("decode", 1)
    assert pytest.approx([3.0 + 0.101 + 0.010]) == e2e(fleet)
