"""A lake on the command line: where it is made, how it is named, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from signals.cli.app import run


@pytest.fixture
def export(tmp_path: Path) -> Path:
    path = tmp_path / "svc.csv"
    path.write_text("ts,decode:decode_tps [tokens/s]\n2026-11-30T00:00:00Z,5\n")
    return path


def samples(capsys: pytest.CaptureFixture[str], store: Path) -> object:
    capsys.readouterr()
    assert run(["query", "services", "--store", str(store), "--json"]) == 0
    return [row["samples"] for row in json.loads(capsys.readouterr().out)["rows"]]


def test_a_lake_is_made_then_named_as_a_store(
    tmp_path: Path, export: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lake = tmp_path / "lake"
    assert run(["load", "--lake", str(lake), str(export)]) == 0
    assert samples(capsys, lake) == [1]
    more = tmp_path / "more.csv"
    more.write_text("ts,decode:decode_tps [tokens/s]\n2026-12-01T00:00:00Z,5\n")
    assert run(["load", "--store", str(lake), str(more), "--service", "svc"]) == 0
    assert run(["load", "--lake", str(lake), str(more), "--service", "svc"]) == 0
    assert samples(capsys, lake) == [2]
    assert len(list(lake.glob("*/service=svc/day=*/*.parquet"))) == 2


def test_the_environment_may_name_a_lake_or_be_overruled(
    tmp_path: Path,
    export: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SIGNALS_STORE", str(tmp_path / "fleet.duckdb"))
    assert run(["load", "--lake", str(tmp_path / "lake"), str(export)]) == 0
    assert not (tmp_path / "fleet.duckdb").exists()
    monkeypatch.setenv("SIGNALS_STORE", str(tmp_path / "lake"))
    assert run(["inventory"]) == 0
    assert "svc" in capsys.readouterr().out


@pytest.mark.parametrize("first", [True, False])
def test_two_places_are_one_too_many(
    tmp_path: Path, export: Path, capsys: pytest.CaptureFixture[str], *, first: bool
) -> None:
    store = ["--store", str(tmp_path / "fleet.duckdb")]
    words = ["load", "--lake", str(tmp_path / "lake"), str(export)]
    assert run([*store, *words] if first else [*words, *store]) == 2
    assert "--lake and --store" in capsys.readouterr().err
    assert {path.name for path in tmp_path.iterdir()} == {export.name}


@pytest.mark.parametrize("place", ["svc.csv", "no/such"])
def test_a_place_that_cannot_be_a_folder_is_refused(
    tmp_path: Path, export: Path, capsys: pytest.CaptureFixture[str], place: str
) -> None:
    assert run(["load", "--lake", str(tmp_path / place), str(export)]) == 4
    assert place in capsys.readouterr().err
    assert {path.name for path in tmp_path.iterdir()} == {export.name}


def test_a_folder_without_a_lake_is_no_store(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["--store", str(tmp_path), "inventory"]) == 4
    assert "folder of a lake" in capsys.readouterr().err
