"""A load that is killed, and loads at the same time."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from signals.store import LoadOptions, open_store
from signals.store.parsed import ReadOptions

ROOT = Path(__file__).parents[2]
LOAD = """
import sys
from signals.store import LoadOptions, create_store
from signals.store.parsed import ReadOptions
print("ready", flush=True)
sys.stdin.readline()
create_store(sys.argv[1]).load([sys.argv[2]], LoadOptions(read=ReadOptions(service="svc")))
"""


def export(path: Path, first_s: int, rows: int) -> Path:
    lines = ["ts_s,metric,instance,value"]
    lines += [f"{first_s + 15 * i},running,i{k},{i % 9}" for i in range(rows) for k in range(4)]
    path.write_text("\n".join(lines) + "\n")
    return path


def start(store: Path, file: Path) -> subprocess.Popen[bytes]:
    process = subprocess.Popen(
        [sys.executable, "-c", LOAD, str(store), str(file)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    return process


def go(process: subprocess.Popen[bytes]) -> None:
    assert process.stdin is not None
    process.stdin.write(b"go\n")
    process.stdin.flush()


def close(process: subprocess.Popen[bytes]) -> None:
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            pipe.close()


@pytest.mark.parametrize("seed", range(4))
def test_a_killed_load_leaves_the_store_before_or_after(tmp_path: Path, seed: int) -> None:
    path = tmp_path / "fleet.duckdb"
    options = LoadOptions(read=ReadOptions(service="svc"))
    from signals.store import create_store

    create_store(path).load([export(tmp_path / "a.csv", 0, 10)], options)
    before = path.read_bytes()
    process = start(path, export(tmp_path / "b.csv", 1000, 3000))
    go(process)
    time.sleep(float(np.random.default_rng(seed).uniform(0.0, 1.0)))
    process.send_signal(signal.SIGKILL)
    process.wait()
    close(process)
    samples = open_store(path).query("services")["samples"].to_list()
    assert samples in ([40], [12040])
    assert samples == [12040] or path.read_bytes() == before
    # the next load finds the lock free and nothing in its way
    open_store(path).load([export(tmp_path / "c.csv", 100_000, 5)], options)
    assert open_store(path).query("services")["samples"].to_list() == [samples[0] + 20]
    assert not list(tmp_path.glob(".*writing*"))


def test_loads_at_once_all_arrive(tmp_path: Path) -> None:
    path = tmp_path / "fleet.duckdb"
    files = [export(tmp_path / f"{k}.csv", 100_000 * k, 50) for k in range(3)]
    processes = [start(path, file) for file in files]
    for process in processes:
        go(process)
    codes = [process.wait(timeout=120) for process in processes]
    for process in processes:
        close(process)
    assert codes == [0, 0, 0]
    assert open_store(path).query("services")["samples"].to_list() == [600]
    assert open_store(path).inventory().sources.height == 3
