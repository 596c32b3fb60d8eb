"""The Azure conversation trace, ten times as dense, on a fleet that is scaled up and down under it.

Every request is accounted for, TTFT and TPOT are per request, the same seed gives identical bytes.
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from signals.fleet import Fleet, FleetSpec, Workload
from tests.builders_fleet import PROFILE


@pytest.fixture(scope="module")
def requests(shared: Path) -> Workload:
    """The first 40 minutes, times since the first request, ten arrivals for each."""
    frame = pl.read_csv(shared / "data/traces/azure_llm_2023_conv_first40min.csv.gz").with_columns(
        pl.col("TIMESTAMP").str.to_datetime("%Y-%m-%d %H:%M:%S%.f").alias("at")
    )
    frame = frame.filter(pl.col("ContextTokens") > 0, pl.col("GeneratedTokens") > 0).sort("at")
    seconds = (frame["at"] - frame["at"][0]).dt.total_microseconds().to_numpy() / 1e6
    recorded = Workload(
        seconds,
        frame["ContextTokens"].to_numpy(),
        frame["GeneratedTokens"].to_numpy(),
        np.zeros(len(frame), np.int64),
    )
    return recorded.scaled(10.0, np.random.default_rng(1))


def run(requests: Workload, seed: int, *, longest_run: int = 1 << 62) -> Fleet:
    spec = FleetSpec(PROFILE, 10, 20, cold_start_sigma=0.4, grace_s=5.0)
    fleet = Fleet(spec, requests, seed, longest_run=longest_run)
    for minute in range(45):
        fleet.advance(60.0 * minute)
        fleet.scale("prefill", 10 + minute % 5)
        fleet.scale("decode", 20 + 3 * (minute % 4))
    return fleet


def test_every_request_is_accounted_for(requests: Workload) -> None:
    """Arrived = completed + dropped + cut + running, each with its own TTFT and TPOT."""
    log = run(requests, 5).request_log()
    counts = dict(log["status"].value_counts().iter_rows())
    assert len(log) == len(requests) == sum(counts.values())
    assert counts["cut"] > 0
    done = log.filter(status="ok")
    assert len(done) > 0.98 * len(log)
    assert done["ttft_s"].null_count() == 0
    assert done["ttft_s"].n_unique() > 0.5 * len(done)
    several = done.filter(pl.col("output_tokens") > 1)
    decode_s = several["tpot_s"] * (several["output_tokens"] - 1)
    assert np.allclose(several["e2e_s"], several["ttft_s"] + decode_s)


def test_same_seed_gives_identical_bytes_and_another_does_not(requests: Workload) -> None:
    """Log and telemetry, noise and cold starts included; stepping one by one as well."""
    start = datetime(2026, 1, 1, tzinfo=UTC)
    fleets = [run(requests, 5), run(requests, 5), run(requests, 6), run(requests, 5, longest_run=1)]
    logs = [fleet.request_log().write_csv() for fleet in fleets]
    frames = [fleet.scrapes.frame(start).write_csv() for fleet in fleets]
    assert logs[0] == logs[1] == logs[3] != logs[2]
    assert frames[0] == frames[1] == frames[3] != frames[2]
