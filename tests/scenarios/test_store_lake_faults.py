"""A lake stays whole whatever breaks off, fills up or happens at once."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest

from signals.errors import StoreError
from signals.store import LoadOptions, create_lake, create_store, open_store
from signals.store.parsed import ReadOptions
from tests.scenarios.test_store_full_disk import Disk, disk, fill
from tests.scenarios.test_store_lake import MIDNIGHT, fleet, parquet_files, same

__all__ = ["disk"]

ROOT = Path(__file__).parents[2]
LOAD = """
import sys
from pathlib import Path
from signals.store import LoadOptions, create_lake
from signals.store.parsed import ReadOptions
print("ready", flush=True)
sys.stdin.readline()
create_lake(sys.argv[1]).load([sys.argv[2]], LoadOptions(read=ReadOptions(service="svc")))
"""


@pytest.mark.parametrize("seed", range(4))
def test_a_killed_load_leaves_the_lake_before_or_after(tmp_path: Path, seed: int) -> None:
    folder = tmp_path / "lake"
    options = LoadOptions(read=ReadOptions(service="svc"))
    create_lake(folder).load([fleet(tmp_path / "a.om", MIDNIGHT, 1)], options)
    before = open_store(folder).query("services")
    process = start(folder, fleet(tmp_path / "b.om", MIDNIGHT + timedelta(hours=2), 90))
    go(process)
    time.sleep(float(np.random.default_rng(seed).uniform(0.1, 1.5)))
    process.send_signal(signal.SIGKILL)
    process.wait()
    close(process)
    found = open_store(folder).query("services")
    arrived = found["samples"][0] > before["samples"][0]
    assert arrived or found.equals(before)
    # the next load finds the lock free, and clears what was left
    create_lake(folder).load([tmp_path / "b.om"], options)
    file = create_store(tmp_path / "fleet.duckdb")
    for name in ("a.om", "b.om"):
        file.load([tmp_path / name], options)
    same(file.query("services"), open_store(folder).query("services"), "services")
    check_files(folder)


def test_loads_and_a_reader_at_once(tmp_path: Path) -> None:
    folder = tmp_path / "lake"
    options = LoadOptions(read=ReadOptions(service="svc"))
    create_lake(folder).load([fleet(tmp_path / "0.om", MIDNIGHT, 1)], options)
    files = [fleet(tmp_path / f"{k}.om", MIDNIGHT + timedelta(days=k), 5) for k in (1, 2)]
    processes = [start(folder, file) for file in files]
    for process in processes:
        go(process)
    seen = []
    while any(process.poll() is None for process in processes):
        lake = open_store(folder)
        seen.append(int(lake.query("services")["samples"][0]))
        assert lake.panel("svc", tick_s=300.0).frame.height > 0
    assert [process.returncode for process in processes] == [0, 0]
    for process in processes:
        close(process)
    assert seen == sorted(seen)
    assert open_store(folder).inventory().sources.height == 3
    check_files(folder)


def test_files_stay_while_an_old_reader_needs_them(tmp_path: Path) -> None:
    from signals.store.connect import reading
    from signals.store.sql import run

    folder = tmp_path / "lake"
    options = LoadOptions(read=ReadOptions(service="svc"))
    create_lake(folder).load([fleet(tmp_path / "a.om", MIDNIGHT, 3)], options)
    before = open_store(folder).query("checks/wrong_extents")
    with reading(folder) as connection:
        open_store(folder).forget("svc")
        assert run(connection, "services")["samples"].to_list() != []
        assert run(connection, "checks/wrong_extents").equals(before)
        assert parquet_files(folder)
    create_lake(folder).load([fleet(tmp_path / "b.om", MIDNIGHT, 1)], options)
    check_files(folder)


@pytest.mark.parametrize("leave_kb", [100, 1_500])
def test_a_full_disk_leaves_the_lake_as_it_was(tmp_path: Path, disk: Disk, leave_kb: int) -> None:
    folder = disk(16) / "lake"
    options = LoadOptions(read=ReadOptions(service="svc"))
    create_lake(folder).load([fleet(tmp_path / "a.om", MIDNIGHT, 1)], options)
    fill(folder.parent, leave_kb=leave_kb)
    held = {path: path.stat().st_size for path in folder.rglob("*") if path.is_file()}
    with pytest.raises(StoreError) as caught:
        create_lake(folder).load([fleet(tmp_path / "b.om", MIDNIGHT, 300)], options)
    assert caught.value.exit_code == 4
    assert "space" in str(caught.value).lower()
    assert {path: path.stat().st_size for path in folder.rglob("*") if path.is_file()} == held
    (folder.parent / "other").unlink()
    create_lake(folder).load([fleet(tmp_path / "c.om", MIDNIGHT + timedelta(hours=2), 1)], options)
    check_files(folder)


def check_files(folder: Path) -> None:
    """What lies there is what the index names."""
    from signals.store.connect import reading
    from signals.store.sql import run

    with reading(folder, views=()) as connection:
        named = run(connection, "lake/files")["path"].to_list()
    assert parquet_files(folder) == set(named)
    assert not (folder / ".writing").exists()


def start(folder: Path, file: Path) -> subprocess.Popen[bytes]:
    process = subprocess.Popen(
        [sys.executable, "-c", LOAD, str(folder), str(file)],
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
