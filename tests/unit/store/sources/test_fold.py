"""The hour that happens twice, Europe/Paris, 2024-10-27: 02:00-03:00 first at +02:00, then at +01:00."""

from __future__ import annotations

import polars as pl
import pytest

from signals.errors import InputError, UsageError
from signals.store.sources.fold import Fold


def frame(times, groups=None):
    texts = [f"2024-10-27 {time}" for time in times]
    local = pl.Series("local", texts).str.to_datetime("%Y-%m-%d %H:%M", time_unit="us")
    parts = pl.DataFrame({"text": texts, "line": range(2, len(times) + 2), "local": local})
    return parts if groups is None else parts.with_columns(group=pl.Series(groups))


def utc(stamps):
    return [None if one is None else one.strftime("%H:%M") for one in stamps]


def test_a_step_back_marks_the_second_hour():
    # case 14
    times = ["01:30", "02:00", "02:30", "02:00", "02:30", "03:00"]
    fold = Fold("file", "Europe/Paris", rising="strictly")
    assert utc(fold.localise(frame(times))) == [
        "23:30",
        "00:00",
        "00:30",
        "01:00",
        "01:30",
        "02:00",
    ]


def test_one_sample_an_hour_repeats_its_time():
    fold = Fold("file", "Europe/Paris", rising="strictly")
    assert utc(fold.localise(frame(["01:30", "02:30", "02:30", "03:30"]))) == [
        "23:30",
        "00:30",
        "01:30",
        "02:30",
    ]


def test_without_a_step_back_it_is_an_error_that_names_the_times():
    with pytest.raises(InputError, match="1 local times happen twice") as caught:
        Fold("file", "Europe/Paris").localise(frame(["01:30", "02:30", "03:30"]))
    assert "2024-10-27 02:30" in caught.value.where


def test_the_step_back_may_lie_between_two_parts():
    fold = Fold("file", "Europe/Paris", rising="strictly")
    with pytest.raises(InputError):
        fold.localise(frame(["02:00", "02:30"]))
    fold = Fold("file", "Europe/Paris", rising="strictly")
    assert utc(fold.localise(frame(["02:15", "02:45", "02:00"])))[-1] == "01:00"
    assert utc(fold.localise(frame(["02:15", "02:45", "03:00"]))) == ["01:15", "01:45", "02:00"]


def test_each_series_steps_back_by_itself():
    times = ["02:00", "02:00", "02:30", "02:30", "02:00", "02:00"]
    fold = Fold("file", "Europe/Paris")
    found = utc(fold.localise(frame(times, groups=[0, 1, 0, 1, 0, 1])))
    assert found == ["00:00", "00:00", "00:30", "00:30", "01:00", "01:00"]


def test_skipped_times_are_null():
    texts = ["2024-03-31 01:30", "2024-03-31 02:30", "2024-03-31 03:30"]
    local = pl.Series("local", texts).str.to_datetime("%Y-%m-%d %H:%M", time_unit="us")
    parts = pl.DataFrame({"text": texts, "line": [1, 2, 3], "local": local})
    assert utc(Fold("file", "Europe/Paris").localise(parts)) == ["00:30", None, "01:30"]


def test_an_unknown_zone():
    with pytest.raises(UsageError, match="time zone 'Europe/Pari' is not known"):
        Fold("file", "Europe/Pari").localise(frame(["01:30"]))
