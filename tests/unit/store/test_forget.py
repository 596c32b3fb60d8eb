"""Undoing loads."""

from __future__ import annotations

import hashlib

import pytest

from signals.errors import StoreError
from signals.store.parsed import Series
from tests.sql.hand import Hand, chunk_of

RUNNING = Series("vllm:num_requests_running", {"pod": "decode-0"})
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
    hand.store.forget(str(hand.folder / "a"))
    assert count(hand)[2] == 1
    assert not hand.load(second, name="b").sources[0].already_loaded
    assert count(hand)[2] == 2


def test_what_is_not_there_changes_nothing(hand: Hand) -> None:
    hand.load(chunk_of((RUNNING, [(0, 1)])))
    before = hashlib.sha256(hand.path.read_bytes()).digest()
    with pytest.raises(StoreError, match="neither a service nor a source"):
        hand.store.forget("nothing")
    assert hashlib.sha256(hand.path.read_bytes()).digest() == before


def test_a_name_of_two_services_is_asked_back(hand: Hand) -> None:
    hand.load(chunk_of((RUNNING, [(0, 1)])), name="a")
    hand.load(chunk_of((RUNNING, [(0, 1)])), name="a", service="other")
    with pytest.raises(StoreError, match="several services: other, svc"):
        hand.store.forget("a")
