"""Backtests of several policies on one load."""

from datetime import UTC, datetime, timedelta

import numpy as np
import polars as pl
import pytest

from signals.policies import parse_policy
from signals.profiles import load_profile
from signals.replay import ReplaySettings, run_backtest
from signals.replay.frames import RUN_EVENT, RUN_MINUTE, RUN_READING, RUN_TICK
from signals.schema import Slo, check_frame
from tests.builders_load import daily_rate, shaped_load

START = datetime(2026, 1, 1, tzinfo=UTC)
TEXTS = ("static", "heteroscale", "hpa:signal=decode:gpu_util,target=0.7")
LOAD = shaped_load(daily_rate(1.0, 10.0))


def backtest(*texts, load=LOAD, **settings):
    return run_backtest(
        load,
        [parse_policy(text) for text in texts],
        profile=load_profile("llama2-70b-h100"),
        slo=Slo(),
        settings=ReplaySettings(**settings),
        start=START,
        source={"service": "made", "source": "test"},
    )


@pytest.fixture(scope="module")
def three():
    return backtest(*TEXTS, max_instances=12)


def test_frames_keep_their_schemas(three):
    """Ticks, readings, events, minutes."""
    for frame, schema in (
        (three.ticks, RUN_TICK),
        (three.readings, RUN_READING),
        (three.events, RUN_EVENT),
        (three.minutes, RUN_MINUTE),
    ):
        check_frame(frame, schema)
        assert set(frame["policy"].unique()) <= set(TEXTS)
    assert three.span.first == START
    assert three.span.last == START + timedelta(hours=1)


def test_requests_are_conserved_and_attainment_is_a_share(three):
    """arrived = completed + dropped + cut + running, for every policy."""
    for result in three.policies:
        counts = dict(result.requests)
        assert counts.pop("arrived") == sum(counts.values()) == len(LOAD)
        assert all(0.0 <= share <= 1.0 for share in result.attainment.values())
        assert result.attainment["both"] <= min(
            result.attainment["ttft"], result.attainment["tpot"]
        )


def test_minutes_add_up_to_the_whole(three):
    """Arrivals and hits per minute are those of the run."""
    for result in three.policies:
        rows = three.minutes.filter(pl.col("policy") == result.label)
        assert int(rows["arrived"].sum()) == len(LOAD)
        assert rows["both_ok"].sum() / len(LOAD) == pytest.approx(result.attainment["both"])


def test_static_costs_its_size_times_the_span(three):
    """Instances x 8 GPUs x one hour, and it never changes."""
    result = three.policies[0]
    instances = sum(result.peak_instances.values())
    assert result.gpu_hours == pytest.approx(instances * 8.0)
    assert result.params == {pool: result.peak_instances[pool] for pool in ("prefill", "decode")}
    assert (result.scale_events, result.flaps) == (0, 0)


def test_there_is_no_oracle_and_it_says_so(three):
    """Regret is not made up."""
    assert all(result.regret is None for result in three.policies)
    assert {r.reason_no_regret for r in three.policies} == {"no oracle policy in this version"}


def test_what_was_assumed_is_told(three):
    """Profile, ratio, start, limits, delays, seed."""
    told = three.settings
    assert told["profile"] == "llama2-70b-h100"
    assert told["max_instances"] == 12
    assert told["seed"] == 0
    assert {"pd_ratio", "initial", "peak", "cold_start_s", "scrape_interval_s"} <= told.keys()
    assert three.workload["requests"] == len(LOAD)
    assert three.workload["service"] == "made"


def test_every_parameter_is_told_with_what_it_resolved_to(three):
    """The target that followed from the pressure test is a number in the result."""
    assert three.policies[1].params["target"] > 0
    assert three.policies[1].params["pd_ratio"] == three.settings["pd_ratio"]
    assert three.policies[2].params["type"] == "Pods"


def test_same_seed_gives_identical_bytes():
    """Twice the same run, cold starts drawn."""
    runs = [backtest("heteroscale", cold_start_sigma=0.3, seed=5) for _ in range(2)]
    for name in ("ticks", "readings", "events", "minutes"):
        first, second = (getattr(run, name) for run in runs)
        assert first.equals(second)
        assert first.write_csv() == second.write_csv()
    assert runs[0].policies == runs[1].policies


def test_another_seed_draws_other_cold_starts():
    """So the seed is used."""
    runs = [backtest("heteroscale", cold_start_sigma=0.5, seed=seed) for seed in (1, 2)]
    assert not runs[0].ticks.equals(runs[1].ticks)


def test_load_factor_multiplies_arrivals():
    """Twice the requests, in the same hour."""
    doubled = backtest("static", load_factor=2.0)
    assert doubled.policies[0].requests["arrived"] == 2 * len(LOAD)
    assert doubled.workload["load_factor"] == 2.0


def test_initial_size_can_be_asked_for():
    """And the policy starts there."""
    run = backtest(
        "heteroscale", initial={"prefill": 3, "decode": 5}, load=LOAD.between(0.0, 300.0)
    )
    first = run.ticks.head(2).select("pool", "ready").rows()
    assert first == [("prefill", 3), ("decode", 5)]
    assert (run.settings["initial"], run.settings["initial_from"]) == ("3P5D", "asked")


def test_budget_holds_every_policy_and_is_told():
    """24 GPUs are three instances."""
    run = backtest("static", "heteroscale", max_gpus=24)
    for result in run.policies:
        assert sum(result.peak_instances.values()) <= 3
    assert "peak_above_limit" in {f.code for f in run.findings}
    assert "order_capped" in {f.code for f in run.policies[1].findings}


def test_one_request_is_enough():
    """The smallest workload."""
    run = backtest("static", load=LOAD.between(0.0, float(np.nextafter(LOAD.arrival_s[0], 1e9))))
    assert run.policies[0].requests["completed"] == 1
