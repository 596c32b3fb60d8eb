"""Connections: one state for readers, all or nothing for writers."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from signals.errors import StoreError
from signals.store import connect, create_store, open_store
from signals.store.connect import reading, self_test, writing
from tests.sql.hand import Hand, chunk_of
from tests.unit.store.test_load import RUNNING


def delete_and_fail(path: Path) -> None:
    with writing(path) as connection:
        connection.execute("delete from sample_other").fetchall()
        raise ZeroDivisionError


def test_a_missing_store_says_how_to_make_one(tmp_path: Path) -> None:
    path = tmp_path / "none.duckdb"
    with pytest.raises(StoreError) as caught:
        open_store(path)
    assert caught.value.where == str(path)
    assert "signals load" in caught.value.hint
    with pytest.raises(StoreError), reading(path):
        pass
    with pytest.raises(StoreError):
        create_store(path).services()
    assert not path.exists()


def test_another_file_is_no_store(tmp_path: Path, hand: Hand) -> None:
    text = tmp_path / "notes.duckdb"
    text.write_text("milk, bread\n" * 1000)
    before = text.read_bytes()
    with pytest.raises(StoreError, match="cannot be used"), reading(text):
        pass
    with pytest.raises(StoreError, match="cannot be used"), writing(text):
        pass
    assert text.read_bytes() == before
    foreign = tmp_path / "foreign.duckdb"
    duckdb.connect(str(foreign)).close()
    with pytest.raises(StoreError, match="cannot be used"), reading(foreign):
        pass


def test_a_store_of_another_version_is_refused(hand: Hand) -> None:
    hand.load(chunk_of((RUNNING, [(0, 1)])))
    with duckdb.connect(str(hand.path)) as connection:
        connection.execute("update schema_version set version = 99")
    with pytest.raises(StoreError, match="another version"):
        hand.store.services()


def test_a_reader_cannot_write_nor_reach_other_files(hand: Hand) -> None:
    hand.load(chunk_of((RUNNING, [(0, 1)])))
    secret = hand.folder / "secret.csv"
    secret.write_text("a\n1\n")
    milk = [1]
    with reading(hand.path) as connection:
        with pytest.raises(duckdb.Error):
            connection.execute("delete from sample_other")
        with pytest.raises(duckdb.Error):
            connection.execute(f"from read_csv('{secret}')")
        with pytest.raises(duckdb.Error):
            connection.execute("from milk")
        with pytest.raises(duckdb.Error):
            connection.execute("set enable_external_access = true")
        zone = connection.execute("select current_setting('TimeZone')").fetchall()
    assert milk == [1]
    assert zone == [("UTC",)]


def test_a_failed_write_leaves_the_file_as_it_was(hand: Hand) -> None:
    hand.load(chunk_of((RUNNING, [(0, 1)])))
    before = hashlib.sha256(hand.path.read_bytes()).hexdigest()
    with pytest.raises(ZeroDivisionError):
        delete_and_fail(hand.path)
    assert hashlib.sha256(hand.path.read_bytes()).hexdigest() == before
    assert not list(hand.folder.glob(".*writing*"))


def test_leftovers_of_a_killed_writer_do_no_harm(hand: Hand) -> None:
    hand.load(chunk_of((RUNNING, [(0, 1)])))
    (hand.folder / ".fleet.duckdb.writing").write_bytes(b"half")
    (hand.folder / ".fleet.duckdb.writing.wal").write_bytes(b"half")
    hand.load(chunk_of((RUNNING, [(15, 1)])))
    assert hand.store.query("services")["samples"].to_list() == [2]
    assert not list(hand.folder.glob(".*writing*"))


@pytest.mark.parametrize("in_place", [False, True])
def test_what_a_killed_writer_in_place_spilled_goes_with_the_next_write(
    hand: Hand, monkeypatch: pytest.MonkeyPatch, *, in_place: bool
) -> None:
    hand.load(chunk_of((RUNNING, [(0, 1)])))
    script = (
        "import duckdb, os, sys\n"
        "connection = duckdb.connect(sys.argv[1], config={'memory_limit': '20MB'})\n"
        "text = 'create temp table t as select i, hash(i) from range(2000000) as t (i)'\n"
        "connection.execute(text).fetchall()\n"
        "os._exit(0)\n"
    )
    subprocess.run([sys.executable, "-c", script, str(hand.path)], check=True)
    spilled = hand.folder / "fleet.duckdb.tmp"
    assert list(spilled.iterdir())
    (hand.folder / ".fleet.duckdb.writing").write_bytes(b"of a writer before the store grew large")
    assert hand.store.query("services")["samples"].to_list() == [1]
    assert list(spilled.iterdir())
    if in_place:
        monkeypatch.setattr(connect, "IN_PLACE_BYTES", 0)
    hand.load(chunk_of((RUNNING, [(15, 1)])))
    assert not spilled.exists()
    assert not list(hand.folder.glob(".*writing*"))


def test_a_folder_of_somebody_else_beside_the_store_stays(hand: Hand) -> None:
    notes = hand.folder / "fleet.duckdb.tmp" / "notes.txt"
    notes.parent.mkdir()
    notes.write_text("mine")
    notes.with_name("duckdb_temp_1_0_storage_DEFAULT-0.tmp").write_bytes(b"half")
    hand.load(chunk_of((RUNNING, [(0, 1)])))
    assert list(notes.parent.iterdir()) == [notes]


def test_a_large_store_is_changed_in_place(hand: Hand, monkeypatch: pytest.MonkeyPatch) -> None:
    hand.load(chunk_of((RUNNING, [(0, 1)])))
    node = hand.path.stat().st_ino
    monkeypatch.setattr(connect, "IN_PLACE_BYTES", 0)
    hand.load(chunk_of((RUNNING, [(15, 1)])))
    assert hand.path.stat().st_ino == node
    with pytest.raises(ZeroDivisionError):
        delete_and_fail(hand.path)
    assert hand.store.query("services")["samples"].to_list() == [2]


def test_the_log_of_a_killed_writer_in_place_is_not_lost(hand: Hand) -> None:
    hand.load(chunk_of((RUNNING, [(0, 1)])))
    script = (
        "import duckdb, os, sys\n"
        "connection = duckdb.connect(sys.argv[1])\n"
        "connection.execute('update source set uri = $u', {'u': 'moved'}).fetchall()\n"
        "os._exit(0)\n"
    )
    subprocess.run([sys.executable, "-c", script, str(hand.path)], check=True)
    log = hand.path.with_name("fleet.duckdb.wal")
    assert log.exists()
    assert hand.store.query("sources")["uri"].to_list() == ["moved"]
    hand.load(chunk_of((RUNNING, [(15, 1)])))
    assert not log.exists()
    assert hand.store.query("sources")["uri"].to_list()[0] == "moved"
    assert hand.store.query("services")["samples"].to_list() == [2]


def test_the_folder_must_exist(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="folder of the store"), writing(tmp_path / "no" / "s.db"):
        pass


def test_a_lake_whose_folder_cannot_be_made_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "mkdir", refuse)
    with (
        pytest.raises(StoreError, match="the lake cannot be made") as caught,
        writing(tmp_path / "lake" / "lake.duckdb"),
    ):
        pass
    assert caught.value.hint == "Permission denied"


def test_self_test_knows_zones() -> None:
    assert self_test().startswith("DuckDB v")


FOREIGN = {
    "other columns": "create table schema_version (form integer)",
    "no rows": "create table schema_version (version integer)",
    "no other table": "create table schema_version as select 1::integer as version",
    "a view on nothing": "create view schema_version as select 1 / 'x' as version",
}


@pytest.mark.parametrize("text", FOREIGN.values(), ids=list(FOREIGN))
def test_a_foreign_database_is_named(tmp_path: Path, text: str) -> None:
    path = tmp_path / "foreign.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(text)
    with pytest.raises(StoreError) as caught:
        create_store(path).inventory()
    assert caught.value.where == str(path)
    with pytest.raises(StoreError), writing(path) as connection:
        connection.execute("delete from sample_other")


def test_a_damaged_store_is_an_error_of_its_own(hand: Hand) -> None:
    hand.load(chunk_of((RUNNING, [(second, second % 7) for second in range(3000)])))
    whole = hand.path.read_bytes()
    refused = 0
    for cut in (100, 5000, len(whole) // 2, len(whole) - 4096):
        hand.path.write_bytes(whole[:cut])
        with pytest.raises(StoreError) as caught:
            hand.store.panel("svc")
        assert caught.value.where == str(hand.path)
    for at in range(4096, len(whole), len(whole) // 12):
        hand.path.write_bytes(whole[:at] + b"\x5a" * 64 + whole[at + 64 :])
        try:
            hand.store.panel("svc")
        except StoreError:
            refused += 1
    assert refused
