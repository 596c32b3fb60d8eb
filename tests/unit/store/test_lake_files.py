"""The files of a lake: their paths, how they get there, and which ones go."""

from __future__ import annotations

from datetime import date
from pathlib import Path, PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signals.errors import StoreError
from signals.store.lake_files import READERS, TABLES, move, new_path, sweep
from signals.store.place import shared

DAY = date(2026, 3, 1)


def put(folder: Path, path: str) -> Path:
    file = folder / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("rows")
    return file


@given(service=st.text(max_size=300))
def test_a_path_has_four_parts_whatever_the_service_is_called(service: str) -> None:
    parts = PurePosixPath(new_path("request", service, DAY)).parts
    assert len(parts) == 4
    assert parts[0] == "request"
    assert parts[1].startswith("service=")
    assert parts[2] == "day=2026-03-01"
    assert all(part.isascii() and len(part) < 200 for part in parts)
    assert not set('/\\\0*?"<>|') & set("".join(parts))


def test_names_are_readable_where_they_can_be() -> None:
    assert new_path("request", "chat", DAY).startswith("request/service=chat/day=2026-03-01/")
    assert "service=a%3Db%2Fc/" in new_path("request", "a=b/c", DAY)
    assert "service=__HIVE_DEFAULT_PARTITION__/" in new_path("request", "", DAY)


def test_no_two_paths_are_alike_and_long_names_stay_apart() -> None:
    assert new_path("request", "a", DAY) != new_path("request", "a", DAY)
    long = [PurePosixPath(new_path("request", "é" * 500 + end, DAY)).parts[1] for end in "ab"]
    assert long[0] != long[1]


def test_files_are_moved_all_or_none(tmp_path: Path) -> None:
    first, second = (put(tmp_path, name) for name in ("1", "2"))
    targets = [tmp_path / "lake/request/service=a/day=2026-03-01" / name for name in ("x", "y")]
    gone = tmp_path / "gone"
    with pytest.raises(StoreError, match="cannot be written"):
        move({first: targets[0], gone: targets[1]})
    assert not targets[0].exists()
    first.write_text("rows")
    move({first: targets[0], second: targets[1]})
    assert [target.read_text() for target in targets] == ["rows", "rows"]


def test_only_own_files_that_nobody_names_go(tmp_path: Path) -> None:
    kept, left = (new_path("histogram", "svc", DAY) for _ in range(2))
    alone = new_path("sample_gpu", "svc", DAY)
    foreign = "histogram/service=svc/day=2026-03-01/mine.parquet"
    elsewhere = f"notes/service=svc/day=2026-03-01/{PurePosixPath(left).name}"
    for path in (kept, left, alone, foreign, elsewhere):
        put(tmp_path, path)
    sweep(tmp_path, [kept])
    found = {p.relative_to(tmp_path).as_posix() for p in tmp_path.rglob("*.parquet")}
    assert found == {kept, foreign, elsewhere}
    assert not list((tmp_path / "sample_gpu").iterdir())


def test_a_folder_with_the_name_of_a_file_is_left_alone(tmp_path: Path) -> None:
    path = new_path("request", "svc", DAY)
    (tmp_path / path).mkdir(parents=True)
    sweep(tmp_path, [])
    assert (tmp_path / path).is_dir()


def test_nothing_goes_while_somebody_reads(tmp_path: Path) -> None:
    sweep(tmp_path, [])
    file = put(tmp_path, new_path("request", "svc", DAY))
    with shared(tmp_path / READERS):
        sweep(tmp_path, [])
        assert file.exists()
    sweep(tmp_path, [])
    assert not file.exists()


def test_every_table_of_rows_is_part_of_a_lake() -> None:
    from signals.store.connect import empty

    with empty("schema") as connection:
        rows = connection.execute(
            "select table_name from duckdb_columns() semi join duckdb_tables() using (table_name)"
            " where column_name = 'source_id'"
        ).fetchall()
    about = {"finding", "reject", "source"}
    assert {name for (name,) in rows} - about == set(TABLES)
