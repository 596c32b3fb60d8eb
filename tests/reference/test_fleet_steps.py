"""The engine, its own step-by-step mode and the plain Python fleet agree request by request, to the picosecond.

Random small fleets from calm to saturated, with ties in time, orders in the middle of steps, draining,
cuts, preemption, chunked prompts, requests that never fit.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from signals.fleet import Fleet, FleetSpec, Workload
from signals.fleet.histograms import HISTOGRAMS
from signals.fleet.state import (
    CUT,
    DECODING,
    DONE,
    DROPPED,
    PREFILLING,
    QUEUED,
    ROUTED,
    TO_TRANSFER,
    TRANSFERRING,
    WAITING,
)
from signals.fleet.steptime import to_picoseconds
from tests.builders_fleet import PROFILE, ROUND
from tests.reference.fleet_steps import ReferenceFleet

STATES = {
    ROUTED: "routed",
    QUEUED: "queued",
    PREFILLING: "prefilling",
    TO_TRANSFER: "to_transfer",
    TRANSFERRING: "transferring",
    WAITING: "waiting",
    DECODING: "decoding",
    DONE: "ok",
    DROPPED: "dropped",
    CUT: "cut",
}

Orders = list[tuple[float, str, int]]


def random_case(seed: int) -> tuple[FleetSpec, Workload, Orders, float]:
    rng = np.random.default_rng(seed)
    tied = seed % 3 == 0
    profile = replace(
        ROUND if tied else PROFILE,
        max_num_seqs=int(rng.integers(1, 12)),
        max_batched_tokens=int(rng.integers(12, 400)),
        kv_block_tokens=int(rng.choice([1, 3, 16])),
        kv_capacity_tokens=int(rng.integers(150, 2500)),
    )
    if not tied:
        profile = replace(profile, link_bytes_per_s=float(rng.choice([25e9, 2e9])))
    spec = FleetSpec(
        profile,
        int(rng.integers(0, 4)),
        int(rng.integers(0, 4)),
        cold_start_s=float(rng.choice([0.0, 0.5, 2.0])),
        grace_s=float(rng.choice([0.0, 0.3, 1.0, 30.0])),
        scrape_interval_s=float(rng.choice([0.1, 0.25, 1.0])),
    )
    count = int(rng.integers(1, 50))
    rate = float(rng.choice([1.0, 5.0, 30.0]))
    arrival = np.cumsum(rng.exponential(1 / rate, count))
    if tied:
        arrival = np.round(arrival, 2)
    prompt = rng.integers(1, 300, count)
    requests = Workload(
        arrival,
        prompt,
        rng.integers(1, int(rng.choice([5, 40, 200])), count),
        (prompt * rng.choice([0.0, 0.0, 0.5, 1.0], count)).astype(np.int64),
    )
    end = float(arrival[-1]) + float(rng.choice([0.5, 5.0, 60.0]))
    orders = [
        (
            float(np.round(rng.uniform(0, end), 2)),
            str(rng.choice(["prefill", "decode"])),
            int(rng.integers(0, 5)),
        )
        for _ in range(int(rng.integers(0, 7)))
    ]
    return spec, requests, sorted(orders), end


def run_engine(case: tuple[FleetSpec, Workload, Orders, float], longest_run: int) -> Fleet:
    spec, requests, orders, end = case
    fleet = Fleet(spec, requests, 1, longest_run=longest_run)
    for at, pool, count in orders:
        fleet.advance(at)
        fleet.scale(pool, count)
    fleet.advance(end)
    return fleet


def run_reference(case: tuple[FleetSpec, Workload, Orders, float]) -> ReferenceFleet:
    spec, requests, orders, end = case
    fleet = ReferenceFleet(spec, requests)
    delay = int(to_picoseconds(spec.cold_start_s))
    for at, pool, count in orders:
        fleet.advance(int(to_picoseconds(at)))
        missing = count - len(fleet.live(pool, "starting", "ready"))
        fleet.scale(pool, count, [delay] * max(missing, 0))
    fleet.advance(int(to_picoseconds(end)))
    return fleet


def outcome(fleet: Fleet) -> list[tuple[object, ...]]:
    table = fleet._memory["requests"][: fleet._memory.scalar("arrived")]
    return [
        (STATES[r["state"]], int(r["prefill_start"]), int(r["first"]), int(r["done"]))
        for r in table
    ]


def lives(fleet: Fleet) -> list[tuple[int, ...]]:
    table = fleet._memory.instances
    columns = ("ordered_at", "ready_at", "drained_from", "gone_at", "cut", "completions")
    counters = ("prefill_tokens", "prompt_tokens", "decode_tokens", "preemptions")
    return [tuple(int(row[c]) for c in (*columns, *counters)) for row in table]


def samples(fleet: Fleet) -> list[list[tuple[object, ...]]]:
    memory = fleet._memory
    table = memory["samples"][: memory.scalar("samples")]
    rows: list[list[tuple[object, ...]]] = [[] for _ in range(memory.scalar("scrapes"))]
    for row in table:
        instance = memory.instances[row["instance"]]
        name = f"{('prefill', 'decode')[instance['pool']]}-{instance['number']}"
        rows[row["scrape"]].append((name, *(int(row[c]) for c in list(row.dtype.names)[2:11])))
    return rows


def scraped_bytes(fleet: Fleet) -> bytes:
    memory = fleet._memory
    scrapes = memory.scalar("scrapes")
    parts = [memory["samples"][: memory.scalar("samples")]]
    parts += [memory[name][:scrapes] for name in ("ticks", "tick_counts", "tick_sums")]
    return b"".join(part.tobytes() for part in parts)


@pytest.mark.parametrize("block", range(6))
def test_engine_reference_and_step_mode_agree_to_the_picosecond(block: int) -> None:
    """Every request's state and times, every instance's life and counters, every scrape."""
    for seed in range(40 * block, 40 * (block + 1)):
        case = random_case(seed)
        fast, slow, reference = run_engine(case, 1 << 62), run_engine(case, 1), run_reference(case)
        expected = [
            (r.state, r.prefill_start, r.first, r.done)
            for r in reference.requests[: reference.arrived]
        ]
        assert expected == outcome(slow), f"seed {seed}, step mode"
        assert expected == outcome(fast), f"seed {seed}, runs"
        expected_lives = [
            (
                i.ordered,
                i.ready,
                -1 if i.drained_from is None else i.drained_from,
                -1 if i.gone is None else i.gone,
                i.cut,
                i.counters["completions"],
                *(i.counters[n] for n in ("prefill", "prompt", "decode", "preemptions")),
            )
            for i in reference.instances
        ]
        if all(i.step_end is None for i in reference.live()):
            # else the engine has not credited the steps of a run in progress yet
            assert expected_lives == lives(fast), f"seed {seed}"
        assert reference.scrapes == samples(slow), f"seed {seed}, step mode"
        assert reference.scrapes == samples(fast), f"seed {seed}, runs"
        assert scraped_bytes(slow) == scraped_bytes(fast), f"seed {seed}"
        assert slow.busy_seconds("decode") == fast.busy_seconds("decode")
        assert slow.instance_seconds() == fast.instance_seconds()


def test_gaps_between_tokens_are_counted_one_by_one() -> None:
    """The inter-token histogram of each scrape holds the gaps of the plain fleet, and sums them exactly."""
    which = HISTOGRAMS.index("itl")
    for seed in range(400, 430):
        case = random_case(seed)
        fast, reference = run_engine(case, 1 << 62), run_reference(case)
        bounds = fast._memory["bounds"]["ps"][which]
        for scrape, seen in enumerate(reference.gaps_at_scrape):
            gaps = np.array(reference.gaps[:seen], np.int64)
            buckets = np.searchsorted(bounds, gaps, side="left")
            expected = np.bincount(buckets, minlength=len(bounds))
            counts = fast._memory["tick_counts"]["count"][scrape, which]
            assert expected.tolist() == counts.tolist(), f"seed {seed}, scrape {scrape}"
            total = fast._memory["tick_sums"][scrape, which]
            assert sum(reference.gaps[:seen]) == (
                int(total["seconds"]) * 10**12 + int(total["picoseconds"])
            )
