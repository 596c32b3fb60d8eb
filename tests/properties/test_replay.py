"""Properties of a replay.

- The future does not matter: two loads that agree up to a time give the same decisions up to that time, for
  policies that read delayed signals.
- Requests are conserved: arrived = completed + dropped + cut + running, for every policy and load.
- Counts stay within the limits at every tick.
"""

from datetime import UTC, datetime

import numpy as np
import polars as pl
from hypothesis import given, settings
from hypothesis import strategies as st

from signals.fleet import Fleet, FleetSpec, Workload
from signals.policies import PolicyContext, build, parse_policy
from signals.profiles import load_profile
from signals.replay.accounting import account_requests
from signals.replay.limits import Limits
from signals.replay.loop import Run, replay_policy
from signals.schema import Slo
from tests.builders_load import shaped_load

START = datetime(2026, 1, 1, tzinfo=UTC)
PROFILE = load_profile("llama2-70b-h100")
CONTEXT = PolicyContext(
    pd_ratio=(1, 3),
    per_instance={"prefill": 9000.0, "decode": 600.0},
    initial={"prefill": 1, "decode": 3},
    peak={"prefill": 2, "decode": 6},
    slo=Slo(),
)
POLICIES = (
    "heteroscale:cooldown_out=30,cooldown_in=60,window=30",
    "hpa:signal=decode:gpu_util,target=0.7,down_window=30",
    "hpa:signal=decode:decode_tps,target=500,down_window=30",
    "hpa:signal=prefill:ttft_p90,target=0.3,down_window=30",
)

loads = st.lists(st.floats(0.0, 12.0), min_size=6, max_size=6)
policies = st.sampled_from(POLICIES)


def minutes(rates, seed):
    return shaped_load(np.repeat(rates, 60), seed=seed)


def replay(text, load, *, until_s, seed):
    spec = FleetSpec(PROFILE, 1, 3, cold_start_s=40.0, cold_start_sigma=0.2, exporter_delay_s=5.0)
    fleet = Fleet(spec, load, seed)
    policy = build(parse_policy(text), CONTEXT)
    run = Run("p", policy, fleet, load, Limits(1, 10, None, 8, (1, 3), None), START, until_s, 1.0)
    return replay_policy(run), fleet


def joined(first, second, at_s):
    """The first load before a time, the second one from then on."""
    keep, rest = first.arrival_s < at_s, second.arrival_s >= at_s
    return Workload(
        *(
            np.concatenate([getattr(first, name)[keep], getattr(second, name)[rest]])
            for name in ("arrival_s", "prompt_tokens", "output_tokens", "cached_tokens")
        )
    )


@settings(max_examples=12, deadline=None)
@given(policies, loads, loads, st.integers(1, 5), st.integers(0, 3))
def test_later_load_does_not_change_earlier_decisions(text, rates, others, minute, seed):
    at_s = 60.0 * minute
    load = minutes(rates, seed)
    changed = joined(load, minutes(others, seed + 100), at_s)
    until = START.replace(minute=minute)
    told = []
    for workload in (load, changed):
        trace, _ = replay(text, workload, until_s=360.0, seed=seed)
        # what the load column shows of a tick is what arrived before it
        told.append(
            [f.filter(pl.col("ts") <= until) for f in (trace.ticks, trace.readings, trace.events)]
        )
    for before, after in zip(*told, strict=True):
        assert before.equals(after)


@settings(max_examples=12, deadline=None)
@given(policies, loads, st.integers(0, 3))
def test_requests_are_conserved_and_counts_stay_within_limits(text, rates, seed):
    load = minutes(rates, seed)
    trace, fleet = replay(text, load, until_s=360.0, seed=seed)
    fleet.advance(960.0)
    counts = dict(account_requests(fleet.request_log(), Slo()).requests)
    assert counts.pop("arrived") == sum(counts.values()) == len(load)
    assert trace.ticks["desired"].is_between(1, 10).all()
    assert (trace.ticks["ready"] + trace.ticks["starting"]).is_between(0, 10).all()
