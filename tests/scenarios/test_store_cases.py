"""Public bug reports as small inputs, loaded as a user would."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import polars as pl
import pytest

from signals.schema import Panel
from signals.store import LoadOptions, LoadReport, Store, create_store
from signals.store.parsed import ReadOptions

T0 = 1_760_000_000
ROWS_03 = (
    (0, "a", 50000),
    (30, "a", 50100),
    (60, "a", 50200),
    (90, "a", 50300),
    (0, "b", 20000),
    (30, "b", 20050),
    (60, "c", 8),
    (90, "c", 38),
)


def load(tmp_path: Path, name: str, text: str) -> tuple[Store, LoadReport]:
    file = tmp_path / name
    file.write_text(text)
    start = datetime.fromtimestamp(T0, UTC)
    store = create_store(tmp_path / "fleet.duckdb")
    options = LoadOptions(read=ReadOptions(service="svc", start=start))
    return store, store.load([file], options)


def matrix(*series: tuple[dict[str, str], list[tuple[int, float]]]) -> str:
    result = [
        {"metric": labels, "values": [[T0 + t, str(v)] for t, v in points]}
        for labels, points in series
    ]
    return json.dumps({"status": "success", "data": {"resultType": "matrix", "result": result}})


def total(panel: Panel, name: str) -> float:
    """Sum over ticks of a rate: what was counted."""
    return float(panel.frame[name].sum()) * panel.tick_s


def test_01_a_counter_reset_is_no_dip_and_no_spike(tmp_path: Path) -> None:
    labels = {"__name__": "vllm:generation_tokens_total", "pod": "decode-0"}
    points = [(0, 1000), (15, 1060), (30, 1120), (45, 20), (60, 80)]
    store, _ = load(tmp_path, "input.json", matrix((labels, points)))
    panel = store.panel("svc")
    assert total(panel, "decode:decode_tps") == pytest.approx(200)
    rates = panel.frame["decode:decode_tps"].drop_nulls().to_list()
    assert rates == pytest.approx([4.0, 4.0, 1.333333, 4.0], abs=1e-6)
    resets = [f for f in panel.findings if f.code == "counter_reset"]
    assert [finding.count for finding in resets] == [1]


def test_03_rates_come_before_sums_and_late_pods_are_a_lower_bound(tmp_path: Path) -> None:
    lines = [f"{t},{pod},vllm:prompt_tokens_total,{value}" for t, pod, value in ROWS_03]
    text = "ts_s,pod,metric,value\n" + "\n".join(lines) + "\n"
    store, _ = load(tmp_path, "input.csv", text)
    panel = store.panel("svc", tick_s=30.0)
    assert total(panel, "unified:prompt_tps") == pytest.approx(380)
    late = [f for f in panel.findings if f.code == "late_counter"]
    assert [finding.count for finding in late] == [1]


def test_04_a_pair_of_collectors_counts_once_and_fills_holes(tmp_path: Path) -> None:
    def running(pod: str, replica: str, *points: tuple[int, float]):  # type: ignore[no-untyped-def]
        labels = {
            "__name__": "vllm:num_requests_running",
            "pod": pod,
            "pool": "decode",
            "prometheus_replica": replica,
        }
        return labels, list(points)

    text = matrix(
        running("p0", "prom-0", (0, 3), (15, 4), (30, 5)),
        running("p1", "prom-0", (0, 6), (15, 6), (30, 7)),
        running("p0", "prom-1", (0, 3), (15, 4), (30, 5)),
        running("p1", "prom-1", (0, 6), (30, 7)),
    )
    store, report = load(tmp_path, "input.json", text)
    assert report.sources[0].series == 2
    assert report.sources[0].findings["duplicate"] == 5
    assert store.panel("svc").frame["decode:running"].to_list() == [9, 10, 12]


def test_05_copies_conflicts_and_disorder_are_counted(tmp_path: Path) -> None:
    points = [(0, 100), (15, 130), (45, 190), (30, 160), (60, 220), (60, 220)]
    points += [(75, 250), (75, 251), (90, 280)]
    lines = [f"{t},p0,vllm:generation_tokens_total,{v}" for t, v in points]
    text = "ts_s,pod,metric,value\n" + "\n".join(lines) + "\n"
    store, report = load(tmp_path, "input.csv", text)
    source = report.sources[0]
    assert (source.rows_read, source.rows_kept) == (9, 7)
    counts = {code: source.findings[code] for code in ("duplicate", "conflict", "out_of_order")}
    assert counts == {"duplicate": 1, "conflict": 1, "out_of_order": 1}
    panel = store.panel("svc")
    assert total(panel, "unified:decode_tps") == pytest.approx(180)
    assert panel.frame["unified:decode_tps"].drop_nulls().unique().to_list() == [2.0]
    assert "counter_reset" not in {finding.code for finding in panel.findings}


def test_08_a_rename_joins_and_copies_are_not_added(tmp_path: Path) -> None:
    old = {"__name__": "vllm:gpu_cache_usage_perc", "pod": "decode-0"}
    new = {"__name__": "vllm:kv_cache_usage_perc", "pod": "decode-0"}
    store, _ = load(
        tmp_path,
        "input.json",
        matrix((old, [(0, 0.2), (15, 0.4)]), (new, [(0, 0.2), (15, 0.4)])),
    )
    assert store.panel("svc").frame["decode:kv_usage"].to_list() == [0.2, 0.4]


def test_15_seven_digits_keep_arrivals_apart(tmp_path: Path) -> None:
    text = (
        "arrived_at,prompt_tokens,output_tokens\n"
        "2023-11-16T18:00:00.0010000Z,374,44\n"
        "2023-11-16T18:00:00.0020004Z,396,109\n"
        "2023-11-16T18:00:00.0090000Z,879,55\n"
        "2023-11-16T18:00:00.0110001Z,91,16\n"
    )
    store, _ = load(tmp_path, "input.csv", text)
    requests = store.requests("svc")
    offsets = (requests["arrived_at"] - requests["arrived_at"][0]).dt.total_microseconds()
    assert offsets.to_list() == pytest.approx([0, 1000.4, 8000, 10000.1], abs=1.0)
    assert requests.select(pl.sum("prompt_tokens", "output_tokens")).row(0) == (1740, 224)
