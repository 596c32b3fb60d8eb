"""The command line as a process: odd terminals, full disks, closed pipes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def _signals(arguments: list[str], **environment: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "signals.cli", *arguments],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        check=False,
        timeout=120,
    )


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_terminals_without_unicode_get_tables_and_whole_json(encoding: str) -> None:
    tables = _signals(["policies"], PYTHONIOENCODING=encoding)
    assert (tables.returncode, tables.stderr) == (0, b"")
    document = _signals(["profiles", "--json"], PYTHONIOENCODING=encoding)
    assert document.returncode == 0
    assert json.loads(document.stdout.decode(encoding))["schema_version"] == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_no_bug() -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "signals.cli", "policies", "--json"],
            cwd=ROOT, stdout=full, stderr=subprocess.PIPE, check=False, timeout=120,
        )  # fmt: skip
    assert b"this is a bug" not in done.stderr


def test_help_shows_units_in_brackets() -> None:
    text = _signals(["load", "--help"], COLUMNS="200").stdout.decode()
    assert "decode_tps[tokens/s]" in text
    assert "COLUMN=NAME[unit]" in text
