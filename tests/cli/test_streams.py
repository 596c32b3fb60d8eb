"""The command line as a process: odd terminals, full disks, closed pipes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
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


def _values_kept(store: Path) -> int:
    """What a store says it holds; 0 where there is none."""
    if not store.exists():
        return 0
    told = json.loads(_signals(["--store", str(store), "inventory", "--json"]).stdout)
    return sum(source["rows_kept"] for source in told["sources"])


@pytest.mark.parametrize("delay_s", [0.0, 0.3, 0.8, 3.0])
def test_ctrl_c_in_a_load_stops_it_and_is_no_bug(tmp_path: Path, delay_s: float) -> None:
    log, store = tmp_path / "log.csv", tmp_path / "fleet.duckdb"
    rows = [
        f"{1_760_000_000 + second},pod-{pod},{pod + second % 7}"
        for second in range(20_000)
        for pod in range(20)
    ]
    log.write_text("\n".join(["ts [s],pod,vllm:num_requests_running", *rows]))
    arguments = ["--store", str(store), "load", str(log)]
    load = subprocess.Popen(
        [sys.executable, "-m", "signals.cli", *arguments], cwd=ROOT, stderr=subprocess.PIPE
    )
    while load.poll() is None and not list(tmp_path.glob(".*.writing")):
        time.sleep(0.01)
    time.sleep(delay_s)
    load.send_signal(signal.SIGINT)
    _, told = load.communicate(timeout=120)
    assert load.returncode in {0, 130}, told
    assert b"this is a bug" not in told
    assert (b"stopped; " in told) == (load.returncode == 130)
    # a Ctrl-C may come after the commit and before the table is printed
    assert _values_kept(store) in ({400_000} if load.returncode == 0 else {0, 400_000})
    assert not list(tmp_path.glob(".*.writing*"))


_WHILE_IT_IMPORTS = """
class Pressing:
    def find_spec(self, name, path=None, target=None):
        if name == "signals.cli.commands":
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Pressing())
"""
_WHILE_IT_ENDS = """
import atexit
atexit.register(os.kill, os.getpid(), signal.SIGINT)
"""


@pytest.mark.parametrize(
    ("pressing", "code", "told"),
    [(_WHILE_IT_IMPORTS, 130, b"stopped; "), (_WHILE_IT_ENDS, 0, b"")],
)
def test_ctrl_c_before_and_after_the_work_is_no_crash(
    pressing: str, code: int, told: bytes
) -> None:
    program = (
        f"import os, signal, sys\n{pressing}\nfrom signals.cli import main\nmain(['policies'])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, check=False, timeout=120
    )
    assert done.returncode == code
    assert done.stderr.startswith(told)
    assert done.stderr.count(b"\n") == len(told and [told])


def test_help_shows_units_in_brackets() -> None:
    text = _signals(["load", "--help"], COLUMNS="200").stdout.decode()
    assert "decode_tps[tokens/s]" in text
    assert "COLUMN=NAME[unit]" in text


def test_names_from_files_do_not_steer_the_terminal(tmp_path: Path) -> None:
    """Whoever writes a label or a log line could else move the cursor and colour over what was said."""
    service, store = "a\x1b[31m\u202eb\x9bc", str(tmp_path / "fleet.duckdb")
    log = tmp_path / "log.csv"
    log.write_text("ts [s],pod,vllm:num_requests_running\n1760000000,p\x1b[2J,1\n")
    assert _signals(["load", str(log), "--service", service, "--store", store]).returncode == 0
    table = _signals(["inventory", "--store", store]).stdout.decode()
    assert "a\ufffd[31m" in table
    document = _signals(["inventory", "--store", store, "--json"]).stdout
    assert json.loads(document)["services"][0]["service"] == service
    log.write_text("\x1b[2J\n")
    refused = _signals(["load", str(log), "--service", service, "--store", store, "--debug"])
    missing = _signals(["forget", service + "x", "--store", store])
    for text in (table, refused.stderr.decode(), missing.stderr.decode()):
        assert not {"\x1b", "\u202e", "\x9b"} & set(text)
