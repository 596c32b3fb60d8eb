"""A lake: readers see its files and nothing else, writers make it anew as a whole."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

import duckdb
import polars as pl
import pytest

from signals.errors import QueryError, StoreError
from signals.store import create_lake, open_store
from signals.store.connect import reading, writing
from signals.store.lake import ask, take_back
from signals.store.parsed import Series
from signals.store.sql import load_query
from tests.sql.hand import START, START_US, Hand, at, chunk_of, grid
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


@pytest.fixture
def week(lake: LakeHand) -> LakeHand:
    """Two services, a sample each hour and a request each half day, for seven days."""
    hours = [(3600.0 * hour, float(hour)) for hour in range(7 * 24)]
    for service in ("svc", "other"):
        asked = [{"arrived_s": 43_200 * half, "prompt_tokens": half} for half in range(14)]
        lake.load(chunk_of((RUNNING, hours), (OWN, hours), requests=asked), service=service)
    return lake


def opened(
    hand: LakeHand, name: str, params: Mapping[str, object]
) -> tuple[int, list[tuple[str, date]]]:
    """How many files DuckDB reads for a question, as it tells itself, and of which services and days (five a scan)."""
    texts = []
    with reading(hand.path) as connection, pytest.MonkeyPatch.context() as patch:

        def explain(there: duckdb.DuckDBPyConnection, what: str, values: object) -> object:
            if what == name:
                text = f"explain (analyze, format json) {load_query(name).text}"
                texts.append(str(there.execute(text, values).fetchall()))
                return None
            return unpatched(there, what, values)

        import signals.store.lake as module

        unpatched = module.run
        patch.setattr(module, "run", lambda there, what, values=None: explain(there, what, values))
        ask(connection, name, params)
    found = re.findall(r"service=(\w+)/day=([0-9-]{10})/\w{32}[.]parquet", "".join(texts))
    count = sum(map(int, re.findall(r"Total Files Read\W+(\d+)", "".join(texts))))
    return count, sorted({(service, date.fromisoformat(day)) for service, day in found})


def test_a_question_about_a_day_opens_the_files_of_that_day(week: LakeHand) -> None:
    third = START.date() + timedelta(days=2)
    day = {"first_s": 2 * DAY_S + 43_200, "last_s": 2 * DAY_S + 80_000}
    asked = grid(day["last_s"], first_s=day["first_s"], tick_s=60.0)
    assert opened(week, "mart/gauge_per_tick", asked) == (2, [("svc", third)])
    begin = grid(2 * DAY_S + 4 * 3600, first_s=2 * DAY_S + 2 * 3600, tick_s=60.0)
    # three spacings of samples before the first window lie on the day before
    assert opened(week, "mart/gauge_per_tick", begin) == (
        4,
        [("svc", third - timedelta(days=1)), ("svc", third)],
    )
    span = {"service": "svc", "first": at(day["first_s"]), "last": at(day["last_s"])}
    assert opened(week, "mart/requests", span) == (1, [("svc", third)])
    assert opened(week, "mart/requests", {**span, "last": None})[0] == 5
    assert opened(week, "mart/request_span", {"service": "svc"})[0] == 7


def test_a_question_that_names_no_day_still_sees_all(week: LakeHand) -> None:
    with reading(week.path) as connection:
        for _ in range(2):
            frame = ask(connection, "mart/gauge_per_tick", grid(3600.0, tick_s=60.0))
            assert set(frame["series_count"]) == {1}
            assert ask(connection, "checks/wrong_extents", {}).is_empty()
            rows = connection.execute("select count(*) from sample").fetchall()
            assert rows == [(2 * 2 * 7 * 24,)]


@pytest.mark.parametrize("first_us", [-(2**63), 2**63 - 1, "soon", None])
def test_a_span_that_no_calendar_knows_ends_as_in_a_file(
    week: LakeHand, tmp_path: Path, first_us: object
) -> None:
    plain = Hand(tmp_path / "plain")
    plain.folder.mkdir()
    plain.load(chunk_of((RUNNING, [(3600.0 * hour, float(hour)) for hour in range(7 * 24)])))
    asked = {**grid(3600.0), "first_us": first_us}
    ends = []
    for hand in (plain, week):
        try:
            ends.append(hand.store.query("mart/gauge_per_tick", asked).height)
        except QueryError as error:
            ends.append(str(error))
    assert ends[0] == ends[1]
    asked = grid(3600.0, first_s=-1.0)
    assert asked["first_us"] == START_US - 1_000_000
    assert week.store.query("mart/gauge_per_tick", asked).height
