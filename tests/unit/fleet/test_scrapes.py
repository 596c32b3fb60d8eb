"""What is scraped, when, and how it is read back."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import polars as pl
import pytest

from signals.catalog import MEASUREMENTS
from signals.errors import UsageError
from signals.fleet import Fleet, FleetSpec
from signals.schema import TELEMETRY, check_frame
from tests.builders_fleet import PROFILE, ROUND, poisson, workload

START = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture(scope="module")
def grown() -> Fleet:
    """100 s of traffic; a second decode instance is ready from 30 s on, the first one drains from 60 s on."""
    fleet = Fleet(FleetSpec(PROFILE, 1, 1, cold_start_s=20.0), poisson(200, 2.0, 1), 1)
    fleet.advance(10.0)
    fleet.scale("decode", 2)
    fleet.advance(60.0)
    fleet.scale("decode", 1)
    fleet.advance(100.0)
    return fleet


def test_scrapes_lie_on_the_grid_and_windows_are_closed(grown: Fleet) -> None:
    """From 15 to 45 s there are three, those at both ends included."""
    times, _, _ = grown.scrapes.gauge("running", "decode", 15.0, 45.0)
    assert times.tolist() == [15.0, 30.0, 45.0]
    assert grown.scrapes.gauge("running", "decode", 46.0, 59.0)[0].tolist() == []
    assert grown.scrapes.gauge("running", "decode", 80.0, 1e6)[0].tolist() == [90.0]


def test_instance_is_not_there_before_it_serves(grown: Fleet) -> None:
    """The new instance shows nothing while it starts, and counts from 0 when it is ready."""
    _, names, tokens = grown.scrapes.counter("decode_tokens_total", "decode", 0.0, 60.0)
    assert names == ("decode-0", "decode-1")
    assert np.isnan(tokens[:, 1]).tolist() == [True, True, False, False, False]
    assert tokens[2, 1] == 0.0


def test_pool_counts_are_scraped(grown: Fleet) -> None:
    """Ordered at 10 s, ready at 30 s."""
    series = {
        name: grown.scrapes.gauge(name, "decode", 0.0, 45.0)[2][:, 0].tolist()
        for name in ("desired", "ready", "starting")
    }
    assert series == {
        "desired": [1.0, 2.0, 2.0, 2.0],
        "ready": [1.0, 1.0, 2.0, 2.0],
        "starting": [0.0, 1.0, 0.0, 0.0],
    }


def test_tokens_move_with_every_step() -> None:
    """A decode of 999 steps of 10 ms from 31 ms on: 1496 ms after start 146 of them have ended."""
    spec = FleetSpec(ROUND, 1, 1, scrape_interval_s=1.5)
    fleet = Fleet(spec, workload([0.0], [10], [1000]), 1)
    fleet.advance(3.0)
    _, _, tokens = fleet.scrapes.counter("decode_tokens_total", "decode", 0.0, 3.0)
    assert tokens[:, 0].tolist() == [0.0, 146.0, 296.0]
    _, _, usage = fleet.scrapes.gauge("kv_usage", "decode", 1.5, 1.5)
    # 10 + 146 tokens in 10 blocks of 25,000
    assert usage[0, 0] == 10 / 25_000


def test_gateway_counts_arrivals() -> None:
    """Requests and the tokens they ask for, at their arrival."""
    fleet = Fleet(FleetSpec(ROUND, 1, 1), workload([1.0, 20.0], [10, 30], [5, 7]), 1)
    fleet.advance(31.0)
    totals = {
        name: fleet.scrapes.counter(name, "service", 0.0, 30.0)[2][:, 0].tolist()
        for name in (
            "requests_total",
            "offered_prompt_tokens_total",
            "offered_output_tokens_total",
        )
    }
    assert list(totals.values()) == [[0.0, 1.0, 2.0], [0.0, 10.0, 40.0], [0.0, 5.0, 12.0]]


def test_histograms_hold_every_request_and_token(grown: Fleet) -> None:
    """At rest, counts and sums are those of the request log."""
    fleet = Fleet(FleetSpec(PROFILE, 1, 1), poisson(200, 2.0, 1), 1)
    fleet.advance(600.0)
    log = fleet.request_log()
    several = log.filter(pl.col("output_tokens") > 1)
    expected = {
        ("ttft", "prefill"): (len(log), log["ttft_s"].sum()),
        ("tpot", "decode"): (len(several), several["tpot_s"].sum()),
        ("e2e", "service"): (len(log), log["e2e_s"].sum()),
        ("itl", "decode"): (
            log["output_tokens"].sum() - len(log),
            (several["e2e_s"] - several["ttft_s"]).sum(),
        ),
    }
    for (name, pool), (count, total) in expected.items():
        _, bounds, cumulative, sums, counts = fleet.scrapes.histogram(name, pool, 600.0, 600.0)
        assert count == counts[0] == cumulative[0, -1], name
        assert total == pytest.approx(sums[0]), name
        assert len(bounds) + 1 == cumulative.shape[1]
    below = (log["ttft_s"] <= 0.1).sum()
    _, bounds, cumulative, _, _ = fleet.scrapes.histogram("ttft", "prefill", 600.0, 600.0)
    assert below == cumulative[0, bounds.tolist().index(0.1)]


def test_frame_is_telemetry_with_catalog_names(grown: Fleet) -> None:
    """Every metric is a measurement of the catalog, or a part of its histogram."""
    frame = check_frame(grown.scrapes.frame(START), TELEMETRY)
    kinds = {m.name: m.kind for m in MEASUREMENTS}
    for metric in frame["metric"].unique():
        base = metric
        for part in ("_bucket", "_sum", "_count"):
            base = base.removesuffix(part)
        assert kinds[base] == ("histogram" if base != metric else kinds[metric])
    assert not frame["value"].is_nan().any()


def test_frame_holds_what_the_log_holds(grown: Fleet) -> None:
    """The same numbers by either way, at the scrape's time."""
    frame = grown.scrapes.frame(START).filter(
        metric="decode_tokens_total", instance="decode-1", pool="decode"
    )
    times, names, tokens = grown.scrapes.counter("decode_tokens_total", "decode", 0.0, 100.0)
    column = tokens[:, names.index("decode-1")]
    assert column[~np.isnan(column)].tolist() == frame["value"].to_list()
    seconds = (frame["ts"].to_numpy() - np.datetime64("2026-01-01")) / np.timedelta64(1, "s")
    assert times[~np.isnan(column)].tolist() == seconds.tolist()


def test_frame_of_an_idle_moment_is_empty_but_typed() -> None:
    """Nothing was scraped yet."""
    fleet = Fleet(FleetSpec(ROUND, 1, 1), workload([], [], []), 1)
    assert len(check_frame(fleet.scrapes.frame(START), TELEMETRY)) == 0


def test_same_seed_gives_identical_bytes() -> None:
    """Noise included, however the log is read in between."""
    frames = []
    for reads in (0, 3):
        fleet = Fleet(FleetSpec(PROFILE, 2, 2), poisson(300, 4.0, 1), 7)
        for _ in range(reads):
            fleet.advance(fleet.now_s + 10.0)
            fleet.scrapes.gauge("gpu_util", "decode", 0.0, fleet.now_s)
        fleet.advance(100.0)
        frames.append(fleet.scrapes.frame(START).write_csv())
    assert frames[0] == frames[1]


def test_scrapes_refuse_what_they_do_not_hold(grown: Fleet) -> None:
    """The error names measurement and pool."""
    for read, name, pool in (
        (grown.scrapes.gauge, "ttft", "prefill"),
        (grown.scrapes.gauge, "running", "service"),
        (grown.scrapes.counter, "requests_total", "decode"),
        (grown.scrapes.histogram, "ttft", "decode"),
    ):
        with pytest.raises(UsageError, match=f"'{name}' of pool '{pool}'"):
            read(name, pool, 0.0, 1.0)
