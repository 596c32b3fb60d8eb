"""The pressure test."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from signals.errors import AnalysisError
from signals.fleet import Fleet, FleetSpec, Workload
from signals.profiles import load_profile
from signals.replay.accounting import account_requests
from signals.replay.capacity import estimate_capacity
from signals.replay.pressure import Pressure, _smallest, instances_for, pressure_test
from signals.schema import Slo
from tests.builders_load import shaped_load, steady_load

PROFILE = load_profile("llama2-70b-h100")


def share_within(load, prefill, decode):
    fleet = Fleet(FleetSpec(PROFILE, prefill, decode), load, 0)
    fleet.advance(load.duration_s + 120.0)
    return account_requests(fleet.request_log(), Slo()).attainment["both"]


@given(st.integers(1, 60), st.integers(1, 60), st.integers(60, 80))
def test_search_finds_the_smallest_count(truth, guess, plenty):
    """Wherever the guess lies, and with few trials."""
    tried = []

    def enough(count):
        tried.append(count)
        return count >= truth

    assert _smallest(enough, guess, plenty) == truth
    assert len(tried) <= 16


def test_estimate_is_arithmetic_on_the_profile():
    """Prompts of 1,024 take 77.684 ms each; a batch whose step stays within 47.5 ms decodes."""
    capacity = estimate_capacity(steady_load(prompt_tokens=1024), PROFILE, Slo())
    assert capacity.prefill_tps == pytest.approx(0.75 * 1024 / 0.077684)
    context = 1024 + 100
    batch = capacity.decode_batch
    step_s = 0.034045 + (batch - 32) * (0.041011 - 0.034045) / 32 + 2.482e-7 * context * batch
    assert step_s <= 0.95 * 0.05 < step_s * (batch + 1) / batch
    assert capacity.decode_tps == pytest.approx(batch / step_s)


def test_result_is_enough_and_one_less_of_either_is_not():
    """Checked with simulations of the same load."""
    load = steady_load(seconds=420.0, rps=14.0)
    found = pressure_test(load, PROFILE, Slo())
    prefill, decode = found.peak["prefill"], found.peak["decode"]
    assert share_within(load, prefill, decode) >= 0.99
    assert share_within(load, prefill, decode - 1) < 0.99
    assert prefill == 1 or share_within(load, prefill - 1, decode) < 0.99
    ratio = found.pd_ratio
    assert ratio[0] * decode == ratio[1] * prefill
    assert found.attainment["both"] >= 0.99


def test_sustained_rates_lie_between_what_the_fleet_carried_and_one_less_could_not():
    """Demand over count, demand over one less."""
    load = steady_load(seconds=420.0, rps=14.0)
    found = pressure_test(load, PROFILE, Slo())
    demand = load.output_tokens.sum() / load.duration_s
    decode = found.peak["decode"]
    assert demand / decode <= found.decode_tps * 1.001 <= demand / (decode - 1) * 1.002


def test_start_size_follows_from_the_first_minutes():
    """A quarter of the peak's load needs about a quarter of its instances, never more than the peak's."""
    rate = np.concatenate([np.full(600, 4.0), np.full(600, 16.0)])
    load = shaped_load(rate)
    found = pressure_test(load, PROFILE, Slo())
    start = instances_for(load, found, first_s=0.0, last_s=600.0)
    assert 1 <= start["decode"] <= np.ceil(found.peak["decode"] / 2)
    everything = instances_for(load, found, first_s=0.0, last_s=1.0)
    assert all(everything[pool] <= found.peak[pool] for pool in everything)


@pytest.mark.parametrize(
    ("output_tps", "expected"),
    [(1900.0, {"prefill": 12, "decode": 19}), (100.0, {"prefill": 6, "decode": 1})],
)
def test_start_size_keeps_the_ratio(output_tps, expected):
    """3:5 beside 19 decode is 11.4, so 12 prefill although 6 would do; beside 1 their own need rules."""
    found = Pressure((3, 5), 1000.0, 100.0, {"prefill": 15, "decode": 25}, {}, {}, ())
    load = Workload(
        np.arange(0.0, 10.0),
        np.full(10, 6000, np.int64),
        np.full(10, round(output_tps), np.int64),
        np.zeros(10, np.int64),
    )
    assert instances_for(load, found, first_s=0.0, last_s=10.0) == expected


def test_each_pool_is_sized_for_its_own_busiest_time():
    """First long prompts with short answers, then short prompts with long answers."""
    reading = steady_load(seconds=600.0, rps=6.0, prompt_tokens=4000, output_tokens=20)
    writing = steady_load(seconds=600.0, rps=6.0, prompt_tokens=100, output_tokens=400, seed=2)
    both = Workload(
        np.concatenate([reading.arrival_s, writing.arrival_s + 600.0]),
        *(
            np.concatenate([getattr(reading, name), getattr(writing, name)])
            for name in ("prompt_tokens", "output_tokens", "cached_tokens")
        ),
    )
    found = pressure_test(both, PROFILE, Slo(), window_s=300.0)
    assert found.windows_s["prefill"][0] < 600.0 <= found.windows_s["decode"][0]
    apart = [
        pressure_test(load, PROFILE, Slo(), window_s=300.0).peak for load in (reading, writing)
    ]
    assert abs(found.peak["prefill"] - apart[0]["prefill"]) <= 1
    assert abs(found.peak["decode"] - apart[1]["decode"]) <= 1
    assert found.attainment["both"] >= 0.99


def test_objective_out_of_reach_is_a_remark_and_the_best_is_aimed_at():
    """No decode step takes less than 29 ms."""
    found = pressure_test(steady_load(seconds=300.0), PROFILE, Slo(tpot_s=0.020))
    assert [f.code for f in found.findings] == ["slo_out_of_reach"]
    assert found.findings[0].subject == "tpot"


def test_batches_beyond_the_measurements_are_a_remark():
    """A lax objective lets batches grow past 64."""
    capacity = estimate_capacity(steady_load(), PROFILE, Slo(tpot_s=0.2))
    assert [f.code for f in capacity.findings] == ["profile_extrapolated"]


def test_nothing_to_replay_is_an_analysis_error():
    """No request."""
    empty = Workload(np.empty(0), *(np.empty(0, np.int64) for _ in range(3)))
    with pytest.raises(AnalysisError, match="no request"):
        pressure_test(empty, PROFILE, Slo())


def test_impossible_sizes_are_refused_before_simulating():
    """Instances a million times slower would be needed by the thousand."""
    slow = dataclasses.replace(
        PROFILE,
        prefill=dataclasses.replace(
            PROFILE.prefill, seconds=tuple(1e5 * s for s in PROFILE.prefill.seconds)
        ),
    )
    with pytest.raises(AnalysisError, match="the workload needs about"):
        pressure_test(steady_load(seconds=120.0), slow, Slo())
