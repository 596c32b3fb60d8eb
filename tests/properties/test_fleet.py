"""What holds for every fleet, workload and order of events.

Requests are conserved: arrived = completed + dropped + cut + running. No request is faster than its own
work. Instance time adds up: starting + ready + draining is
the time from order to end, and no instance is busy for longer than it served. Little's law holds
exactly over a finished run. The same seed gives the same bytes. Stepping one by one changes nothing.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from signals.fleet import Fleet, FleetSpec, Workload
from signals.fleet.steptime import step_times
from tests.builders_fleet import PROFILE, ROUND, poisson

SETTINGS = settings(max_examples=40, deadline=None)


@st.composite
def workloads(draw: st.DrawFn) -> Workload:
    """Up to 40 requests with ties in time, long and short, cached and not."""
    requests = draw(
        st.lists(
            st.tuples(
                st.integers(0, 40), st.integers(1, 300), st.integers(1, 120), st.integers(0, 300)
            ),
            max_size=40,
        )
    )
    rows = np.array(sorted(requests), np.int64).reshape(-1, 4)
    return Workload(rows[:, 0] / 4, rows[:, 1], rows[:, 2], np.minimum(rows[:, 3], rows[:, 1]))


@st.composite
def specs(draw: st.DrawFn) -> FleetSpec:
    """Small fleets, roomy and cramped."""
    profile = replace(
        draw(st.sampled_from([PROFILE, ROUND])),
        max_num_seqs=draw(st.integers(1, 8)),
        max_batched_tokens=draw(st.integers(8, 400)),
        kv_capacity_tokens=draw(st.sampled_from([160, 640, 4000, 100_000])),
    )
    return FleetSpec(
        profile,
        draw(st.integers(0, 3)),
        draw(st.integers(0, 3)),
        cold_start_s=draw(st.sampled_from([0.0, 1.0, 4.0])),
        cold_start_sigma=draw(st.sampled_from([0.0, 0.5])),
        grace_s=draw(st.sampled_from([0.0, 1.0, 60.0])),
        scrape_interval_s=draw(st.sampled_from([0.5, 15.0])),
        exporter_delay_s=draw(st.sampled_from([0.0, 0.3])),
    )


ORDERS = st.lists(
    st.tuples(st.integers(0, 30), st.sampled_from(["prefill", "decode"]), st.integers(0, 4)),
    max_size=6,
).map(sorted)


def run(
    spec: FleetSpec,
    requests: Workload,
    orders: list[tuple[int, str, int]],
    *,
    longest_run: int = 1 << 62,
) -> Fleet:
    fleet = Fleet(spec, requests, 11, longest_run=longest_run)
    for at, pool, count in orders:
        fleet.advance(at / 2)
        fleet.scale(pool, count)
    fleet.advance(25.0)
    return fleet


@SETTINGS
@given(specs(), workloads(), ORDERS)
def test_requests_are_conserved(
    spec: FleetSpec, requests: Workload, orders: list[tuple[int, str, int]]
) -> None:
    """Every arrived request has one status, and those inside are found in queues and batches."""
    fleet = run(spec, requests, orders)
    statuses = dict(fleet.request_log()["status"].value_counts().iter_rows())
    assert set(statuses) <= {"ok", "running", "cut", "dropped"}
    assert sum(statuses.values()) == (requests.arrival_s <= 25.0).sum()
    inside = [fleet.counts(pool) for pool in ("prefill", "decode")]
    assert sum(c.queue_depth + c.running for c in inside) == statuses.get("running", 0)
    cut = fleet.lifecycle_events()["requests_cut"].sum()
    assert cut == statuses.get("cut", 0)


@SETTINGS
@given(specs(), workloads(), ORDERS)
def test_no_request_is_faster_than_its_work(
    spec: FleetSpec, requests: Workload, orders: list[tuple[int, str, int]]
) -> None:
    """TTFT covers the prefill of the tokens that are not cached, TPOT the shortest step there is."""
    times = step_times(spec.profile)
    log = run(spec, requests, orders).request_log()
    tokens = np.maximum(log["prompt_tokens"].to_numpy() - log["cached_tokens"].to_numpy(), 1)
    whole = np.minimum(tokens, spec.profile.max_batched_tokens)
    least = times.prefill_ps[whole] / 1e12
    ttft = log["ttft_s"].fill_null(np.inf).to_numpy()
    assert (ttft >= least - 1e-9).all()
    # a token can also come from a recompute
    shortest = min(times.decode_ps[1], times.prefill_ps[1]) / 1e12
    paced = log.filter(pl.col("tpot_s").is_not_null())
    assert (paced["tpot_s"] >= shortest - 1e-9).all()
    assert (paced["e2e_s"] >= paced["ttft_s"]).all()


@SETTINGS
@given(specs(), workloads(), ORDERS)
def test_instance_time_adds_up(
    spec: FleetSpec, requests: Workload, orders: list[tuple[int, str, int]]
) -> None:
    """Nobody is paid twice, and busy time fits into served time."""
    fleet = run(spec, requests, orders)
    table = fleet._memory.instances
    end = np.where(table["gone_at"] >= 0, table["gone_at"], fleet._now)
    for code, pool in enumerate(("prefill", "decode")):
        mine = table["pool"] == code
        lived = (end - table["ordered_at"])[mine].sum() / 1e12
        seconds = fleet.instance_seconds()[pool]
        assert sum(seconds.values()) == pytest.approx(lived)
        assert fleet.busy_seconds(pool) <= seconds["ready"] + seconds["draining"] + 1e-9


@SETTINGS
@given(specs(), workloads(), ORDERS)
def test_skipping_and_stepping_are_one(
    spec: FleetSpec, requests: Workload, orders: list[tuple[int, str, int]]
) -> None:
    """Runs of any length give the same log and the same scrapes, and so does a second run."""
    fast, again = (run(spec, requests, orders) for _ in range(2))
    slow = run(spec, requests, orders, longest_run=1)
    for other in (again, slow):
        assert fast.request_log().equals(other.request_log())
        for name in ("samples", "ticks", "tick_counts", "tick_sums"):
            rows = fast._memory.scalar("samples" if name == "samples" else "scrapes")
            assert fast._memory[name][:rows].tobytes() == other._memory[name][:rows].tobytes(), name


@pytest.mark.parametrize("longest_run", [1, 1 << 62])
def test_littles_law_holds(longest_run: int) -> None:
    """Mean number inside = arrival rate x mean time inside; exactly, over a run that ends empty."""
    requests = poisson(2000, 6.0, 3, output=100)
    spec = FleetSpec(PROFILE, 2, 2, scrape_interval_s=0.05)
    fleet = Fleet(spec, requests, 1, longest_run=longest_run)
    end = requests.duration_s + 60.0
    inside, steps = 0.0, 4000
    for step in range(1, steps + 1):
        fleet.advance(end * step / steps)
        counts = [fleet.counts(pool) for pool in ("prefill", "decode")]
        inside += sum(c.queue_depth + c.running for c in counts) / steps
    log = fleet.request_log()
    assert log["status"].to_list() == ["ok"] * 2000
    assert inside == pytest.approx(log["e2e_s"].sum() / end, rel=0.01)


@pytest.mark.parametrize("utilisation", [0.3, 0.6, 0.8])
def test_single_prefill_instance_is_an_m_d_1_queue(utilisation: float) -> None:
    """One prompt per step, Poisson arrivals, fixed service: mean wait rho / (2 (1 - rho)) services."""
    one = replace(ROUND, max_num_seqs=1)
    service = 0.110
    count = 200_000
    rng = np.random.default_rng(8)
    requests = Workload(
        np.cumsum(rng.exponential(service / utilisation, count)),
        np.full(count, 100),
        np.ones(count),
        np.zeros(count),
    )
    fleet = Fleet(FleetSpec(one, 1, 0, scrape_interval_s=3600.0), requests, 1)
    fleet.advance(requests.duration_s + 1000.0)
    wait = fleet.request_log()["ttft_s"].mean() - service
    assert wait == pytest.approx(service * utilisation / (2 * (1 - utilisation)), rel=0.05)


@pytest.mark.parametrize("seed", range(6))
def test_more_prefill_instances_never_raise_the_mean_wait(seed: int) -> None:
    """One prompt per step: with every further instance prompts wait less on average."""
    requests = poisson(400, 30.0, seed, prompt=300, output=2)
    one = replace(ROUND, max_num_seqs=1)
    waits = []
    for instances in range(1, 8):
        fleet = Fleet(FleetSpec(one, instances, 0), requests, 1)
        fleet.advance(1000.0)
        waits.append((fleet.request_log()["prefill_start_s"] - requests.arrival_s).mean())
    assert waits == sorted(waits, reverse=True)
