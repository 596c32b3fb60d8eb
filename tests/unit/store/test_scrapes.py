"""Moments of scrapes of a load, asked of what is stored."""

from __future__ import annotations

from signals.store.parsed import Series
from tests.sql.hand import Hand, chunk_of

RUNNING = Series("vllm:num_requests_running", {"pod": "a"})
WAITING = Series("vllm:num_requests_waiting", {"pod": "a"})
OTHER = Series("vllm:num_requests_running", {"pod": "b"})
COUNT = Series("vllm:time_to_first_token_seconds_count", {"pod": "a"})
CODES = {"sampling_gap", "mixed_intervals"}
Points = list[tuple[float, float]]


def points(first: int, last: int, step: int = 1) -> Points:
    return [(15.0 * number, float(number % 7)) for number in range(first, last, step)]


def told(hand: Hand, *series: tuple[Series, Points]) -> list[tuple[str, int, str]]:
    (source,) = hand.load(chunk_of(*series)).sources
    return [(f.code, f.count, f.text) for f in source.details if f.code in CODES]


HOLED = points(0, 40) + points(60, 90)


def test_one_series_that_lacks_samples_is_no_gap_of_its_target(hand: Hand) -> None:
    assert told(hand, (RUNNING, HOLED), (WAITING, points(0, 90))) == []


def test_a_series_stored_elsewhere_fills_the_gap(hand: Hand) -> None:
    assert told(hand, (RUNNING, HOLED), (COUNT, [(t, t) for t, _ in points(0, 90)])) == []


def test_a_failed_scrape_counts_once_for_all_series_of_its_target(hand: Hand) -> None:
    assert told(hand, (RUNNING, HOLED), (WAITING, HOLED), (OTHER, points(0, 90))) == [
        ("sampling_gap", 1, "1 of 2 targets have no samples once, for up to 5.25 min")
    ]


def test_what_the_collector_writes_of_a_failed_scrape_fills_no_gap(hand: Hand) -> None:
    up = Series("up", {"pod": "a"})
    assert [code for code, _, _ in told(hand, (RUNNING, HOLED), (up, points(0, 90)))] == [
        "sampling_gap"
    ]


def test_holes_of_series_at_other_times_are_none_of_the_target(hand: Hand) -> None:
    early = points(0, 20) + points(30, 90)
    assert told(hand, (RUNNING, HOLED), (WAITING, early)) == []


def test_an_interval_that_differs_from_the_load_before(hand: Hand) -> None:
    assert told(hand, (RUNNING, points(0, 60))) == []
    ((code, count, text),) = told(hand, (RUNNING, points(63, 180, 4)))
    assert (code, count) == ("mixed_intervals", 1)
    assert "every 15 s, and every 60 s since" in text
    assert told(hand, (RUNNING, points(183, 260, 4))) == []


def test_a_load_at_the_same_interval_says_nothing_of_the_pause_before(hand: Hand) -> None:
    assert told(hand, (RUNNING, points(0, 60))) == []
    assert told(hand, (RUNNING, points(100, 160))) == []


def test_pools_are_asked_for(hand: Hand) -> None:
    pods = [Series(RUNNING.metric, {"pod": pod}) for pod in ("prefill-0", "prefill-1", "decode-0")]
    chunk = chunk_of(*zip(pods, (HOLED, HOLED, points(0, 90)), strict=True))
    (source,) = hand.load(chunk).sources
    found = [(f.code, f.subject) for f in source.details if f.code.endswith("_gap")]
    assert found == [("scale_to_zero_gap", "prefill")]
