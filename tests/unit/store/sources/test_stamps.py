"""Times: formats, units, precision, and what is refused."""

from __future__ import annotations

from datetime import UTC, datetime

import polars as pl
import pytest

from signals.errors import InputError
from signals.store.parsed import ReadOptions
from signals.store.sources.stamps import StampReader

BASE = 1_760_000_000


def micros(texts, options=None, **kwargs):
    """Microseconds after BASE."""
    reader = StampReader("file", options or ReadOptions(), **kwargs)
    column = pl.Series("ts", texts, dtype=pl.String)
    stamps = reader.read(column, pl.Series(range(2, len(texts) + 2), dtype=pl.Int64))
    us = stamps.cast(pl.Int64).to_list()
    return [None if one is None else one - BASE * 10**6 for one in us], reader.findings()


def test_epochs_of_four_units_are_read_by_size():
    # case 13, one instant in four units and once with a fraction
    texts = [
        "1760000000",
        "1760000000.5",
        "1760000000000",
        "1760000000000000",
        "1760000000000000000",
    ]
    found, findings = micros(texts)
    assert found == [0, 500_000, 0, 0, 0]
    assert [(f.code, f.count) for f in findings] == [("epoch_unit_inferred", 5)]


def test_units_mixed_in_a_column_are_a_warning_that_tells_the_rows():
    _, (finding,) = micros(["1760000000", "1760000015", "1760000030000", "1760000045"])
    assert (finding.code, finding.severity, finding.count) == ("epoch_unit_inferred", "warning", 4)
    assert "1 as ms (line 4), 3 as s (lines 2, 3, 5)" in finding.text
    _, (many,) = micros([str(1760000000 + k) for k in range(9)] + ["1760000000000"])
    assert "1 as ms (line 11), 9 as s (lines 2, 3, 4, ...)" in many.text
    _, (alone,) = micros(["1760000000"])
    assert alone.severity == "info"


@pytest.mark.parametrize(("text", "unit"), [("253402300799", "s"), ("253402300799000", "ms")])
def test_a_time_of_no_unit_is_not_said_to_look_like_one(text, unit):
    with pytest.raises(InputError, match="beyond the year 2200") as caught:
        micros([text], unit=unit)
    assert "no telemetry has such times" in caught.value.hint


def test_the_finding_counts_rows_not_distinct_texts():
    _, findings = micros(["1760000000"] * 3 + ["1760000015"])
    assert findings[0].count == 4


@pytest.mark.parametrize(
    ("text", "unit", "expected"),
    [
        ("1760000001", "s", 1_000_000),
        ("1760000000001", "ms", 1_000),
        ("1760000000000001", "us", 1),
        ("1760000000000001999", "ns", 1),
        ("1760000000.123456789", "s", 123_456),
        ("1760000000000.5", "ms", 500),
        ("1.76e9", "s", 0),
    ],
)
def test_named_units(text, unit, expected):
    found, findings = micros([text], unit=unit)
    assert found == [expected]
    assert findings == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2025-10-09T08:53:20Z", 0),
        ("2025-10-09 08:53:20+00:00", 0),
        ("2025-10-09T10:53:20+02:00", 0),
        ("2025-10-09T03:23:20-0530", 0),
        ("2025-10-09T10:53:20+02", 0),
        ("2025-10-09T08:53:20.1234567Z", 123_456),
        ("2025-10-09T08:53:20,5Z", 500_000),
        ("2025-10-09 08:54Z", 40_000_000),
        ("2025-10-09 08:53:20 UTC", 0),
    ],
)
def test_iso_8601(text, expected):
    assert micros([text])[0] == [expected]


@pytest.mark.parametrize(
    "text",
    ["", "yesterday", "2025-13-09T08:00:00Z", "2025-02-30T08:00:00Z", "12:30", "nan", "1e400"],
)
def test_what_is_no_time_is_null(text):
    assert micros([text, "2025-10-09T08:53:20Z"])[0] == [None, 0]


@pytest.mark.parametrize(
    "text",
    [
        "2025-10-09T08:53:20+99:99",
        "2025-10-09T08:53:20+15:00",
        "2025-10-09T08:53:20-02:60",
        "0000-01-01T00:00:00Z",
        "0001-01-01T00:00:00+14:00",
        "1969-12-31T23:59:59Z",
        "1970-01-01T00:30:00+01:00",
        "2199-12-31T23:30:00-01:00",
        "2200-01-01T00:00:00Z",
        "9999-12-31T23:59:59-14:00",
        "-1000",
    ],
)
def test_times_that_no_telemetry_has_are_null(text):
    assert micros([text, "2025-10-09T08:53:20Z"])[0] == [None, 0]


@pytest.mark.parametrize("text", ["1970-01-01T00:00:00Z", "2199-12-31T23:59:59Z"])
def test_the_first_and_the_last_time_of_telemetry(text):
    expected = datetime.fromisoformat(text).timestamp() - BASE
    assert micros([text])[0] == [expected * 1e6]


@pytest.mark.parametrize("text", ["0000-01-01 00:00:00", "9999-12-31 23:59:59"])
def test_local_times_that_no_telemetry_has_are_null(text):
    found, _ = micros([text, "2025-10-09 10:53:20"], ReadOptions(zone="Europe/Paris"))
    assert found == [None, 0]


def test_the_widest_offsets():
    texts = ["2025-10-09T22:53:20+14:00", "2025-10-08T20:53:20-12"]
    assert micros(texts)[0] == [0, 0]


def test_relative_times_count_from_the_start():
    start = ReadOptions(start=datetime.fromtimestamp(BASE, UTC))
    assert micros(["0", "1.5"], start, relative="start")[0] == [0, 1_500_000]


def test_relative_times_without_a_start_say_so():
    _, findings = micros(["0"], relative="start")
    assert [f.code for f in findings] == ["start_assumed"]


@pytest.mark.parametrize("unit", ["s", "ms"])
def test_the_lowest_whole_number_is_no_time(unit):
    """It has no absolute value, and must not wrap around to 1970."""
    with pytest.raises(InputError, match="beyond the year 2200"):
        micros([str(-(2**63))], unit=unit)
    assert micros([str(-(2**63)), "2025-10-09T08:53:20Z"])[0] == [None, 0]


def test_milliseconds_given_as_seconds_are_refused():
    with pytest.raises(InputError, match="beyond the year 2200") as caught:
        micros(["1760000000000"], unit="s")
    assert caught.value.hint == "the number looks like ms"
    assert caught.value.where == "file, line 2"


@pytest.mark.parametrize(
    ("unit", "odd"), [("s", "1760000000000"), ("ms", "9223372036854775807"), ("ns", str(-(2**63)))]
)
def test_one_time_far_away_is_no_time(unit, odd):
    # most are what the format says, so this one is a bad cell and not another unit
    scale = {"s": "", "ms": "000", "ns": "000000000"}[unit]
    texts = [f"{BASE + k}{scale}" for k in range(30)]
    texts[3] = odd
    found, _ = micros(texts, unit=unit)
    assert found == [None if k == 3 else k * 10**6 for k in range(30)]


def test_naive_times_need_a_zone():
    with pytest.raises(InputError, match="no zone") as caught:
        micros(["2025-10-09 08:53:20"])
    assert "--tz" in caught.value.hint


def test_naive_times_with_a_zone():
    found, findings = micros(["2025-10-09 10:53:20"], ReadOptions(zone="Europe/Paris"))
    assert found == [0]
    assert [f.code for f in findings] == ["zone_assumed"]


def test_naive_and_zoned_times_do_not_mix():
    with pytest.raises(InputError, match="mixed") as caught:
        micros(["2025-10-09T08:53:20Z", "2025-10-09 08:53:20"], ReadOptions(zone="UTC"))
    assert "line 2" in caught.value.where
    assert "line 3" in caught.value.where


def test_mixing_is_seen_across_parts():
    reader = StampReader("file", ReadOptions(zone="UTC"))
    reader.read(pl.Series(["2025-10-09T08:53:20Z"]), pl.Series([2]))
    with pytest.raises(InputError, match="mixed"):
        reader.read(pl.Series(["2025-10-09 08:53:20"]), pl.Series([3]))
