"""Order, cold start, ready, draining, cut; and who pays for which second."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from signals.fleet import Fleet, FleetSpec
from tests.builders_fleet import PROFILE, ROUND, poisson, workload


def kinds(fleet: Fleet) -> list[tuple[float, str, str]]:
    events = fleet.lifecycle_events()
    return [
        (round(at, 6), name, kind)
        for at, name, kind in zip(events["at_s"], events["instance"], events["kind"], strict=True)
        if at > 0
    ]


def test_cold_start_takes_its_time() -> None:
    """Ordered at 10, ready at 13; starting until then."""
    fleet = Fleet(FleetSpec(ROUND, 1, 1, cold_start_s=3.0), workload([0], [10], [1]), 1)
    fleet.advance(10.0)
    fleet.scale("decode", 3)
    counts = fleet.counts("decode")
    assert (counts.desired, counts.ready, counts.starting) == (3, 1, 2)
    fleet.advance(20.0)
    assert kinds(fleet) == [
        (10.0, "decode-1", "ordered"),
        (10.0, "decode-2", "ordered"),
        (13.0, "decode-1", "ready"),
        (13.0, "decode-2", "ready"),
    ]
    assert fleet.instance_seconds()["decode"] == {"starting": 6.0, "ready": 34.0, "draining": 0.0}


def test_cold_starts_are_drawn_around_their_median() -> None:
    """400 lognormal draws: median 60 s, logarithms with deviation 0.5; one seed, one sequence."""
    spec = FleetSpec(ROUND, 0, 0, cold_start_s=60.0, cold_start_sigma=0.5)
    fleets = [Fleet(spec, workload([], [], []), seed) for seed in (1, 1, 2)]
    drawn = []
    for fleet in fleets:
        fleet.scale("decode", 400)
        fleet.advance(4000.0)
        drawn.append(np.sort(fleet.lifecycle_events().filter(kind="ready")["at_s"].to_numpy()))
    assert np.isclose(60.0, np.median(drawn[0]), rtol=0.1)
    assert np.isclose(0.5, np.log(drawn[0]).std(), rtol=0.1)
    assert (drawn[0] == drawn[1]).all()
    assert (drawn[0] != drawn[2]).any()


def test_starting_instances_are_cancelled_first() -> None:
    """The youngest one that starts goes at once; its seconds until then are paid."""
    fleet = Fleet(FleetSpec(ROUND, 1, 1, cold_start_s=100.0), workload([0], [10], [1]), 1)
    fleet.advance(1.0)
    fleet.scale("decode", 3)
    fleet.advance(5.0)
    fleet.scale("decode", 2)
    fleet.advance(6.0)
    assert (5.0, "decode-2", "cancelled") in kinds(fleet)
    assert fleet.instance_seconds()["decode"]["starting"] == 9.0


def test_draining_instance_finishes_its_requests() -> None:
    """A request of 500 tokens goes on; the instance is gone when it ends."""
    fleet = Fleet(FleetSpec(ROUND, 1, 1), workload([0], [10], [500]), 1)
    fleet.advance(1.0)
    fleet.scale("decode", 0)
    assert fleet.counts("decode").draining == 1
    fleet.advance(60.0)
    end = 0.020 + 0.011 + 499 * 0.010
    assert [(1.0, "decode-0", "draining"), (round(end, 6), "decode-0", "drained")] == kinds(fleet)
    assert fleet.request_log()["status"].to_list() == ["ok"]
    seconds = fleet.instance_seconds()["decode"]
    assert (1.0, round(end - 1.0, 6)) == (seconds["ready"], round(seconds["draining"], 6))


def test_grace_over_cuts_and_counts() -> None:
    """After 2 s of grace the request is cut, with the first token it had."""
    fleet = Fleet(FleetSpec(ROUND, 1, 1, grace_s=2.0), workload([0], [10], [5000]), 1)
    fleet.advance(1.0)
    fleet.scale("decode", 0)
    fleet.advance(60.0)
    events = fleet.lifecycle_events().filter(kind="cut")
    assert list(zip(events["at_s"], events["requests_cut"], strict=True)) == [(3.0, 1)]
    log = fleet.request_log()
    assert (
        log["status"].to_list(),
        log["ttft_s"].to_list(),
        log["e2e_s"].to_list(),
    ) == (["cut"], [0.020], [None])


def test_waiting_requests_go_back_to_the_router() -> None:
    """Of two queued prompts at a drained instance the one not started is prefilled elsewhere."""
    one = replace(ROUND, max_num_seqs=1)
    requests = workload([0, 0, 0.001], [100, 400, 100], [1, 1, 1])
    fleet = Fleet(FleetSpec(one, 2, 1), requests, 1)
    fleet.advance(0.1)  # the third waits behind the first, at prefill-0
    fleet.scale("prefill", 1)
    fleet.advance(60.0)
    _, names, values = fleet.scrapes.counter("completions_total", "prefill", 60, 60)
    assert (
        fleet.request_log()["status"].to_list(),
        names,
        values[0, 0],
    ) == (["ok"] * 3, ("prefill-1",), 2.0)


def test_request_sent_back_from_decode_keeps_its_first_token() -> None:
    """It waited for admission; prompt and first token are computed again, elsewhere."""
    one = replace(ROUND, max_num_seqs=1, kv_bytes_per_token=0)
    requests = workload([0, 0], [100, 100], [400, 3])
    fleet = Fleet(FleetSpec(one, 2, 1, cold_start_s=0.0), requests, 1)
    fleet.advance(1.0)
    assert fleet.counts("decode").queue_depth == 1
    fleet.scale("decode", 0)
    fleet.scale("decode", 1)
    fleet.advance(60.0)
    log = fleet.request_log()
    assert log["status"].to_list() == ["ok", "ok"]
    # 101 tokens in 111 ms, 1 ms on the link, one step of 10 ms
    assert (round(log["ttft_s"][1], 6), round(log["e2e_s"][1], 6)) == (0.110, 1.122)


@pytest.mark.parametrize("grace", [0.0, 1.0, 300.0])
def test_nothing_is_lost_from_sight(grace: float) -> None:
    """Arrived = completed + dropped + cut + running through scaling of every kind."""
    fleet = Fleet(
        FleetSpec(PROFILE, 3, 3, cold_start_s=5.0, grace_s=grace), poisson(800, 8.0, 4), 1
    )
    rng = np.random.default_rng(5)
    for second in range(0, 140, 4):
        fleet.advance(float(second))
        fleet.scale("prefill", int(rng.integers(1, 5)))
        fleet.scale("decode", int(rng.integers(1, 6)))
        statuses = dict(fleet.request_log()["status"].value_counts().iter_rows())
        counts = [fleet.counts(pool) for pool in ("prefill", "decode")]
        inside = sum(c.queue_depth + c.running for c in counts)
        assert inside == statuses.get("running", 0)
