"""The store as its users see it."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from signals.errors import QueryError, StoreError
from signals.schema import REQUESTS
from tests.sql.hand import Hand, at, chunk_of
from tests.unit.store.test_load import RUNNING


def test_requests_come_in_order_inside_a_half_open_window(hand: Hand) -> None:
    rows = [{"arrived_s": s, "prompt_tokens": s, "session": "x"} for s in (30, 10, 20)]
    hand.load(chunk_of(requests=rows))
    found = hand.store.requests("svc", first=at(10), last=at(30))
    assert found.schema == REQUESTS.polars()
    assert found["prompt_tokens"].to_list() == [10, 20]
    assert hand.store.requests("svc").height == 3


def test_many_threads_ask_while_another_loads(hand: Hand) -> None:
    hand.load(chunk_of((RUNNING, [(0, 1), (15, 1)])))
    begun, done = threading.Barrier(3), threading.Event()

    def ask() -> int:
        begun.wait(120)
        asked = 0
        while not asked or not done.is_set():
            assert hand.store.panel("svc").frame.height >= 1
            asked += 1
        return asked

    with ThreadPoolExecutor(3) as pool:
        askers = [pool.submit(ask) for _ in range(2)]
        begun.wait(120)
        try:
            for number in range(2, 5):
                hand.load(chunk_of((RUNNING, [(15 * number, 1)])))
        finally:
            done.set()
        assert all(asker.result() > 0 for asker in askers)
    assert hand.store.query("services")["samples"].to_list() == [5]


def test_a_store_is_its_path(hand: Hand) -> None:
    hand.load(chunk_of((RUNNING, [(0, 1)])))
    assert repr(hand.store) == f"Store('{hand.path}')"
    assert hand.store.services() == ["svc"]
    assert "mart/services" in hand.store.query_names()


@pytest.mark.parametrize(
    "name",
    ["forget/delete_other", "load/known_sources", "connection/version", "results/runs"],
)
def test_the_stores_own_statements_are_not_public(hand: Hand, name: str) -> None:
    hand.load(chunk_of((RUNNING, [(0, 1)])))
    with pytest.raises(QueryError, match="is not a public query"):
        hand.store.query(name, {})
    assert hand.store.query("checks/lost_samples").is_empty()


@pytest.mark.parametrize("name", ["x" * 100_000, "m/" * 5000, "\udcff", "", "..", "mart//services"])
def test_names_of_no_query_are_refused(hand: Hand, name: str) -> None:
    hand.load(chunk_of((RUNNING, [(0, 1)])))
    with pytest.raises(QueryError) as caught:
        hand.store.query(name)
    assert len(str(caught.value).encode()) < 500


def test_text_that_is_not_utf8_is_refused(hand: Hand) -> None:
    hand.load(chunk_of((RUNNING, [(0, 1)])))
    with pytest.raises(QueryError, match="not UTF-8"):
        hand.store.query("panel_stock", {"service": "\udcff"})
    with pytest.raises(StoreError, match="is not in the store"):
        hand.store.panel("\udcff")
