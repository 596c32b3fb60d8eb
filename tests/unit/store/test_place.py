"""The file behind a store's path."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from signals.errors import StoreError
from signals.store import open_store
from signals.store.connect import reading, writing
from signals.store.place import INDEX, idle, is_index, locate, locked, shared
from tests.sql.hand import Hand, chunk_of
from tests.unit.store.test_load import RUNNING


def test_a_link_leads_to_the_store_which_stays_where_it_is(hand: Hand, tmp_path: Path) -> None:
    far = tmp_path / "far"
    far.mkdir()
    hand.path.symlink_to(far / "real.duckdb")
    (far / "real.duckdb").touch()
    (far / "real.duckdb").unlink()
    with pytest.raises(StoreError, match="link to a file that does not exist"):
        hand.load(chunk_of((RUNNING, [(0, 1)])))
    hand.path.unlink()
    hand.load(chunk_of((RUNNING, [(0, 1)])))
    hand.path.rename(far / "real.duckdb")
    hand.path.symlink_to(far / "real.duckdb")
    hand.load(chunk_of((RUNNING, [(15, 1)])))
    assert hand.path.is_symlink()
    assert hand.store.query("services")["samples"].to_list() == [2]
    assert (far / ".real.duckdb.lock").exists()
    assert hand.store.runs.path == far / "real.runs.duckdb"


def test_a_link_to_itself_is_no_store(tmp_path: Path) -> None:
    path = tmp_path / "loop.duckdb"
    path.symlink_to(path)
    with pytest.raises(StoreError, match="cannot be followed"), reading(path):
        pass
    with pytest.raises(StoreError, match="cannot be followed"), writing(path):
        pass


@pytest.mark.parametrize("kind", ["folder", "pipe", "device"])
def test_what_is_no_file_is_refused_at_once(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "fleet.duckdb"
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    else:
        path = Path("/dev/zero")
    for opened in (reading, writing):
        with pytest.raises(StoreError, match=f"the store is a {kind}"), opened(path):
            pass
    with pytest.raises(StoreError, match=f"the store is a {kind}"):
        open_store(path)


@pytest.mark.parametrize("name", ["n" * 300, "n" * 248, "\udcff.duckdb", "a\0b"])
def test_names_that_no_file_can_have_are_refused(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    for opened in (reading, writing):
        with pytest.raises(StoreError) as caught, opened(path):
            pass
        str(caught.value).encode()


@pytest.mark.parametrize("mode", [0o600, 0o664])
def test_a_rewritten_store_keeps_its_mode(hand: Hand, mode: int) -> None:
    hand.load(chunk_of((RUNNING, [(0, 1)])))
    hand.path.chmod(mode)
    hand.load(chunk_of((RUNNING, [(15, 1)])))
    assert stat.S_IMODE(hand.path.stat().st_mode) == mode


def test_a_new_store_has_the_mode_of_any_new_file(hand: Hand) -> None:
    before = os.umask(0o027)
    try:
        hand.load(chunk_of((RUNNING, [(0, 1)])))
    finally:
        os.umask(before)
    assert stat.S_IMODE(hand.path.stat().st_mode) == 0o640


@pytest.mark.skipif(os.getuid() != 0, reason="only the administrator gives files away")
def test_a_rewritten_store_keeps_its_owner(hand: Hand) -> None:
    hand.load(chunk_of((RUNNING, [(0, 1)])))
    os.chown(hand.path, 1234, 2345)
    hand.load(chunk_of((RUNNING, [(15, 1)])))
    assert (hand.path.stat().st_uid, hand.path.stat().st_gid) == (1234, 2345)


def test_a_folder_with_an_index_stands_for_it(tmp_path: Path) -> None:
    folder = tmp_path / "lake"
    folder.mkdir()
    with pytest.raises(StoreError, match="the store is a folder"):
        locate(folder)
    (folder / INDEX).touch()
    assert locate(folder) == folder / INDEX
    (tmp_path / "link").symlink_to(folder)
    assert locate(tmp_path / "link") == folder / INDEX
    assert is_index(locate(folder))
    assert not is_index(tmp_path / "fleet.duckdb")


def test_only_the_only_one_is_idle(tmp_path: Path) -> None:
    path = tmp_path / "files"
    with idle(path) as alone:
        assert alone
    with shared(path), idle(path) as alone:
        assert not alone
    with locked(path), idle(path) as alone:
        assert not alone
