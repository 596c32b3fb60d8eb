"""What arrivals say about a log's clock and load."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import polars as pl

from signals.schema import TIMESTAMP
from signals.store.sources.arrivals import ArrivalWatch

T0 = datetime(2025, 10, 9, tzinfo=UTC)


def watch(*parts):
    seen = ArrivalWatch()
    for seconds in parts:
        stamps = [None if s is None else T0 + timedelta(seconds=s) for s in seconds]
        seen.watch(pl.Series("arrived_at", stamps, dtype=TIMESTAMP))
    return seen


def test_stamps_that_many_requests_share():
    seen = watch([0, 0, 3], [3, None, 6])
    (finding,) = seen.quantised()
    assert (finding.code, finding.count) == ("quantised_times", 2)
    assert "5 requests share 3 stamps, about 3 s apart" in finding.text


def test_distinct_stamps_are_no_finding():
    assert watch(range(100)).quantised() == []


def test_milliseconds_are_fine_enough():
    assert watch([i // 2 / 1000 for i in range(100)]).quantised() == []


def test_few_requests_say_nothing():
    assert watch([0, 0, 3]).quantised() == []
    assert watch([0, 3600]).near_idle() == []
    assert watch([]).near_idle() == []


def test_a_log_that_is_idle_throughout():
    (finding,) = watch([i * 100 for i in range(61)]).near_idle()
    assert finding.code == "near_idle"
    assert finding.count == 61
    assert "all of it, 1.7 h, has 0.01 requests/s" in finding.text


def test_a_head_that_is_idle():
    head = [i * 60 for i in range(120)]  # two hours at a request a minute
    busy = [7200 + i for i in range(7200)]
    (finding,) = watch(head, busy).near_idle()
    assert finding.count == 120
    assert "its first 2.0 h have 0.017 requests/s, all of it 0.51" in finding.text


def test_load_from_the_start_is_no_finding():
    assert watch(range(7200)).near_idle() == []
