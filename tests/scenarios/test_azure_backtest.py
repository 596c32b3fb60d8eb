"""The Azure conversation trace through the command line: loaded, replayed, the same bytes twice."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from signals.cli.app import run

TRACE = "data/traces/azure_llm_2023_conv_first40min.csv.gz"
POLICIES = ["static", "heteroscale", "hpa:signal=decode:gpu_util,target=0.7"]


def _backtest(store: Path, capsys: pytest.CaptureFixture[str]) -> str:
    argv = ["--store", str(store), "backtest", "azure-conv", "--load-factor", "2", "--json"]
    for policy in POLICIES:
        argv += ["--policy", policy]
    assert run(argv) == 0
    return capsys.readouterr().out


def test_trace_is_loaded_and_replayed(
    shared: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = tmp_path / "t.duckdb"
    argv = ["--store", str(store), "load", str(shared / TRACE), "--service", "azure-conv", "--json"]
    assert run(argv) == 0
    source = json.loads(capsys.readouterr().out)["sources"][0]
    assert (source["format"], source["rows_kept"], source["rows_rejected"]) == (
        "azure-trace",
        14176,
        0,
    )

    first, second = _backtest(store, capsys), _backtest(store, capsys)
    assert first == second
    document = json.loads(first)
    assert [p["policy"] for p in document["policies"]] == ["static", "heteroscale", "hpa"]
    for policy in document["policies"]:
        counts = policy["requests"]
        kept = sum(counts[key] for key in ("completed", "dropped", "cut", "running"))
        assert counts["arrived"] == kept == 2 * 14176
        assert 0 <= policy["attainment"]["both"] <= policy["attainment"]["ttft"] <= 1


def test_a_trace_file_is_a_workload_of_its_own(
    shared: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    missing = tmp_path / "none.duckdb"
    argv = [
        "--store",
        str(missing),
        "backtest",
        str(shared / TRACE),
        "--policy",
        "static",
        "--json",
    ]
    assert run(argv) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["policies"][0]["requests"]["arrived"] == 14176
    assert not missing.exists()
