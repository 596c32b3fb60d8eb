"""A live prefill/decode fleet, whose README states what must come out."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import duckdb
import numpy as np
import polars as pl
import pytest

from signals.schema import Panel
from signals.store import LoadOptions, Store, create_store
from signals.store.parsed import ReadOptions

RAMP_S = 1_796_056_118.579
RESTART = (
    datetime(2026, 11, 30, 16, 48, 30, tzinfo=UTC),
    datetime(2026, 11, 30, 16, 51, tzinfo=UTC),
)


@pytest.fixture(scope="module")
def store(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Store:
    folder = shared / "data" / "dynamo_pd_run"
    store = create_store(tmp_path_factory.mktemp("dynamo") / "fleet.duckdb")
    paths = [
        folder / "prom_15s" / "raw_range_vector",
        folder / "ground_truth" / "requests.own_form.csv.gz",
    ]
    store.load(paths, LoadOptions(read=ReadOptions(service="dyn")))
    return store


@pytest.fixture(scope="module")
def panel(store: Store) -> Panel:
    return store.panel("dyn")


def by_minute(panel: Panel, column: str) -> list[float]:
    minutes = (pl.col("tick").dt.epoch("us") / 1e6 - RAMP_S) / 60
    frame = panel.frame.with_columns(minute=minutes.floor()).filter(
        pl.col("minute").is_between(0, 9)
    )
    means = frame.group_by("minute", maintain_order=True).agg(pl.col(column).mean())
    return means[column].to_list()


def test_pools_are_found_from_labels(store: Store) -> None:
    rows = store.inventory().pools.select("pool", "instances").rows()
    assert rows == [("decode", 2), ("prefill", 2), ("service", 0)]


def test_server_and_client_count_the_same_tokens(store: Store, panel: Panel) -> None:
    client = store.requests("dyn")
    produced = float(client["output_tokens"].sum())
    assert client.filter(status="ok").height == 5485
    served = float(panel.frame["decode:decode_tps"].sum()) * panel.tick_s
    assert served == pytest.approx(produced, rel=0.0005)


def test_the_ramp_saturates_when_the_readme_says(panel: Panel) -> None:
    ttft = by_minute(panel, "prefill:ttft_p50")
    assert all(0.15 < value < 0.40 for value in ttft[:7])
    assert ttft[7] < ttft[8] < ttft[9]
    assert 4 < ttft[8] < 16
    assert 14 < ttft[9] < 24
    waiting = by_minute(panel, "decode:queue_depth")
    assert max(waiting[:7]) < 1
    # the README's 43, 153, 210 by sample time; a tick sees samples of up to 15 s ago
    for value, (low, high) in zip(waiting[7:], ((15, 60), (100, 180), (180, 235)), strict=True):
        assert low < value < high
    output = by_minute(panel, "decode:decode_tps")
    assert all(920 < value < 980 for value in output[7:])
    offered = by_minute(panel, "service:offered_output_tps")
    assert sum(offered[7:]) / 3 == pytest.approx(1400, rel=0.08)


def test_kv_usage_is_full_before_the_first_token_is_late(panel: Panel) -> None:
    frame = panel.frame
    full = frame.filter(pl.col("decode:kv_usage") >= 0.93)["tick"][0]
    late = frame.filter(pl.col("prefill:ttft_p50") >= 2)["tick"][0]
    assert 30 <= (late - full).total_seconds() <= 240


def test_the_restart_makes_no_spike(panel: Panel) -> None:
    during = panel.frame.filter(pl.col("tick").is_between(*RESTART))
    usual = float(panel.frame["decode:decode_tps"].max())
    assert usual < 1100
    assert during["decode:ready"].min() == 1
    assert during["decode:decode_tps"].null_count() == 0
    for name in panel.frame.columns[1:]:
        assert panel.frame[name].min() is None or panel.frame[name].min() >= 0, name
    assert float(panel.frame["decode:preemption_rate"].max()) < 3
    resets = {f.subject: f.count for f in panel.findings if f.code == "counter_reset"}
    assert resets == {"decode:preemptions_total": 1}


def test_decode_tokens_trail_what_clients_asked_for(panel: Panel) -> None:
    frame = panel.frame.drop_nulls(["service:offered_output_tps", "decode:decode_tps"])
    load, signal = (
        frame[name].to_numpy() for name in ("service:offered_output_tps", "decode:decode_tps")
    )
    lags = range(-3, 6)
    n = len(load)
    found = [np.corrcoef(load[3 : n - 6], np.roll(signal, -lag)[3 : n - 6])[0, 1] for lag in lags]
    best = lags[int(np.argmax(found))] * panel.tick_s
    assert 0 < best <= 30


def test_what_is_absent_is_said(panel: Panel) -> None:
    codes = {finding.code for finding in panel.findings}
    assert {"no_gpu_signals", "ready_inferred"} <= codes
    assert not [c.name for c in panel.columns if c.signal in {"gpu_util", "sm_active"}]


def test_refused_requests_are_part_of_the_load(store: Store, panel: Panel) -> None:
    column = panel.column("service:request_rate")
    assert column is not None
    assert column.sources == ("request.arrived_at",)
    asked = float(panel.frame["service:request_rate"].sum()) * panel.tick_s
    assert asked == pytest.approx(store.requests("dyn").height)


def counts(store: Store) -> dict[tuple[str, str], int]:
    """Findings of the inventory by code and subject."""
    rows = store.inventory().findings.select("code", "subject", "count").iter_rows()
    return {(code, subject): count for code, subject, count in rows}


def test_refused_requests_are_missing_from_the_frontends_counter(store: Store) -> None:
    found = store.inventory().findings.filter(code="arrivals_disagree")
    assert found["count"].to_list() == [240]
    assert found["text"][0].startswith("dynamo_frontend_requests_started_total counts")
    refused = store.requests("dyn").filter(status="http_error").height
    assert 240 <= refused <= 300


def test_the_old_name_of_the_cache_usage_counts_once(store: Store, panel: Panel) -> None:
    assert counts(store)["old_name", "vllm:gpu_cache_usage_perc"] == 2
    usage = panel.frame["decode:kv_usage"].drop_nulls()
    assert 0.9 < usage.max() <= 1


def test_a_ratio_that_is_none_is_named(store: Store) -> None:
    assert ("no_ratio", "dynamo_tokio_worker_busy_ratio") in counts(store)


def test_a_metric_that_is_never_set_is_named(store: Store) -> None:
    assert ("always_zero", "dynamo_frontend_cached_tokens_sum") in counts(store)


def test_what_was_not_scraped_is_missing_and_said(store: Store, panel: Panel) -> None:
    """decode-1 was down for 90 s, prefill-1 was not scraped for two minutes."""
    (finding,) = store.inventory().findings.filter(code="sampling_gap").iter_rows(named=True)
    assert finding["count"] == 3
    assert "for up to 2.25 min" in finding["text"]
    assert panel.frame["prefill:ready"].min() == 1


def test_the_frontend_serves_no_pool_by_itself(store: Store) -> None:
    """Its own series are the service's; what it says of workers belongs to their pool."""
    rows = store.inventory().targets.filter(pl.col("target").str.contains("frontend-0"))
    found = {(row["pool"], row["rule"], row["decided_by"]) for row in rows.iter_rows(named=True)}
    assert found == {
        ("decode", "label worker_type", "worker_type=decode"),
        ("decode", "metric", "name of the metric"),
        ("prefill", "label worker_type", "worker_type=prefill"),
        ("prefill", "metric", "name of the metric"),
        ("service", "label role", "role=frontend"),
        ("service", "metric", "name of the metric"),
    }


def test_workers_are_told_by_their_labels(store: Store) -> None:
    rows = store.inventory().targets.filter(pl.col("target").str.contains("-serving/(pre|de)"))
    found = {(row["pool"], row["decided_by"]) for row in rows.iter_rows(named=True)}
    assert found == {("decode", "role=decode"), ("prefill", "role=prefill")}


def test_a_request_is_in_flight_on_both_pools(panel: Panel) -> None:
    """Sums over pools would count it twice: the frontend's number is the service's."""
    busy = panel.frame.filter(pl.col("decode:running") > 20)
    assert (busy["prefill:running"] + busy["decode:running"] > busy["service:running"]).any()


def test_prefill_workers_have_no_engine_metrics(panel: Panel) -> None:
    names = {column.name for column in panel.columns}
    assert not names & {"prefill:kv_usage", "prefill:queue_depth", "prefill:prefill_tps"}
    assert "prefill:prefill_backlog_tokens" in names


def test_requests_that_starved_stay_in_the_log(store: Store) -> None:
    starved = store.requests("dyn").filter(status="client_timeout_total")
    assert starved.height == 113
    assert counts(store)["unknown_status", "client_timeout_total"] == 113


def test_a_model_that_is_not_ready_is_kept_under_its_own_name(store: Store) -> None:
    with duckdb.connect(store.path, read_only=True) as connection:
        rows = connection.execute(
            "select min(value), max(value) from sample join series using (series_id)"
            " where metric = 'dynamo_frontend_model_ready'"
        ).fetchall()
    assert rows == [(0.0, 1.0)]


def test_workers_have_one_identifier_whoever_writes_it(store: Store) -> None:
    """Workers write theirs in hex, the frontend in decimal."""
    with duckdb.connect(store.path, read_only=True) as connection:
        rows = connection.execute(
            "select distinct labels['worker_id'] from series"
            " where metric = 'dynamo_component_inflight_requests'"
        ).fetchall()
    workers = {worker for (worker,) in rows}
    named = store.inventory().targets["target"].str.extract("worker_id=([0-9a-f]+)")
    assert len(workers) == 5
    assert workers <= set(named.drop_nulls())
