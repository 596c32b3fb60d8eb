"""A load that is killed: the store holds all of it or nothing, and the repeat completes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from signals.store import LoadOptions, create_store, open_store
from signals.store.parsed import ReadOptions
from tests.builders_apart import kill, start, time_load

OPTIONS = LoadOptions(read=ReadOptions(service="svc"))
CHECKS = ("lost_samples", "repeated_samples", "wrong_extents", "targets_without_one_pool")
ROWS = 20_000
KILLS = int(os.environ.get("FUZZ_KILLS", "8"))
"""Loads that are killed; `make fuzz` kills more."""


def export(path: Path, first_s: int, rows: int) -> Path:
    lines = ["ts_s,metric,instance,value"]
    lines += [f"{first_s + 15 * i},running,i{k},{i % 9}" for i in range(rows) for k in range(4)]
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture(scope="module")
def seconds(tmp_path_factory: pytest.TempPathFactory) -> float:
    """How long the load takes that is killed below."""
    folder = tmp_path_factory.mktemp("whole")
    return time_load(folder / "fleet.duckdb", export(folder / "b.csv", 1000, ROWS))


@pytest.mark.parametrize("in_place", [False, True], ids=["copied", "in-place"])
@pytest.mark.parametrize("seed", range(KILLS // 2))
def test_a_killed_load_leaves_the_store_before_or_after(
    tmp_path: Path, seconds: float, seed: int, in_place: bool
) -> None:
    path = tmp_path / "fleet.duckdb"
    create_store(path).load([export(tmp_path / "a.csv", 0, 10)], OPTIONS)
    before = path.read_bytes()
    more = export(tmp_path / "b.csv", 1000, ROWS)
    kill(start(path, more, 0 if in_place else None), seconds, [seed, in_place])
    store = open_store(path)
    samples = store.query("services")["samples"].to_list()
    assert samples in ([40], [40 + 4 * ROWS])
    assert in_place or samples != [40] or path.read_bytes() == before
    # the next load finds the lock free and nothing in its way
    store.load([more], OPTIONS)
    assert store.query("services")["samples"].to_list() == [40 + 4 * ROWS]
    left = {one.name for pattern in ("*fleet*", ".*") for one in tmp_path.glob(pattern)}
    if in_place and samples != [40]:
        # killed after the commit: its log is part of the store until something is written
        left.discard("fleet.duckdb.wal")
    assert left == {"fleet.duckdb", ".fleet.duckdb.lock"}
    for check in CHECKS:
        assert store.query(f"checks/{check}").is_empty()


def test_a_load_killed_behind_its_commit_is_put_into_the_file_by_the_next(tmp_path: Path) -> None:
    path, file = tmp_path / "fleet.duckdb", export(tmp_path / "a.csv", 0, 10)
    create_store(path).load([file], OPTIONS)
    commit = (
        "import duckdb, os, sys\nopened = duckdb.connect(sys.argv[1])\nopened.begin()\n"
        "opened.execute('create table x (i int)')\nopened.execute('drop table x')\nopened.commit()\nos._exit(9)"
    )
    assert subprocess.run([sys.executable, "-c", commit, path], check=False).returncode == 9
    assert path.with_name("fleet.duckdb.wal").exists()
    # it holds the file, so that there is nothing to load, and yet something to do
    (source,) = create_store(path).load([file], OPTIONS).sources
    assert source.already_loaded
    assert not path.with_name("fleet.duckdb.wal").exists()
    assert open_store(path).query("services")["samples"].to_list() == [40]


@pytest.mark.parametrize("seed", range(KILLS // 4))
def test_a_killed_first_load_leaves_no_store_or_a_whole_one(
    tmp_path: Path, seconds: float, seed: int
) -> None:
    path, file = tmp_path / "fleet.duckdb", export(tmp_path / "b.csv", 1000, ROWS)
    kill(start(path, file), seconds, [seed, 2])
    if path.exists():
        assert open_store(path).query("services")["samples"].to_list() == [4 * ROWS]
    create_store(path).load([file], OPTIONS)
    assert open_store(path).query("services")["samples"].to_list() == [4 * ROWS]
    assert not list(tmp_path.glob(".*writing*"))
