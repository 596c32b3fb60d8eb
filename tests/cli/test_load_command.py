"""What `signals load` says about its options and about what it passes over."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from signals.cli.app import run

SCRAPE = "# TYPE vllm:num_requests_running gauge\nvllm:num_requests_running{pod='a'} 1\n".replace(
    "'", '"'
)


@pytest.fixture
def load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    """Runs `signals load` and gives its exit code, output and errors."""
    monkeypatch.setenv("SIGNALS_STORE", str(tmp_path / "fleet.duckdb"))
    monkeypatch.setenv("COLUMNS", "100")

    def call(*arguments: object) -> tuple[int, str, str]:
        code = run(["load", *map(str, arguments)])
        told = capsys.readouterr()
        return code, told.out, told.err

    return call


@pytest.fixture
def scrape(tmp_path: Path) -> Path:
    file = tmp_path / "scrape.prom"
    file.write_text(SCRAPE)
    return file


def test_a_zone_that_does_not_exist_is_a_wrong_option(load, scrape: Path) -> None:
    code, _, error = load(scrape, "--tz", "Foo/Bar", "--at", "2026-11-30")
    assert code == 2
    assert "where: --tz" in error
    assert not (scrape.parent / "fleet.duckdb").exists()


@pytest.mark.parametrize(
    ("options", "first"),
    [
        (["--at", "2026-11-30"], "2026-11-30T00:00:00Z"),
        (["--at", "2026-11-30", "--tz", "Asia/Tokyo"], "2026-11-29T15:00:00Z"),
        (["--at", "2026-11-30T09:00:00", "--tz", "Asia/Tokyo"], "2026-11-30T00:00:00Z"),
    ],
)
def test_a_day_is_its_first_moment(load, scrape: Path, options: list[str], first: str) -> None:
    code, out, _ = load(scrape, *options, "--json")
    assert code == 0
    assert json.loads(out)["sources"][0]["first"] == first


def test_what_a_folder_holds_beside_its_exports_is_listed(load, tmp_path: Path) -> None:
    run_folder = tmp_path / "run"
    (run_folder / "sub").mkdir(parents=True)
    (run_folder / "a.csv").write_text("ts,decode:running [count]\n2026-01-01T00:00:00Z,1\n")
    for name in ("README.md", "run.yaml", ".DS_Store"):
        (run_folder / name).write_text("seed: 1\n")
    os.mkfifo(run_folder / "sub" / "pipe")
    code, out, error = load(run_folder)
    assert (code, error) == (0, "")
    for line in (
        "skipped 2 (the format is not recognised): README.md, run.yaml",
        "skipped 1 (hidden): .DS_Store",
        "skipped 1 (a pipe): pipe",
    ):
        assert line in out.splitlines()
    code, out, _ = load(run_folder, "--json")
    told = json.loads(out)["skipped"]
    assert {Path(one["uri"]).name for one in told} == {"README.md", "run.yaml", ".DS_Store", "pipe"}
    code, _, error = load(run_folder / "README.md")
    assert code == 3
    assert "signals formats" in error
