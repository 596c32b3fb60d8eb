"""Results of a real store: kept until the store changes, never written to by looking."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dashboard.source import BacktestRequest, StoreSource
from signals.errors import StoreError, UsageError
from signals.schema import Slo
from signals.store import LoadOptions, create_store
from signals.store.parsed import ReadOptions
from tests.builders import load_shape
from tests.dashboard.conftest import _outputs

START = datetime(2026, 11, 23, tzinfo=UTC)


def _load(path: Path, file: Path, service: str) -> None:
    create_store(path).load([file], LoadOptions(read=ReadOptions(service=service)))


def _telemetry(folder: Path) -> Path:
    """A day in steps of one minute: offered and decoded tokens, and a utilisation that says nothing."""
    rng = np.random.default_rng(3)
    load = 50_000 * load_shape(np.arange(1440) / 60) * (1 + 0.01 * rng.standard_normal(1440))
    lines = [
        "ts,service:offered_output_tps [tokens/s],decode:decode_tps [tokens/s],decode:gpu_util [%]"
    ]
    for minute in range(1440):
        at = (START + timedelta(minutes=minute)).isoformat()
        lines.append(f"{at},{load[minute]:.1f},{load[minute - 1]:.1f},{95 + rng.normal():.2f}")
    path = folder / "telemetry.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def _requests(folder: Path) -> Path:
    """Ten minutes of two requests per second."""
    lines = ["arrived_at,prompt_tokens,output_tokens"]
    lines += [
        f"{(START + timedelta(seconds=i / 2)).isoformat()},{400 + i % 300},{60 + i % 40}"
        for i in range(1200)
    ]
    path = folder / "requests.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with a service of telemetry and one of requests."""
    folder = tmp_path_factory.mktemp("store")
    store = folder / "fleet.duckdb"
    _load(store, _telemetry(folder), "chat")
    _load(store, _requests(folder), "log")
    return store


def test_services_and_overview_come_from_the_store(path: Path) -> None:
    """Names sorted, frames as the inventory has them."""
    source = StoreSource(path)
    assert source.services() == ["chat", "log"]
    signals = source.overview().signals
    assert "decode_tps" in signals["signal"].to_list()


def test_scorecard_and_detail_agree_with_each_other(path: Path) -> None:
    """The curves belong to the score in the grid."""
    source = StoreSource(path)
    card = source.scorecard("chat", None)
    verdicts = {s.signal: s.verdict for s in card.signals}
    assert verdicts["decode:decode_tps"] == "proportional"
    assert verdicts["decode:gpu_util"] == "unusable"
    detail = source.detail("chat", "decode:gpu_util", None)
    assert detail.score.verdict == "unusable"
    assert detail.series.height > 1400


def test_asked_load_is_used(path: Path) -> None:
    """A signal taken as load is itself no candidate."""
    card = StoreSource(path).scorecard("chat", "decode:decode_tps")
    assert {s.signal: s.identity for s in card.signals}["decode:decode_tps"]


def test_looking_writes_nothing(path: Path) -> None:
    """The store's folder holds the same files with the same times before and after."""
    before = {p.name: p.stat().st_mtime_ns for p in path.parent.iterdir()}
    source = StoreSource(path)
    source.overview()
    source.scorecard("chat", None)
    source.runs("chat")
    assert {p.name: p.stat().st_mtime_ns for p in path.parent.iterdir()} == before


def test_visiting_every_page_writes_nothing(path: Path) -> None:
    """Every callback that a page calls by itself, through the app: no file changes, none is added."""
    from dashboard.app import create_app

    source = StoreSource(path)
    app = create_app(source, token="a-token-for-tests")
    client = app.server.test_client()
    client.get("/?token=a-token-for-tests")
    before = {p.name: p.stat().st_mtime_ns for p in path.parent.iterdir()}
    values = {
        "service.value": "chat",
        "score-load.value": "",
        "score-grid.selectedRows": [{"signal": "decode:decode_tps"}],
        "url.search": "?service=chat",
    }
    called = 0
    for rule in client.get("/_dash-dependencies").get_json():
        if rule["clientside_function"] or "run-saved.data" in rule["output"]:
            continue
        for page in ("/", "/signals", "/backtest"):
            told = {**values, "url.pathname": page}
            answer = client.post("/_dash-update-component", json=_request(rule, told))
            called += answer.status_code == 200
    assert called > 20
    assert {p.name: p.stat().st_mtime_ns for p in path.parent.iterdir()} == before


def _request(rule: dict[str, Any], values: dict[str, Any]) -> dict[str, Any]:
    def valued(one: dict[str, str]) -> dict[str, Any]:
        return {**one, "value": values.get(f"{one['id']}.{one['property']}")}

    return {
        "output": rule["output"],
        "outputs": _outputs(rule["output"]),
        "inputs": [valued(one) for one in rule["inputs"]],
        "state": [valued(one) for one in rule["state"]],
        "changedPropIds": [],
    }


def test_result_is_kept_until_the_store_changes(tmp_path: Path) -> None:
    """The same object comes back; after a load a new one, with the new service."""
    store = tmp_path / "fleet.duckdb"
    _load(store, _requests(tmp_path), "one")
    source = StoreSource(store)
    first = source.overview()
    assert source.overview() is first
    _load(store, _requests(tmp_path), "two")
    assert source.services() == ["one", "two"]
    assert source.overview() is not first


def test_store_without_runs_has_an_empty_list(path: Path) -> None:
    """No run is not an error."""
    assert StoreSource(path).runs("chat").is_empty()


def test_missing_store_and_unknown_service_are_told(path: Path, tmp_path: Path) -> None:
    """Errors of the layers below pass through."""
    with pytest.raises(StoreError):
        StoreSource(tmp_path / "none.duckdb").services()
    with pytest.raises(UsageError):
        StoreSource(path).scorecard("gone", None)


@pytest.mark.slow
def test_backtest_is_run_stored_and_listed(path: Path) -> None:
    """A run in a process of its own comes back by its id."""
    source = StoreSource(path)
    told: list[float] = []
    request = BacktestRequest("log", ("static", "heteroscale"), Slo(2.0, 0.06), 1.0)
    run_id = source.start_backtest(request, lambda _text, share: told.append(share))
    assert source.runs("log")["run_id"].to_list() == [run_id]
    comparison = source.comparison(run_id)
    assert [p.policy for p in comparison.policies] == ["static", "heteroscale"]
    assert comparison.slo == Slo(2.0, 0.06)
    assert told == sorted(told)
    assert told


@pytest.mark.slow
def test_backtest_with_an_unknown_policy_is_told(path: Path) -> None:
    """The error of the other process has its parts."""
    request = BacktestRequest("log", ("nonsense",), Slo(), 1.0)
    with pytest.raises(UsageError) as caught:
        StoreSource(path).start_backtest(request, lambda _text, _share: None)
    assert "nonsense" in caught.value.what


def test_libraries_that_share_state_are_loaded_before_the_first_request(tmp_path: Path) -> None:
    """In a process of its own: pandas must be whole before plotly looks at it from another thread."""
    code = (
        "import sys\n"
        "from pathlib import Path\n"
        "from dashboard.source import StoreSource\n"
        f"StoreSource(Path({str(tmp_path / 'none.duckdb')!r}))\n"
        "sys.exit('pandas' not in sys.modules)\n"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
