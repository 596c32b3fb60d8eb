"""Durations and moments of the command line."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signals.errors import UsageError
from signals.moments import parse_duration, parse_moment, parse_zone, resolve_window

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("15s", 15),
        ("1h30m", 5400),
        ("14d", 14 * 86400),
        ("500ms", 0.5),
        ("1w", 604800),
        ("1y", 31536000),
    ],
)
def test_prometheus_durations(text: str, seconds: float) -> None:
    assert parse_duration(text, where="--since") == timedelta(seconds=seconds)


@pytest.mark.parametrize("text", ["", "15", "s", "1.5h", "-3s", "3 s", "0s", "1h 30m", "15S"])
def test_what_is_no_duration_is_refused_by_name(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_duration(text, where="--since")
    assert caught.value.where == "--since"


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("now", NOW),
        ("now-6h", datetime(2026, 11, 30, 6, tzinfo=UTC)),
        ("2026-11-30T13:00:00+01:00", NOW),
        ("2026-11-30T12:00:00Z", NOW),
        ("1764504000", datetime(2025, 11, 30, 12, tzinfo=UTC)),
        ("2026-11-30", datetime(2026, 11, 30, tzinfo=UTC)),
    ],
)
def test_moments(text: str, moment: datetime) -> None:
    assert parse_moment(text, where="--from", now=NOW) == moment


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-11-30", datetime(2026, 11, 29, 23, tzinfo=UTC)),
        ("2026-11-30T13:00:00", NOW),
        ("2026-11-30T12:00:00Z", NOW),
        ("1764504000", datetime(2025, 11, 30, 12, tzinfo=UTC)),
    ],
)
def test_a_zone_is_that_of_what_is_written_without_one(text: str, moment: datetime) -> None:
    paris = parse_zone("Europe/Paris", where="--tz")
    assert parse_moment(text, where="--at", now=NOW, zone=paris) == moment


@pytest.mark.parametrize("text", ["Foo/Bar", "", "../etc", "+02:00", "Europe", "a\0b", "é" * 300])
def test_a_zone_that_is_not_known_is_a_wrong_option(text: str) -> None:
    with pytest.raises(UsageError, match="time zone") as caught:
        parse_zone(text, where="--tz")
    assert (caught.value.where, caught.value.exit_code) == ("--tz", 2)


@pytest.mark.parametrize(
    ("text", "way_out"),
    [
        ("2026-11-30T12:00:00", "2026-11-30T12:00:00Z"),
        ("2026-11-30T00:00", "2026-11-30T00:00:00Z"),
    ],
)
def test_a_time_without_zone_is_refused_with_a_way_out(text: str, way_out: str) -> None:
    """What the hint says is a moment."""
    with pytest.raises(UsageError) as caught:
        parse_moment(text, where="--from", now=NOW)
    assert caught.value.hint == f"{way_out} for UTC"
    parse_moment(way_out, where="--from", now=NOW)


def test_since_counts_back_from_the_end_of_the_data() -> None:
    end = datetime(2025, 8, 28, tzinfo=UTC)
    first, last = resolve_window("6h", None, None, now=NOW, data_end=end)
    assert (first, last) == (end - timedelta(hours=6), None)


def test_since_counts_back_from_to() -> None:
    first, last = resolve_window("6h", None, "now", now=NOW, data_end=None)
    assert (first, last) == (NOW - timedelta(hours=6), NOW)


def test_contradictions_are_refused() -> None:
    with pytest.raises(UsageError):
        resolve_window("6h", "now-3h", None, now=NOW, data_end=None)
    with pytest.raises(UsageError):
        resolve_window(None, "now", "now-1h", now=NOW, data_end=None)


@given(st.integers(1, 36_500), st.sampled_from(["s", "m", "h", "d"]))
def test_any_whole_number_with_a_unit_is_a_duration(number: int, unit: str) -> None:
    width = {"s": 1, "m": 60, "h": 3600, "d": 86400}[unit]
    assert parse_duration(f"{number}{unit}", where="x").total_seconds() == number * width


@pytest.mark.parametrize("text", ["101y", "99999999999999y", "1" * 5000 + "s"])
def test_durations_beyond_a_century_are_refused(text: str) -> None:
    with pytest.raises(UsageError, match="too long"):
        parse_duration(text, where="--since")


@pytest.mark.parametrize(
    "text", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "1969-12-31T23:59:59Z"]
)
def test_moments_that_no_telemetry_has_are_refused(text: str) -> None:
    with pytest.raises(UsageError, match="no time of telemetry"):
        parse_moment(text, where="--from", now=NOW)
