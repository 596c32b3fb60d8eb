"""The tick loop, with a policy that follows a script and writes down what it saw."""

from dataclasses import dataclass, field
from datetime import UTC, datetime

import polars as pl
import pytest

from signals.fleet import Fleet, FleetSpec
from signals.policies.policy import Decision, Reason, SignalRequest
from signals.profiles import load_profile
from signals.replay.frames import RUN_EVENT, RUN_READING, RUN_TICK
from signals.replay.limits import Limits
from signals.replay.loop import Run, replay_policy
from signals.schema import check_frame
from tests.builders_load import steady_load

START = datetime(2026, 1, 1, tzinfo=UTC)
PROFILE = load_profile("llama2-70b-h100")
TPS = SignalRequest("decode_tps", "decode", 30.0)
UTIL = SignalRequest("gpu_util", "decode", 0.0, per_instance=True)


@dataclass
class Scripted:
    """Orders decode counts by decision number; the last one stands."""

    script: list[int]
    interval_s: float = 30.0
    requests: tuple[SignalRequest, ...] = (TPS, UTIL)
    seen: list = field(default_factory=list)

    def start(self):
        return 0

    def decide(self, observation, memory):
        self.seen.append(observation)
        count = self.script[min(memory, len(self.script) - 1)]
        return Decision({"decode": count}, {"decode": Reason.SCALE_UP}), memory + 1


def replay(policy, *, seconds=300.0, high=64, delay_s=1.0, rps=4.0, output_tokens=200):
    load = steady_load(seconds=seconds, rps=rps, output_tokens=output_tokens)
    fleet = Fleet(FleetSpec(PROFILE, 1, 3, cold_start_s=60.0), load, 0)
    limits = Limits(1, high, None, 8, (1, 3), None)
    run = Run("scripted", policy, fleet, load, limits, START, seconds, delay_s)
    return replay_policy(run), fleet


def test_decisions_are_one_interval_apart_and_begin_after_one():
    """Every 30 s in five minutes: ten."""
    policy = Scripted([3])
    trace, fleet = replay(policy)
    assert [o.now_s for o in policy.seen] == [30.0 * k for k in range(1, 11)]
    assert fleet.now_s == 300.0
    ticks = check_frame(trace.ticks, RUN_TICK)
    assert ticks.height == 2 * 11
    assert ticks["asked"].null_count() == 2  # nobody asked for the start
    check_frame(trace.readings, RUN_READING)
    check_frame(trace.events, RUN_EVENT)


@pytest.mark.parametrize("delay_s", [0.0, 1.0, 20.0])
def test_nothing_younger_than_the_query_delay_is_seen(delay_s):
    """Whatever was visible is at least that old, and scraped on the grid."""
    policy = Scripted([3])
    replay(policy, delay_s=delay_s)
    ages = [r.age_s for o in policy.seen for r in o.readings.values() if r.value is not None]
    assert ages
    assert min(ages) >= delay_s
    assert max(ages) < delay_s + 15.0


def test_counts_are_seen_at_once_and_starting_ones_are_not_ready():
    """Two more are ordered at 30 s and ready 60 s later."""
    policy = Scripted([5])
    replay(policy)
    states = [
        (o.pools["decode"].desired, o.pools["decode"].ready, o.pools["decode"].starting)
        for o in policy.seen[:4]
    ]
    assert states == [(3, 3, 0), (5, 3, 2), (5, 5, 0), (5, 5, 0)]


def test_draining_instances_are_hidden_from_single_values():
    """After shrinking to one, utilisation is known of one instance."""
    policy = Scripted([1])
    replay(policy, rps=8.0)
    assert [len(o.readings[UTIL].instances) for o in policy.seen[:4]] == [3, 1, 1, 1]


def test_instances_that_still_drain_are_hidden_too():
    """Answers of 2,000 tokens keep two instances busy for minutes: they are scraped, but not shown."""
    policy = Scripted([1])
    trace, _ = replay(policy, rps=2.0, output_tokens=2000)
    draining = trace.ticks.filter(pl.col("pool") == "decode")["draining"].to_list()[1:]
    shown = [len(o.readings[UTIL].instances) for o in policy.seen]
    assert draining[1:3] == [2, 2]
    assert shown[1:3] == [1, 1]


def test_orders_and_caps_are_events():
    """9 asked, 4 allowed: one order, one cap, told once until it ends."""
    trace, _ = replay(Scripted([9, 9, 2]), high=4)
    assert trace.events.select("kind", "before", "after").rows() == [
        ("scale_up", 3, 4),
        ("capped", 9, 4),
        ("scale_down", 4, 2),
    ]
    assert trace.capped == {"decode": 2}


def test_load_is_what_arrived_since_the_last_tick():
    """All prompt and output tokens are counted once."""
    trace, _ = replay(Scripted([3]))
    load = steady_load(seconds=300.0)
    for pool, tokens in (("prefill", load.prompt_tokens), ("decode", load.output_tokens)):
        rates = trace.ticks.filter(pl.col("pool") == pool)["load_tps"].drop_nulls()
        assert float(rates.sum()) * 30.0 == pytest.approx(float(tokens.sum()))


def test_busy_ratio_is_a_share():
    """Between 0 and 1, and decode is busy under this load."""
    trace, _ = replay(Scripted([3]))
    busy = trace.ticks.filter(pl.col("pool") == "decode")["busy_ratio"].drop_nulls()
    assert busy.is_between(0.0, 1.0).all()
    assert float(busy.mean()) > 0.9


def test_missing_readings_are_counted_after_the_first_minute():
    """No request ever preempts, but its counter exists; a histogram without traffic has no value."""
    request = SignalRequest("itl_p90", "decode", 30.0)
    trace, _ = replay(Scripted([3], requests=(request,)), rps=0.0)
    assert trace.missing == {"decode:itl_p90": 8}


def test_progress_reaches_one():
    """And is never more."""
    told = []
    load = steady_load(seconds=120.0)
    fleet = Fleet(FleetSpec(PROFILE, 1, 3), load, 0)
    limits = Limits(1, 9, None, 8, (1, 3), None)
    replay_policy(
        Run("p", Scripted([3]), fleet, load, limits, START, 120.0, 1.0), progress=told.append
    )
    assert told == [0.25, 0.5, 0.75, 1.0]
