"""A lake stays whole whatever breaks off, fills up or happens at once."""

from __future__ import annotations

import os
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import pytest

from signals.errors import StoreError
from signals.store import LoadOptions, create_lake, create_store, open_store
from signals.store.parsed import ReadOptions
from signals.store.place import INDEX
from tests.builders_apart import close, go, kill, start, time_load
from tests.scenarios.test_store_full_disk import Disk, disk, fill
from tests.scenarios.test_store_lake import MIDNIGHT, fleet, parquet_files, same

__all__ = ["disk"]

KILLS = int(os.environ.get("FUZZ_KILLS", "8"))
OPTIONS = LoadOptions(read=ReadOptions(service="svc"))


@pytest.fixture(scope="module")
def seconds(tmp_path_factory: pytest.TempPathFactory) -> float:
    """How long the load takes that is killed below."""
    folder = tmp_path_factory.mktemp("whole")
    file = fleet(folder / "b.om", MIDNIGHT + timedelta(hours=2), 90)
    return time_load(folder / "lake" / INDEX, file)


@pytest.mark.parametrize("seed", range(KILLS // 2))
def test_a_killed_load_leaves_the_lake_before_or_after(
    tmp_path: Path, seconds: float, seed: int
) -> None:
    """Those who read while it happens see the one or the other, too."""
    folder, stop = tmp_path / "lake", threading.Event()
    create_lake(folder).load([fleet(tmp_path / "a.om", MIDNIGHT, 1)], OPTIONS)
    before = samples(folder)
    more = fleet(tmp_path / "b.om", MIDNIGHT + timedelta(hours=2), 90)
    process = start(folder / INDEX, more)
    with ThreadPoolExecutor(1) as reader:
        seen = reader.submit(watch, folder, stop)
        kill(process, seconds, [seed, 5])
        stop.set()
    found = samples(folder)
    # the next load finds the lock free, and clears what was left
    create_lake(folder).load([more], OPTIONS)
    after = samples(folder)
    assert before < after
    assert {*seen.result(), found} <= {before, after}
    file = create_store(tmp_path / "fleet.duckdb")
    for name in ("a.om", "b.om"):
        file.load([tmp_path / name], OPTIONS)
    same(file.query("services"), open_store(folder).query("services"), "services")
    check_files(folder)


def samples(folder: Path) -> int:
    return int(open_store(folder).query("services")["samples"][0])


def watch(folder: Path, stop: threading.Event) -> set[int]:
    """What a reader sees of a lake until it is told to stop; the files have to say the same as the index."""
    seen = set()
    while True:
        last = stop.is_set()
        seen.add(samples(folder))
        assert open_store(folder).query("checks/wrong_extents").is_empty()
        if last:
            return seen


@pytest.mark.parametrize("seed", range(KILLS // 4))
def test_a_killed_first_load_leaves_no_lake_or_a_whole_one(
    tmp_path: Path, seconds: float, seed: int
) -> None:
    folder = tmp_path / "lake"
    file = fleet(tmp_path / "b.om", MIDNIGHT + timedelta(hours=2), 90)
    kill(start(folder / INDEX, file), seconds, [seed, 6])
    if (folder / INDEX).exists():
        assert open_store(folder).query("checks/wrong_extents").is_empty()
    create_lake(folder).load([file], OPTIONS)
    assert open_store(folder).query("checks/wrong_extents").is_empty()
    check_files(folder)


def test_loads_and_a_reader_at_once(tmp_path: Path) -> None:
    folder = tmp_path / "lake"
    create_lake(folder).load([fleet(tmp_path / "0.om", MIDNIGHT, 1)], OPTIONS)
    files = [fleet(tmp_path / f"{k}.om", MIDNIGHT + timedelta(days=k), 5) for k in (1, 2)]
    processes = [start(folder / INDEX, file) for file in files]
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
    create_lake(folder).load([fleet(tmp_path / "a.om", MIDNIGHT, 3)], OPTIONS)
    before = open_store(folder).query("checks/wrong_extents")
    with reading(folder) as connection:
        open_store(folder).forget("svc")
        assert run(connection, "services")["samples"].to_list() != []
        assert run(connection, "checks/wrong_extents").equals(before)
        assert parquet_files(folder)
    create_lake(folder).load([fleet(tmp_path / "b.om", MIDNIGHT, 1)], OPTIONS)
    check_files(folder)


@pytest.mark.parametrize("leave_kb", [100, 1_500])
def test_a_full_disk_leaves_the_lake_as_it_was(tmp_path: Path, disk: Disk, leave_kb: int) -> None:
    folder = disk(16) / "lake"
    create_lake(folder).load([fleet(tmp_path / "a.om", MIDNIGHT, 1)], OPTIONS)
    fill(folder.parent, leave_kb=leave_kb)
    held = {path: path.stat().st_size for path in folder.rglob("*") if path.is_file()}
    with pytest.raises(StoreError) as caught:
        create_lake(folder).load([fleet(tmp_path / "b.om", MIDNIGHT, 300)], OPTIONS)
    assert caught.value.exit_code == 4
    assert "space" in str(caught.value).lower()
    assert {path: path.stat().st_size for path in folder.rglob("*") if path.is_file()} == held
    (folder.parent / "other").unlink()
    create_lake(folder).load([fleet(tmp_path / "c.om", MIDNIGHT + timedelta(hours=2), 1)], OPTIONS)
    check_files(folder)


def check_files(folder: Path) -> None:
    """What lies there is what the index names."""
    from signals.store.connect import reading
    from signals.store.sql import run

    with reading(folder, views=()) as connection:
        named = run(connection, "lake/files")["path"].to_list()
    assert parquet_files(folder) == set(named)
    assert not (folder / ".writing").exists()
