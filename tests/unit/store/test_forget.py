"""Undoing loads."""

from __future__ import annotations

import hashlib
from pathlib import Path

import duckdb
import pytest

from signals.errors import UsageError
from signals.store.parsed import Series
from tests.sql.hand import Hand, at, chunk_of

RUNNING = Series("vllm:num_requests_running", {"pod": "decode-0"})
TOKENS = Series("vllm:generation_tokens_total", {"pod": "a"})
WAITING = Series("vllm:num_requests_waiting", {"pod": "decode-1"})


def count(hand: Hand, service: str = "svc") -> tuple[int, int, int, int]:
    rows = hand.store.inventory().services.filter(service=service)
    return rows.select("targets", "series", "samples", "requests").row(0)


def test_a_source_goes_with_its_series_and_targets(hand: Hand) -> None:
    hand.load(chunk_of((RUNNING, [(0, 1), (15, 2)])), name="a")
    hand.load(
        chunk_of((RUNNING, [(30, 3)]), (WAITING, [(0, 1)]), requests=[{"arrived_s": 1}]), name="b"
    )
    assert count(hand) == (2, 2, 4, 1)
    report = hand.store.forget("b")
    assert (report.service, report.sources, report.samples, report.requests) == ("svc", 1, 2, 1)
    assert count(hand) == (1, 1, 2, 0)
    again = hand.load(
        chunk_of((RUNNING, [(30, 3)]), (WAITING, [(0, 1)]), requests=[{"arrived_s": 1}]), name="b"
    )
    assert not again.sources[0].already_loaded
    assert count(hand) == (2, 2, 4, 1)


def test_a_service_goes_and_others_stay(hand: Hand) -> None:
    hand.load(chunk_of((RUNNING, [(0, 1)])))
    hand.load(chunk_of((RUNNING, [(0, 1)])), service="other")
    assert hand.store.forget("svc").sources == 1
    assert hand.store.services() == ["other"]
    assert count(hand, "other") == (1, 1, 1, 0)


def test_rows_that_another_source_had_left_out_can_be_loaded_again(hand: Hand) -> None:
    first, second = chunk_of((RUNNING, [(0, 1), (15, 2)])), chunk_of((RUNNING, [(15, 2), (30, 3)]))
    hand.load(first, name="a")
    hand.load(second, name="b")
    report = hand.store.forget(str(hand.folder / "a"))
    assert report.reload == (str(hand.folder / "b"),)
    assert count(hand)[2] == 1
    again = hand.load(second, name="b").sources[0]
    assert not again.already_loaded
    assert (again.rows_kept, again.findings) == (2, {})
    assert count(hand)[2] == 2
    # it stands once in the store, and is known again
    assert stored(hand, "select uri, rows_kept, overlapping from source") == [
        (str(hand.folder / "b"), 2, 0)
    ]
    assert hand.load(second, name="b").sources[0].already_loaded
    for check in ("lost_samples", "repeated_samples", "wrong_extents"):
        assert hand.store.query(f"checks/{check}").is_empty()


def test_a_source_that_changed_since_stands_beside_the_one_that_was_reopened(hand: Hand) -> None:
    first, second = chunk_of((RUNNING, [(0, 1), (15, 2)])), chunk_of((RUNNING, [(15, 2), (30, 3)]))
    hand.load(first, name="a")
    hand.load(second, name="b")
    hand.store.forget(str(hand.folder / "a"))
    hand.load(chunk_of((RUNNING, [(45, 4)])), name="b changed")
    assert count(hand)[2] == 2
    assert stored(hand, "select count(*) from source") == [(2,)]


def test_only_those_whose_gap_it_is_are_named(hand: Hand) -> None:
    """Not who shares the time alone, nor who came before."""
    other = Series("vllm:num_requests_running", {"pod": "decode-1"})
    hand.load(chunk_of((RUNNING, [(0, 1), (15, 2)])), name="early")
    hand.load(chunk_of((other, [(0, 1), (15, 2)])), name="beside")
    hand.load(chunk_of((RUNNING, [(15, 2), (30, 3)])), name="late")
    hand.load(chunk_of((RUNNING, [(30, 3), (45, 3)]), (other, [(30, 3)])), name="later")

    def reload(name: str) -> list[str]:
        return [Path(uri).name for uri in hand.store.forget(name).reload]

    assert reload("beside") == []
    assert reload("late") == ["later"]
    assert reload("early") == []


def test_what_was_left_of_whole_series_is_told_by_time(hand: Hand) -> None:
    """Nothing is known of which series they were."""
    other = Series("vllm:num_requests_running", {"pod": "decode-1"})
    hand.load(chunk_of((RUNNING, [(0, 1), (15, 2)])), name="a")
    hand.load(chunk_of((RUNNING, [(15, 2)]), (other, [(0, 1)])), name="b")
    assert [Path(uri).name for uri in hand.store.forget("a").reload] == ["b"]


def test_another_value_that_was_left_out_is_a_gap(hand: Hand) -> None:
    hand.load(chunk_of((RUNNING, [(0, 1), (15, 2)])), name="a")
    hand.load(chunk_of((RUNNING, [(15, 9), (30, 3)])), name="b")
    report = hand.store.forget("a")
    assert [Path(uri).name for uri in report.reload] == ["b"]
    again = hand.load(chunk_of((RUNNING, [(15, 9), (30, 3)])), name="b")
    assert again.sources[0].rows_kept == 2


def test_logs_leave_requests_to_logs(hand: Hand) -> None:
    log = [{"arrived_s": second} for second in range(4)]
    hand.load(chunk_of((RUNNING, [(0, 1), (15, 2)])), name="samples")
    hand.load(chunk_of(requests=log), name="log")
    hand.load(chunk_of(requests=[*log, {"arrived_s": 9}]), name="longer")
    assert hand.store.forget("samples").reload == ()
    assert [Path(uri).name for uri in hand.store.forget("log").reload] == ["longer"]


def stored(hand: Hand, sql: str) -> list[tuple[object, ...]]:
    with duckdb.connect(str(hand.path), read_only=True) as connection:
        return connection.execute(sql).fetchall()


def test_columns_that_another_source_gave_of_the_same_scrapes_stay(hand: Hand) -> None:
    waiting = Series("vllm:num_requests_waiting", {"pod": "decode-0"})
    hand.load(chunk_of((RUNNING, [(0, 1), (15, 2)])), name="a")
    hand.load(chunk_of((waiting, [(0, 7), (15, 8)]), (RUNNING, [(30, 3)])), name="b")
    assert count(hand) == (1, 2, 5, 0)
    report = hand.store.forget("a")
    assert (report.samples, report.reload) == (2, ())
    assert stored(hand, "select running, queue_depth from sample_engine order by ts") == [
        (None, 7),
        (None, 8),
        (3, None),
    ]
    assert stored(
        hand,
        "select measurement, samples, first_at, last_at, resolution_s from series order by all",
    ) == [("queue_depth", 2, at(0), at(15), 15.0), ("running", 1, at(30), at(30), None)]
    for check in ("lost_samples", "repeated_samples", "wrong_extents"):
        assert hand.store.query(f"checks/{check}").is_empty()


def test_samples_and_buckets_that_go_are_counted_exactly(hand: Hand) -> None:
    own = Series("someones_own_gauge", {"pod": "decode-0"})
    buckets = [
        (
            Series("vllm:time_to_first_token_seconds_bucket", {"pod": "p", "le": le}),
            [(0, n), (15, n)],
        )
        for le, n in (("0.5", 1), ("+Inf", 2))
    ]
    hand.load(chunk_of((RUNNING, [(0, 1), (15, 2)]), (own, [(0, 5)]), *buckets), name="a")
    hand.load(chunk_of((RUNNING, [(15, 2), (30, 1)]), (own, [(15, 4)])), name="b")
    report = hand.store.forget("a")
    # 2 of one gauge, 1 of the other, 2 histograms; the sample of 15 s was the first one's
    assert report.samples == 5
    assert report.reload == (str(hand.folder / "b"),)
    extents = "select measurement, samples, resets, first_at, last_at from series order by all"
    assert stored(hand, extents) == [("", 1, 0, at(15), at(15)), ("running", 1, 0, at(30), at(30))]
    assert stored(hand, "select count(*) from histogram") == [(0,)]


def test_resets_between_sources_go_with_them(hand: Hand) -> None:
    for name, start, values in (("a", 0, [1, 2]), ("b", 30, [9, 8]), ("c", 60, [3, 4])):
        points = [(start + 15 * n, v) for n, v in enumerate(values)]
        hand.load(chunk_of((TOKENS, points)), name=name)
    question = "select samples, resets, resolution_s from series"
    assert stored(hand, question) == [(6, 2, 15.0)]
    hand.store.forget("b")
    assert stored(hand, question) == [(4, 0, 15.0)]


def test_what_is_not_there_changes_nothing(hand: Hand) -> None:
    hand.load(chunk_of((RUNNING, [(0, 1)])))
    before = hashlib.sha256(hand.path.read_bytes()).digest()
    with pytest.raises(UsageError, match="neither a service nor a source"):
        hand.store.forget("nothing")
    assert hashlib.sha256(hand.path.read_bytes()).digest() == before


def test_a_name_of_two_services_is_asked_back(hand: Hand) -> None:
    hand.load(chunk_of((RUNNING, [(0, 1)])), name="a")
    hand.load(chunk_of((RUNNING, [(0, 1)])), name="a", service="other")
    with pytest.raises(UsageError, match="several services: other, svc"):
        hand.store.forget("a")


def test_only_sources_that_lost_rows_with_it_are_to_be_loaded_again(hand: Hand) -> None:
    hand.load(chunk_of((RUNNING, [(0, 1), (15, 2)])), name="a")
    hand.load(chunk_of((RUNNING, [(15, 2), (30, 3)])), name="b")
    far = chunk_of((RUNNING, [(3600, 1)]))
    hand.load(far, name="c")
    hand.load(chunk_of((RUNNING, [(3600, 1), (3615, 2)])), name="d")
    hand.load(chunk_of((RUNNING, [(15, 2)])), name="e", service="other")
    assert hand.store.forget(str(hand.folder / "b")).reload == ()
    assert hand.store.forget("c").reload == (str(hand.folder / "d"),)
    assert hand.store.forget("a").reload == ()
    assert hand.store.forget("svc").reload == ()


def test_a_log_that_another_one_held_is_to_be_loaded_again(hand: Hand) -> None:
    log = [{"arrived_s": second, "prompt_tokens": 5} for second in range(5)]
    hand.load(chunk_of(requests=log), name="a")
    hand.load(chunk_of(requests=log[2:]), name="b")
    assert hand.store.forget("a").reload == (str(hand.folder / "b"),)
    hand.load(chunk_of(requests=log[2:]), name="b")
    assert count(hand)[3] == 3


def test_a_name_that_is_not_utf8_is_not_there(hand: Hand) -> None:
    hand.load(chunk_of((RUNNING, [(0, 1)])))
    with pytest.raises(UsageError) as caught:
        hand.store.forget("\udcff")
    str(caught.value).encode()
