"""The command line's frame: help, version, usage errors, shared options on both sides of a command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from signals import __version__
from signals.cli.app import run

COMMANDS = [
    "load", "pull", "inventory", "forget", "evaluate", "report", "backtest", "catalog", "policies", "profiles",
    "formats", "query", "doctor", "dashboard", "demo",
]  # fmt: skip


def test_help_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--help"]) == 0
    text = capsys.readouterr().out
    assert [c for c in COMMANDS if c not in text] == []


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_takes_the_shared_options(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([name, "--help"]) == 0
    text = capsys.readouterr().out
    for option in ("--store", "--json", "--debug", "--quiet", "--verbose", "--no-color"):
        assert option in text


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--version"]) == 0
    assert capsys.readouterr().out == f"autoscale-signals {__version__}\n"


@pytest.mark.parametrize(
    "argv",
    [["nonsense"], ["evaluate", "--nonsense"], ["load"], ["backtest", "--load-factor", "much"]],
)
def test_usage_errors_end_with_two(argv: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(argv) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("error: ")


def test_no_store_is_told_with_the_way_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    missing = tmp_path / "none.duckdb"
    assert run(["--store", str(missing), "inventory"]) == 4
    err = capsys.readouterr().err
    assert "none.duckdb" in err
    assert "signals load" in err


@pytest.mark.parametrize("argv", [["--json", "catalog"], ["catalog", "--json"]])
def test_options_stand_before_or_after_the_command(
    argv: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(argv) == 0
    assert json.loads(capsys.readouterr().out)["schema_version"] == 1


@pytest.mark.parametrize("name", ["catalog", "policies", "profiles", "formats", "doctor"])
def test_listings_print_json_and_tables(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = ["--store", str(tmp_path / "none.duckdb")]
    assert run([*store, name, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["schema_version"] == 1
    assert run([*store, name]) == 0
    assert capsys.readouterr().out.strip()


def test_formats_tells_about_one_or_that_there_is_none(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["formats", "tsdb-dump"]) == 0
    assert "promtool tsdb dump" in capsys.readouterr().out
    assert run(["formats", "tsdb"]) == 2
    assert "tsdb-dump" in capsys.readouterr().err
