"""A lake: readers see its files and nothing else, writers make it anew as a whole."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import duckdb
import polars as pl
import pytest

from signals.errors import StoreError
from signals.store import create_lake, open_store
from signals.store.connect import reading, writing
from signals.store.lake import take_back
from signals.store.parsed import Series
from tests.sql.hand import START, Hand, at, chunk_of
from tests.unit.store.test_load import RUNNING

OWN = Series("someones_own_gauge", {"pod": "a"})
DAY_S = 86_400.0


@dataclass
class LakeHand(Hand):
    """A lake in a folder, loaded from chunks."""

    @property
    def path(self) -> Path:
        return self.folder / "lake" / "lake.duckdb"


@pytest.fixture
def lake(tmp_path: Path) -> LakeHand:
    return LakeHand(tmp_path)


def files(hand: LakeHand) -> list[str]:
    folder = hand.path.parent
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.parquet"))


def count(hand: LakeHand) -> object:
    return hand.store.query("services")["samples"].to_list()


def test_rows_lie_in_files_by_day_and_the_index_holds_none(lake: LakeHand) -> None:
    lake.load(chunk_of((RUNNING, [(0, 1), (DAY_S, 2)]), (OWN, [(5, 3)])))
    assert [path.rpartition("/")[0] for path in files(lake)] == [
        "sample_engine/service=svc/day=2026-03-01",
        "sample_engine/service=svc/day=2026-03-02",
        "sample_other/service=svc/day=2026-03-01",
    ]
    assert count(lake) == [3]
    with reading(lake.path) as connection:
        own = connection.execute("select count(*) from main.sample_engine").fetchall()
        seen = connection.execute("select count(*) from sample_engine").fetchall()
        listed = connection.execute("select sum(row_count)::integer from lake_file").fetchall()
    assert (own, seen, listed) == ([(0,)], [(2,)], [(3,)])


def test_any_tool_can_read_the_files(lake: LakeHand) -> None:
    lake.load(chunk_of((RUNNING, [(0, 1), (DAY_S, 2)])))
    pattern = str(lake.path.parent / "sample_engine/**/*.parquet")
    rows = pl.scan_parquet(pattern, hive_partitioning=True).select("service", "day", "ts")
    assert rows.sort("ts").collect().rows() == [
        ("svc", START.date(), START),
        ("svc", at(DAY_S).date(), at(DAY_S)),
    ]


def test_a_reader_reaches_no_other_file(lake: LakeHand) -> None:
    lake.load(chunk_of((RUNNING, [(0, 1)])))
    other = lake.path.parent / "other.parquet"
    pl.DataFrame({"a": [1]}).write_parquet(other)
    own = lake.path.parent / files(lake)[1]
    with reading(lake.path) as connection:
        for text in (
            f"from read_parquet('{other}')",
            f"copy (select 1) to '{own}'",
            f"attach '{lake.path.parent / 'x.duckdb'}'",
            f"set allowed_paths = ['{other}']",
            "delete from main.series",
        ):
            with pytest.raises(duckdb.Error):
                connection.execute(text)
    assert count(lake) == [1]


def test_a_second_load_sees_what_the_first_brought(lake: LakeHand) -> None:
    lake.load(chunk_of((RUNNING, [(0, 1), (15, 2)]), (OWN, [(0, 1)])))
    report = lake.load(chunk_of((RUNNING, [(0, 1), (15, 9), (30, 3)]), (OWN, [(0, 1)])))
    found = report.sources[0]
    assert found.rows_kept == 1
    assert found.findings["overlap"] == 2
    assert found.findings["conflict"] == 1
    assert count(lake) == [4]
    for check in ("lost_samples", "repeated_samples", "wrong_extents"):
        assert lake.store.query(f"checks/{check}").is_empty()


def test_requests_keep_their_order_and_come_once(lake: LakeHand) -> None:
    rows = [{"arrived_s": s, "prompt_tokens": n} for n, s in enumerate((0, 0, 0, 5, 5))]
    lake.load(chunk_of(requests=rows))
    report = lake.load(chunk_of(requests=[*rows, {"arrived_s": 9, "prompt_tokens": 9}]))
    assert report.sources[0].rows_kept == 1
    assert lake.store.requests("svc")["prompt_tokens"].to_list() == [0, 1, 2, 3, 4, 9]


def test_rows_of_a_source_come_back_with_their_neighbours(lake: LakeHand) -> None:
    lake.load(chunk_of((RUNNING, [(0, 1)])))
    lake.load(chunk_of((RUNNING, [(15, 2)])))
    before = files(lake)
    with writing(lake.path) as connection:
        take_back(connection, lake.path, [1])
        own = connection.execute("select source_id from main.sample_engine").fetchall()
        seen = connection.execute("select source_id from sample order by all").fetchall()
        assert (own, seen) == ([(1,)], [(1,), (2,)])
        take_back(connection, lake.path, [7])
    assert len(files(lake)) == len(before)
    assert set(files(lake)) != set(before)
    assert count(lake) == [2]


def test_files_of_many_loads_become_one(lake: LakeHand, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("signals.store.lake.MOST_FILES", 3)
    held = []
    for number in range(6):
        asked = [{"arrived_s": 0, "prompt_tokens": number}]
        lake.load(chunk_of((RUNNING, [(15 * number, number)]), requests=asked))
        held.append(len(files(lake)))
    assert held == [2, 4, 6, 8, 2, 4]
    assert count(lake) == [6]
    assert lake.store.requests("svc")["prompt_tokens"].to_list() == [0, 1, 2, 3, 4, 5]
    for check in ("lost_samples", "repeated_samples", "wrong_extents"):
        assert lake.store.query(f"checks/{check}").is_empty()


def drop_and_fail(path: Path) -> None:
    with writing(path) as connection:
        connection.execute("delete from series").fetchall()
        raise ZeroDivisionError


def test_a_failed_write_leaves_the_lake_as_it_was(lake: LakeHand) -> None:
    lake.load(chunk_of((RUNNING, [(0, 1)])))
    before = (files(lake), lake.path.read_bytes())
    with pytest.raises(ZeroDivisionError):
        drop_and_fail(lake.path)
    assert (files(lake), lake.path.read_bytes()) == before
    assert not (lake.path.parent / ".writing").exists()


def test_leftovers_of_a_killed_writer_are_cleared(lake: LakeHand) -> None:
    lake.load(chunk_of((RUNNING, [(0, 1)])))
    orphan = lake.path.parent / files(lake)[0]
    orphan.with_name(f"{'0' * 32}.parquet").write_bytes(b"half")
    (lake.path.parent / ".writing").mkdir()
    (lake.path.parent / ".writing" / "work.duckdb").write_bytes(b"half")
    assert count(lake) == [1]
    lake.load(chunk_of((RUNNING, [(15, 1)])))
    assert len(files(lake)) == 2
    assert not (lake.path.parent / ".writing").exists()


def test_a_lake_may_be_moved_and_is_named_by_its_folder(lake: LakeHand, tmp_path: Path) -> None:
    lake.load(chunk_of((RUNNING, [(0, 1)])))
    moved = lake.path.parent.rename(tmp_path / "else where'")
    store = open_store(moved)
    assert store.query("services")["samples"].to_list() == [1]
    assert store.runs.path == moved / "lake.runs.duckdb"


def test_a_file_that_is_missing_is_said(lake: LakeHand) -> None:
    lake.load(chunk_of((RUNNING, [(0, 1)])))
    (lake.path.parent / files(lake)[0]).unlink()
    with pytest.raises(StoreError, match="cannot be used"):
        lake.store.query("checks/repeated_samples")


def test_a_store_given_an_index_name_becomes_a_lake(lake: LakeHand, tmp_path: Path) -> None:
    plain = Hand(tmp_path)
    plain.load(chunk_of((RUNNING, [(0, 1)])), name="plain")
    lake.path.parent.mkdir()
    plain.path.rename(lake.path)
    assert count(lake) == [1]
    lake.load(chunk_of((RUNNING, [(15, 1)])), name="more")
    assert count(lake) == [2]
    assert len(files(lake)) == 1


def test_a_lake_of_another_version_is_refused(lake: LakeHand) -> None:
    lake.load(chunk_of((RUNNING, [(0, 1)])))
    with duckdb.connect(str(lake.path)) as connection:
        connection.execute("update schema_version set version = 99")
    with pytest.raises(StoreError, match="another version"):
        lake.load(chunk_of((RUNNING, [(15, 1)])))
    assert len(files(lake)) == 1


def test_a_lake_is_made_by_a_load_where_its_folder_can_be(tmp_path: Path) -> None:
    absent = create_lake(tmp_path / "lake").path
    with pytest.raises(StoreError, match="does not exist"), reading(absent):
        pass
    assert not absent.parent.exists()
    deep = create_lake(tmp_path / "no" / "lake").path
    with pytest.raises(StoreError, match="folder of the store does not exist"), writing(deep):
        pass
    (tmp_path / "file").write_text("")
    with (
        pytest.raises(StoreError, match="cannot be followed"),
        writing(create_lake(tmp_path / "file").path),
    ):
        pass
