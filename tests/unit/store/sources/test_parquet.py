"""Parquet: odd types become plain ones, and what is broken names itself."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal

import polars as pl
import pyarrow as pa
import pytest
from pyarrow import parquet

from signals.errors import InputError
from signals.store.sources import detect
from signals.store.sources import parquet as module
from signals.store.sources.parquet import open_parquet


def column_of(path, array):
    parquet.write_table(pa.table({"a": array}), path)
    _, parts = open_parquet(path)
    return pl.concat([part.frame for part in parts])["a"]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "x.parquet"


@pytest.mark.parametrize(
    ("array", "expected"),
    [
        (pa.array([Decimal("1.50"), None], pa.decimal256(60, 2)), [1.5, None]),
        (pa.array([Decimal("1.50"), None], pa.decimal128(10, 2)), [1.5, None]),
        (pa.array([1.5, None], pa.float32()).cast(pa.float16()), [1.5, None]),
        (pa.array([timedelta(milliseconds=1500), None]), [1.5, None]),
        (pa.array(["x", None, "x"]).dictionary_encode(), ["x", None, "x"]),
        (pa.array(["x", None], pa.large_string()), ["x", None]),
        (pa.array([b"ab", b"\xff"]), ["ab", "\ufffd"]),
        (pa.array([[1, 2], None]), ["[1, 2]", None]),
        (pa.array([{"b": 1}]), ["{'b': 1}"]),
        (pa.array([time(8, 30)]), ["08:30:00"]),
        (pa.array([date(2026, 6, 1), None]), [datetime(2026, 6, 1), None]),  # noqa: DTZ001
        (pa.nulls(2), [None, None]),
        (pa.array([2**64 - 1], pa.uint64()), [2**64 - 1]),
    ],
)
def test_odd_types_become_plain(path, array, expected):
    assert column_of(path, array).to_list() == expected


@pytest.mark.parametrize("zone", ["+05:30", "UTC", "Asia/Tokyo"])
@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_times_with_a_zone_are_instants(path, zone, unit):
    per_second = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[unit]
    array = pa.array([1_760_000_000 * per_second, None], pa.timestamp(unit, zone))
    found = column_of(path, array)
    assert found.dtype == pl.Datetime("us", "UTC")
    assert found.to_list() == [datetime(2025, 10, 9, 8, 53, 20, tzinfo=UTC), None]


@pytest.mark.parametrize("zone", ["UTC", None])
def test_times_beyond_any_calendar_are_shown_not_a_panic(path, zone):
    array = pa.array([2**62, 1_760_000_000_000, None], pa.timestamp("ms", zone))
    suffix = "Z" if zone else ""
    assert column_of(path, array).to_list() == [
        f"beyond any calendar: {2**62} ms",
        f"2025-10-09 08:53:20.000000{suffix}",
        None,
    ]


def test_such_times_are_rejects(path, whole):
    table = {
        "ts": pa.array([2**62, 1_760_000_000_000], pa.timestamp("ms", "UTC")),
        "decode:decode_tps": pa.array([1.0, 2.0]),
    }
    parquet.write_table(pa.table(table), path)
    result = whole(path)
    assert result.seconds == [0.0]
    assert result.rejected == [(1, "bad_time")]


def test_times_that_no_exporter_has_are_rejects(path, whole):
    table = {
        "ts": pa.array([2**63 - 1, 1_760_000_000 * 10**9], pa.timestamp("ns", "UTC")),
        "decode:decode_tps": pa.array([1.0, 2.0]),
    }
    parquet.write_table(pa.table(table), path)
    assert whole(path).rejected == [(1, "bad_time")]


def test_a_panic_names_the_file_and_the_column(path, monkeypatch):
    def panic(_):
        raise pl.exceptions.PanicException("library bug")

    monkeypatch.setattr(module, "_plain", panic)
    with pytest.raises(InputError, match="column 'a' of the Parquet file") as caught:
        column_of(path, pa.array([1]))
    assert "x.parquet, type int64" in caught.value.where
    assert caught.value.hint == "library bug"


def test_damaged_text_does_not_pass(path):
    parquet.write_table(
        pa.table({"a": ["abcdefgh", "second"]}),
        path,
        compression="none",
        use_dictionary=False,
        write_statistics=False,
        store_schema=False,
    )
    path.write_bytes(path.read_bytes().replace(b"abcdefgh", b"ab\xff\xfeefgh"))
    _, parts = open_parquet(path)
    with pytest.raises(InputError, match="Parquet file cannot be read"):
        list(parts)


@pytest.mark.parametrize(
    ("spoil", "what"),
    [
        (lambda whole: whole[:4], "cut short"),
        (lambda whole: whole[:-20], "cut short"),
        (lambda whole: whole[:4] + b"\0" * 200 + b"PAR1", "Parquet file cannot be read"),
    ],
)
def test_detection_says_what_is_wrong(path, spoil, what):
    parquet.write_table(pa.table({"ts": [1], "gpu_util": [0.5]}), path)
    path.write_bytes(spoil(path.read_bytes()))
    with pytest.raises(InputError, match=what):
        detect(path)


def test_detection_of_a_doubled_column(path):
    table = pa.Table.from_arrays([pa.array([1])] * 3, names=["ts", "a", "a"])
    parquet.write_table(table, path)
    with pytest.raises(InputError, match="'a' appears more than once"):
        detect(path)


@pytest.mark.parametrize(
    ("table", "what"),
    [
        (pa.table({"ts": pa.array([], pa.int64())}), "no row"),
        (pa.table({}), "no column"),
    ],
)
def test_detection_of_an_empty_table(path, table, what):
    parquet.write_table(table, path)
    with pytest.raises(InputError, match=what):
        detect(path)


def test_detection_of_unknown_columns_lists_them(path):
    parquet.write_table(pa.table({"when": [1], "what": [2]}), path)
    with pytest.raises(InputError, match="not recognised") as caught:
        detect(path)
    assert "columns when, what" in caught.value.where
    assert "own-requests" in caught.value.hint


def test_many_columns_come_in_few_rows(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "_CELLS", 8)
    pl.DataFrame({name: [1, 2, 3, 4, 5] for name in "abcd"}).write_parquet(tmp_path / "x.parquet")
    _, parts = open_parquet(tmp_path / "x.parquet")
    assert [(part.frame.height, part.lines[0]) for part in parts] == [(2, 1), (2, 3), (1, 5)]
