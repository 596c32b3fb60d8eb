"""Times with a zone and times without: single odd ones are no times, more are the file's fault."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import polars as pl
import pytest

from signals.errors import InputError
from signals.store.parsed import ReadOptions
from signals.store.sources.stamps import StampReader

START = datetime(2026, 6, 1, tzinfo=UTC)
PARIS = ReadOptions(zone="Europe/Paris")


def texts(count: int, mark: str = "Z") -> list[str]:
    moments = (START + timedelta(seconds=15 * k) for k in range(count))
    return [f"{moment:%Y-%m-%dT%H:%M:%S}{mark}" for moment in moments]


def nulls(reader: StampReader, column: list[str]) -> list[int]:
    """Which rows are no times."""
    stamps = reader.read(
        pl.Series(column, dtype=pl.String), pl.int_range(2, len(column) + 2, eager=True)
    )
    return stamps.is_null().arg_true().to_list()


@pytest.mark.parametrize("options", [PARIS, ReadOptions()], ids=["with --tz", "without"])
def test_one_time_that_lost_its_zone_is_no_time(options: ReadOptions) -> None:
    column = texts(30)
    column[7] = column[7].removesuffix("Z")
    reader = StampReader("file", options)
    assert nulls(reader, column) == [7]
    assert reader.findings() == ()


def test_one_time_with_a_zone_among_local_ones_is_no_time() -> None:
    column = texts(3, "")
    column[0] += "Z"
    reader = StampReader("file", PARIS)
    assert nulls(reader, column) == [0]
    (finding,) = reader.findings()
    assert (finding.code, finding.count) == ("zone_assumed", 2)


def test_one_local_time_among_epochs_needs_no_zone() -> None:
    column = [str(1_780_000_000 + k) for k in range(10)]
    column[4] = "2026-06-01 08:00:00"
    assert nulls(StampReader("file", ReadOptions()), column) == [4]
    # with a zone it says what it is
    assert nulls(StampReader("file", PARIS), column) == []


def test_what_a_file_has_is_kept_in_mind_from_part_to_part() -> None:
    reader = StampReader("file", PARIS)
    assert nulls(reader, texts(100)) == []
    odd = texts(40)
    odd[3] = odd[3].removesuffix("Z")
    assert nulls(reader, odd) == [3]
    with pytest.raises(InputError, match="mixed"):
        nulls(reader, texts(40, ""))


def test_many_of_both_kinds_are_the_file_s_fault() -> None:
    with pytest.raises(InputError, match="mixed") as caught:
        nulls(StampReader("file", PARIS), [*texts(30), *texts(3, "")])
    assert "with a zone on line 2, without on line 32" in str(caught.value.where)
    with pytest.raises(InputError, match="no zone"):
        nulls(StampReader("file", ReadOptions()), texts(30, ""))


def test_rows_count_not_distinct_texts() -> None:
    with pytest.raises(InputError, match="mixed"):
        nulls(StampReader("file", PARIS), [*texts(30), *texts(1, "") * 30])
