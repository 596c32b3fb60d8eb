"""A live prefill/decode fleet, whose README states what must come out."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

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
