"""Loads and questions at the same time, in processes of their own: all end right."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

from signals.store import LoadOptions, create_store, open_store
from signals.store.parsed import ReadOptions
from tests.builders_apart import ROOT, close, go, start
from tests.scenarios.test_store_killed_load import CHECKS, export

OPTIONS = LoadOptions(read=ReadOptions(service="svc"))
# what a dashboard asks, over and over until it is told to stop; every question must be answered
ASK = """
import sys
from signals.store import connect, open_store
connect.IN_PLACE_BYTES = int(sys.argv[2])
store = open_store(sys.argv[1])
print("ready", flush=True)
seen, asked = [], 0
import os
while not os.path.exists(sys.argv[3]):
    seen.append(store.query("services")["samples"].to_list()[0])
    store.inventory()
    store.panel("svc")
    asked += 1
assert seen == sorted(seen), seen
print(asked, flush=True)
"""
FOLLOW = """
import sys
from pathlib import Path
from signals.store import LoadOptions, connect, create_store
from signals.store.parsed import ReadOptions
connect.IN_PLACE_BYTES = int(sys.argv[3])
store = create_store(sys.argv[1])
for file in sorted(Path(sys.argv[2]).iterdir()):
    store.load([file], LoadOptions(read=ReadOptions(service="svc")))
"""


def ask(store: Path, in_place_bytes: int, stop: Path) -> subprocess.Popen[bytes]:
    process = subprocess.Popen(
        [sys.executable, "-c", ASK, str(store), str(in_place_bytes), str(stop)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    return process


def answers(process: subprocess.Popen[bytes], stop: Path) -> int:
    """End the asking; the questions that were answered."""
    stop.touch()
    assert process.stdout is not None
    told = process.stdout.read()
    assert process.wait(timeout=120) == 0
    close(process)
    return int(told)


def check(store: Path, samples: int) -> None:
    assert open_store(store).query("services")["samples"].to_list() == [samples]
    for name in CHECKS:
        assert open_store(store).query(f"checks/{name}").is_empty()


@pytest.mark.parametrize("in_place_bytes", [2_000_000_000, 0], ids=["copied", "in-place"])
def test_two_loads_and_a_dashboard(tmp_path: Path, in_place_bytes: int) -> None:
    path, stop = tmp_path / "fleet.duckdb", tmp_path / "stop"
    create_store(path).load([export(tmp_path / "first.csv", 0, 10)], OPTIONS)
    reader = ask(path, in_place_bytes, stop)
    loads = [
        start(path, export(tmp_path / f"{k}.csv", 1_000_000 * k, 3_000), in_place_bytes)
        for k in (1, 2)
    ]
    for process in loads:
        go(process)
    assert [process.wait(timeout=200) for process in loads] == [0, 0]
    for process in loads:
        close(process)
    assert answers(reader, stop) > 0
    check(path, 40 + 2 * 4 * 3_000)


@pytest.mark.parametrize("in_place_bytes", [2_000_000_000, 0], ids=["copied", "in-place"])
def test_many_small_loads_beside_a_reader(tmp_path: Path, in_place_bytes: int) -> None:
    """As a pull that follows a server makes them."""
    path, stop, folder = tmp_path / "fleet.duckdb", tmp_path / "stop", tmp_path / "rounds"
    create_store(path).load([export(tmp_path / "first.csv", 0, 10)], OPTIONS)
    folder.mkdir()
    for k in range(10):
        export(folder / f"{k:02d}.csv", 1_000 * (k + 1), 20)
    reader = ask(path, in_place_bytes, stop)
    follow = [sys.executable, "-c", FOLLOW, str(path), str(folder), str(in_place_bytes)]
    assert subprocess.run(follow, cwd=ROOT, timeout=300, check=False).returncode == 0
    assert answers(reader, stop) > 0
    check(path, 40 + 10 * 4 * 20)


def test_a_writer_in_place_is_waited_for(tmp_path: Path) -> None:
    """A question that comes while a long load holds the file is answered when it ends."""
    path = tmp_path / "fleet.duckdb"
    create_store(path).load([export(tmp_path / "first.csv", 0, 10)], OPTIONS)
    process = start(path, export(tmp_path / "b.csv", 1_000_000, 60_000), 0)
    stop = tmp_path / "stop"
    stop.touch()
    go(process)
    time.sleep(0.5)
    assert open_store(path).query("services")["samples"].to_list()[0] in {40, 40 + 4 * 60_000}
    assert process.wait(timeout=200) == 0
    close(process)
    check(path, 40 + 4 * 60_000)


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
