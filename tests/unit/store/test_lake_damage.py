"""Damaged lakes: the file is named, and what the error advises helps."""

from __future__ import annotations

import random
import re
import shlex
import shutil
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import polars as pl
import pytest

from signals.cli.app import run as run_command
from signals.errors import QueryError, StoreError
from signals.store import LoadOptions, Store, create_lake, create_store, open_store
from signals.store.connect import reading
from signals.store.lake_damage import NOTHING_LOST, find_lost
from signals.store.parsed import ReadOptions
from tests.scenarios.test_store_lake import MIDNIGHT, Pair, fleet, log, parquet_files
from tests.sql.hand import chunk_of
from tests.unit.store.test_lake import LakeHand
from tests.unit.store.test_load import RUNNING

CHECKS = ("lost_samples", "repeated_samples", "wrong_extents", "targets_without_one_pool")
OPTIONS = LoadOptions(read=ReadOptions(service="svc"))


def remove(file: Path) -> None:
    file.unlink()


def truncate(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-100])


def empty(file: Path) -> None:
    file.write_bytes(b"")


def replace_by_text(file: Path) -> None:
    file.write_text("somebody's notes, not a table\n" * 9)


def replace_by_table(file: Path) -> None:
    pl.DataFrame({"a": [1, 2]}).write_parquet(file)


def cut_rows(file: Path) -> None:
    pl.read_parquet(file).head(3).write_parquet(file)


def halve(file: Path) -> None:
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def spoil(file: Path) -> None:
    content = bytearray(file.read_bytes())
    begin, end = len(content) // 8, len(content) // 2
    content[begin:end] = random.Random(7).randbytes(end - begin)
    file.write_bytes(content)


DAMAGE: dict[str, tuple[Callable[[Path], None], str]] = {
    "missing": (remove, "is missing"),
    "truncated": (truncate, "is cut short"),
    "empty": (empty, "is empty"),
    "text": (replace_by_text, "is no Parquet file"),
    "spoiled": (spoil, "is damaged"),
}


@pytest.fixture(scope="module")
def exports(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two sources of two days that share files, a third one of the second day, a log; and the stores with them."""
    folder = tmp_path_factory.mktemp("exports")
    pair = Pair(folder)
    sources = [
        fleet(folder / "a.om", MIDNIGHT, 3),
        fleet(folder / "b.om", MIDNIGHT + timedelta(hours=20), 6),
    ]
    pair.load(sources)
    pair.load([fleet(folder / "c.om", MIDNIGHT + timedelta(hours=30), 2)])
    pair.load([log(folder / "log.csv", MIDNIGHT, 100)])
    return folder


@pytest.fixture
def pair(exports: Path, tmp_path: Path) -> Pair:
    """The same in stores of its own."""
    shutil.copytree(exports / "lake", tmp_path / "lake")
    shutil.copy(exports / "fleet.duckdb", tmp_path)
    return Pair(tmp_path)


def first_file(folder: Path, table: str) -> Path:
    return folder / min(path for path in parquet_files(folder) if path.startswith(f"{table}/"))


def break_then_ask(store: Store, file: Path, harm: Callable[[Path], None]) -> StoreError:
    harm(file)
    with pytest.raises(StoreError) as caught:
        ask_all(store)
    return caught.value


def ask_all(store: Store) -> None:
    for check in ("falling_buckets", *CHECKS):
        store.query(f"checks/{check}")


@pytest.mark.parametrize(
    ("kind", "table"),
    [
        ("missing", "sample_engine"),
        ("missing", "sample_other"),
        ("missing", "histogram"),
        ("truncated", "sample_engine"),
        ("empty", "sample_other"),
        ("text", "histogram"),
        ("spoiled", "sample_gpu"),
        ("spoiled", "histogram"),
    ],
)
def test_what_the_error_advises_helps(
    pair: Pair,
    exports: Path,
    kind: str,
    table: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    harm, words = DAMAGE[kind]
    lake = open_store(pair.folder)
    file = first_file(pair.folder, table)
    error = break_then_ask(lake, file, harm)
    assert error.what == f"a file of the lake {words}"
    assert error.where == str(file)
    assert "rows of service 'svc' of 2026-03-02, from" in error.expected
    assert "a.om" in error.expected
    assert "b.om" in error.expected
    advised = re.search("give it up: signals (.*); then load that source again", error.hint)
    assert advised
    capsys.readouterr()
    assert run_command(shlex.split(advised[1])) == 0
    assert str(exports / "b.om") in capsys.readouterr().out
    for check in CHECKS:
        assert lake.query(f"checks/{check}").is_empty(), check
    for name in ("a.om", "b.om"):
        assert not lake.load([exports / name], OPTIONS).sources[0].already_loaded
    for check in CHECKS:
        assert lake.query(f"checks/{check}").is_empty(), check
    # targets and series are numbered anew, which the answers do not show
    for one in (pair.file.panel("svc"), lake.panel("svc")):
        assert one.frame.equals(pair.file.panel("svc").frame)
    assert pair.file.query("services").equals(lake.query("services"))


@pytest.mark.parametrize("harm", [replace_by_table, cut_rows])
def test_a_file_that_was_exchanged_is_given_up(
    pair: Pair, exports: Path, harm: Callable[[Path], None]
) -> None:
    harm(first_file(pair.folder, "histogram"))
    lake = open_store(pair.folder)
    report = lake.forget(str(exports / "a.om"))
    assert report.reload == (str(exports / "b.om"),)
    for check in CHECKS:
        assert lake.query(f"checks/{check}").is_empty(), check


def exchange(file: Path) -> None:
    """Another table's file in its place."""
    root = file.parents[3]
    other = "sample_gpu" if "histogram" in str(file) else "histogram"
    shutil.copy(first_file(root, other), file)


def spell_out(file: Path) -> None:
    """The same columns as text, as a tool that went over the file may leave them."""
    frame = pl.read_parquet(file, hive_partitioning=False)
    frame.with_columns(pl.lit("a").alias(frame.columns[0])).write_parquet(file)


@pytest.mark.parametrize(
    ("table", "harm"),
    [
        ("sample_engine", replace_by_table),
        ("sample_engine", exchange),
        ("histogram", spell_out),
    ],
)
def test_a_file_that_was_exchanged_is_named_with_a_remedy(
    pair: Pair, table: str, harm: Callable[[Path], None]
) -> None:
    file = first_file(pair.folder, table)
    harm(file)
    with pytest.raises(StoreError) as caught:
        open_store(pair.folder).panel("svc")
    assert "holds something else" in caught.value.what
    assert caught.value.where == str(file)
    assert "put the file back from a copy; or give it up: signals " in caught.value.hint


def test_a_value_of_the_users_that_does_not_convert_is_no_damage(pair: Pair) -> None:
    with pytest.raises(QueryError, match="does not take these values"):
        open_store(pair.folder).query(
            "scrape_phases", {"service": "svc", "tick_us": "as the days go by"}
        )


def test_a_log_that_was_lost_is_loaded_again(pair: Pair, exports: Path, tmp_path: Path) -> None:
    lake = open_store(pair.folder)
    error = break_then_ask(lake, first_file(pair.folder, "request"), remove)
    assert "log.csv" in error.hint
    with pytest.raises(StoreError, match="is missing"):
        lake.load([fleet(tmp_path / "d.om", MIDNIGHT + timedelta(days=3), 1)], OPTIONS)
    report = lake.forget("log.csv")
    assert (report.requests, report.reload) == (0, ())
    lake.load([exports / "log.csv"], OPTIONS)
    assert lake.requests("svc").equals(pair.file.requests("svc"))


def test_a_source_without_a_share_in_the_loss_stays(pair: Pair) -> None:
    lake = open_store(pair.folder)
    error = break_then_ask(lake, first_file(pair.folder, "histogram"), remove)
    with pytest.raises(StoreError) as caught:
        lake.forget("c.om")
    assert str(caught.value) == str(error)
    assert lake.forget("svc").sources == 4
    assert parquet_files(pair.folder) == set()


def test_losses_of_sources_and_services_do_not_block_each_other(pair: Pair, exports: Path) -> None:
    pair.load([exports / "a.om"], "other")
    lake = open_store(pair.folder)
    for path in parquet_files(pair.folder):
        if "day=2026-03-02" in path:
            (pair.folder / path).unlink()
    for path in sorted(parquet_files(pair.folder))[:2]:
        spoil(pair.folder / path)
    error = break_then_ask(lake, first_file(pair.folder, "sample_gpu"), remove)
    assert "more are missing or damaged" in error.what
    assert lake.forget("c.om").sources == 1
    report = lake.forget("other")
    assert (report.sources, report.samples) == (1, 0)
    for check in CHECKS:
        assert lake.query(f"checks/{check}").is_empty(), check
    for name in ("a.om", "b.om", "c.om", "log.csv"):
        lake.load([exports / name], OPTIONS)
    assert lake.panel("svc").frame.equals(pair.file.panel("svc").frame)


def test_files_that_are_not_of_the_lake_change_nothing(pair: Pair, exports: Path) -> None:
    file = first_file(pair.folder, "histogram")
    shutil.copy(file, file.with_name("copy.parquet"))
    file.with_name("notes.parquet").write_text("no table")
    file.with_name("README").write_text("mine")
    pair.compare()
    pair.forget("a.om")
    pair.load([exports / "a.om"])
    pair.compare()
    kept = {path.name for path in file.parent.iterdir()}
    assert {"copy.parquet", "notes.parquet", "README"} <= kept


def test_a_lake_without_its_index_is_refused_and_left_alone(
    pair: Pair, exports: Path, tmp_path: Path
) -> None:
    index = (pair.folder / "lake.duckdb").rename(tmp_path / "aside")
    held = parquet_files(pair.folder)
    for act in (
        lambda: create_lake(pair.folder).load([exports / "a.om"], OPTIONS),
        lambda: create_lake(pair.folder).services(),
        lambda: open_store(pair.folder),
        lambda: open_store(pair.folder / "lake.duckdb"),
        lambda: create_store(pair.folder).services(),
    ):
        with pytest.raises(StoreError) as caught:
            act()
        assert caught.value.what == "the lake has lost its index"
        assert caught.value.where == str(pair.folder / "lake.duckdb")
        assert "put lake.duckdb back" in caught.value.hint
    assert parquet_files(pair.folder) == held
    index.rename(pair.folder / "lake.duckdb")
    pair.compare()


def test_files_of_a_killed_first_load_are_no_lost_lake(pair: Pair, exports: Path) -> None:
    (pair.folder / "lake.duckdb").unlink()
    (pair.folder / ".writing").mkdir()
    create_lake(pair.folder).load([exports / "log.csv"], OPTIONS)
    assert {path.split("/")[0] for path in parquet_files(pair.folder)} == {"request"}


@pytest.mark.parametrize("harm", [halve, empty, replace_by_text, spoil])
def test_a_damaged_index_is_told(pair: Pair, exports: Path, harm: Callable[[Path], None]) -> None:
    index = pair.folder / "lake.duckdb"
    harm(index)
    held = index.read_bytes()
    acts = (
        lambda: ask_all(open_store(pair.folder)),
        lambda: create_lake(pair.folder).load([exports / "a.om"], OPTIONS),
        lambda: open_store(pair.folder).forget("a.om"),
    )
    for act in acts:
        with pytest.raises(StoreError) as caught:
            act()
        assert caught.value.where in (str(index), str(pair.folder))
        assert "--lake NEW" in caught.value.hint
    assert index.read_bytes() == held


def test_nothing_is_lost_of_a_whole_lake_or_a_store_of_one_file(pair: Pair, tmp_path: Path) -> None:
    for store, folder in ((pair.lake, pair.folder), (pair.file, tmp_path)):
        with reading(store.path, views=()) as connection:
            assert find_lost(connection, folder, "svc", [1, 2]) is NOTHING_LOST


def test_words_that_are_no_text_do_not_hide_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hand = LakeHand(tmp_path)
    hand.load(chunk_of((RUNNING, [(0, 1)])))
    file = first_file(hand.path.parent, "sample_engine")

    def fail(path: Path) -> None:
        with reading(path):
            raise RuntimeError("nanobind::str(): conversion error!")

    with pytest.raises(RuntimeError, match="conversion"):
        fail(hand.path)
    truncate(file)
    monkeypatch.setattr("signals.store.connect.open_files", lambda *_: None)
    with pytest.raises(StoreError, match="is cut short"):
        fail(hand.path)
