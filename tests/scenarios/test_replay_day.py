"""What the field reports about signals, found again in replays of a made day."""

from datetime import UTC, datetime

import numpy as np
import polars as pl
import pytest

from signals.policies import parse_policy
from signals.profiles import load_profile
from signals.replay import ReplaySettings, run_backtest
from signals.schema import Slo
from tests.builders_load import daily_rate, shaped_load

START = datetime(2026, 1, 1, tzinfo=UTC)


def backtest(load, *texts, **settings):
    return run_backtest(
        load,
        [parse_policy(text) for text in texts],
        profile=load_profile("llama2-70b-h100"),
        slo=Slo(),
        settings=ReplaySettings(**settings),
        start=START,
        source={"service": "made"},
    )


@pytest.fixture(scope="module")
def day():
    """Eight hours from 8 % to the peak and back."""
    return backtest(shaped_load(daily_rate(8.0, 14.0)), "static", "heteroscale")


def test_heteroscale_needs_fewer_gpu_hours_than_peak_provisioning(day):
    """A third less on a daily shape, and nearly the same attainment."""
    static, scaled = day.policies
    assert scaled.gpu_hours < 0.75 * static.gpu_hours
    assert scaled.attainment["both"] > 0.98
    assert static.attainment["both"] > 0.99


def test_heteroscale_follows_load_both_ways(day):
    """Its decode count at the peak is at least three times that at the ends."""
    ticks = day.ticks.filter((pl.col("policy") == "heteroscale") & (pl.col("pool") == "decode"))
    hour = (ticks["ts"] - START).dt.total_seconds() / 3600.0
    desired = ticks["desired"].to_numpy()
    peak = desired[((hour > 3.5) & (hour < 4.5)).to_numpy()].mean()
    end = desired[(hour > 7.8).to_numpy()].mean()
    assert peak > 3.0 * end


def test_hpa_on_decode_utilisation_climbs_and_does_not_come_back():
    """Load rises, then halves; a busy decode instance looks the same at both, so the scaler never shrinks.

    HeteroScale (arXiv 2508.19559), Figure 6: the count reaches its maximum and stays there.
    """
    rate = np.concatenate([np.full(3600, 14.0), np.full(5400, 7.0)])
    done = backtest(
        shaped_load(rate),
        "hpa:signal=decode:gpu_util,target=0.7,label=util",
        "hpa:signal=decode:decode_tps,target=450,label=tokens",
        max_instances=10,
    )
    decode = done.ticks.filter(pl.col("pool") == "decode")
    util = decode.filter(pl.col("policy") == "util")["desired"].to_numpy()
    tokens = decode.filter(pl.col("policy") == "tokens")["desired"].to_numpy()
    assert (np.diff(util) >= 0).all()
    assert util[-1] == 10
    # the same law on decode tokens/s gives instances back
    assert tokens[-1] < tokens.max()
    assert tokens[-1] <= 6


def test_a_latency_signal_flaps_where_tokens_do_not():
    """TTFT is flat until it is too late, so a ratio rule on it swings; Figure 6 shows the same."""
    rate = 14.0 * np.interp(np.arange(10800.0), [0, 3600, 7200, 10800], [0.4, 1.0, 0.5, 0.9])
    done = backtest(
        shaped_load(rate, prompt_tokens=1500, output_tokens=300),
        "hpa:signal=prefill:ttft_p90,target=500ms,label=ttft",
        "hpa:signal=decode:decode_tps,target=450,label=tokens",
        max_instances=20,
    )
    flaps = {result.label: result.flaps for result in done.policies}
    assert flaps["ttft"] >= 5
    assert flaps["ttft"] > 3 * flaps["tokens"]
