"""What a fleet answers about itself."""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from signals.fleet import Fleet, FleetSpec
from tests.builders_fleet import ROUND, workload


def test_request_log_has_its_columns_whatever_happened() -> None:
    """The same schema for no request and for some."""
    columns = {
        "arrival_s": pl.Float64,
        "prompt_tokens": pl.Int64,
        "output_tokens": pl.Int64,
        "cached_tokens": pl.Int64,
        "prefill_start_s": pl.Float64,
        "ttft_s": pl.Float64,
        "tpot_s": pl.Float64,
        "e2e_s": pl.Float64,
        "status": pl.String,
    }
    for requests in (workload([], [], []), workload([0.0], [5], [2])):
        fleet = Fleet(FleetSpec(ROUND, 1, 1), requests, 1)
        fleet.advance(1.0)
        assert dict(fleet.request_log().schema) == columns


def test_request_log_holds_what_is_known_so_far() -> None:
    """At 1 s the first is decoding, the second waits, the third has not arrived."""
    one = replace(ROUND, max_num_seqs=1)
    fleet = Fleet(FleetSpec(one, 1, 1), workload([0, 0.9, 2.0], [10, 900, 10], [500, 2, 2]), 1)
    fleet.advance(1.0)
    log = fleet.request_log()
    assert log["status"].to_list() == ["running", "running"]
    assert log["ttft_s"].to_list() == [0.020, None]
    assert log["e2e_s"].to_list() == [None, None]


def test_counts_follow_a_request_through_the_pools() -> None:
    """Prefill until 110 ms, on the link until 211 ms, then in the batch."""
    fleet = Fleet(FleetSpec(ROUND, 1, 1), workload([0], [100], [10]), 1)
    seen = []
    for at in (0.05, 0.15, 0.25, 1.0):
        fleet.advance(at)
        prefill, decode = fleet.counts("prefill"), fleet.counts("decode")
        seen.append((prefill.queue_depth, prefill.running, decode.queue_depth, decode.running))
    assert seen == [(0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1), (0, 0, 0, 0)]


def test_busy_time_is_counted_up_to_now() -> None:
    """In the middle of a run of 999 steps."""
    fleet = Fleet(FleetSpec(ROUND, 1, 1), workload([0], [10], [1000]), 1)
    fleet.advance(5.0)
    assert (round(fleet.busy_seconds("prefill"), 9), round(fleet.busy_seconds("decode"), 9)) == (
        0.020,
        5.0 - 0.031,
    )
