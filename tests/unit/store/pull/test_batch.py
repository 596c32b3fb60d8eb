"""Answers are loaded together, and their files go when the store has them."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from signals.store import create_store
from signals.store.pull import batch as batch_module
from signals.store.pull.batch import Batch
from signals.store.pull.endpoint import parse_endpoint
from signals.store.pull.fetch import Fetched
from signals.store.pull.plan import Window
from signals.store.pull.reports import PullReport
from signals.store.pull.selection import Selection
from signals.store.pull.spool import Spool

WAITING = Selection("vllm", "vllm:num_requests_waiting")
NOW = datetime(2026, 3, 2, tzinfo=UTC)
HOUR_MS = 3_600_000


@pytest.fixture
def store(tmp_path):
    """An empty store."""
    return create_store(tmp_path / "fleet.duckdb")


@pytest.fixture
def spool(store):
    """Its spool."""
    return Spool(store.path, parse_endpoint("http://a"), "chat")


def make(store, spool, **words):
    """A batch with its report."""
    report = PullReport("http://a", "chat", NOW, NOW, [])
    return Batch(store, spool, report, **words), report


def answer(spool, hour):
    """Ten samples of one hour, in the spool."""
    window = Window(hour * HOUR_MS, (hour + 1) * HOUR_MS)
    values = [[hour * 3600 + 0.1 + 15.5 * n, str(n)] for n in range(10)]
    series = {"metric": {"__name__": WAITING.query, "pod": "p"}, "values": values}
    text = {"status": "success", "data": {"resultType": "matrix", "result": [series]}}
    path = spool.write(WAITING, window, json.dumps(text).encode())
    return Fetched(WAITING, window, path, 500, 10, 0, 15.0)


def test_files_go_when_they_are_loaded(store, spool):
    """Not before."""
    batch, report = make(store, spool)
    for hour in (1, 2):
        batch.take(answer(spool, hour), NOW)
    assert len(spool.waiting(WAITING)) == 2
    assert report.sources == 0
    batch.flush()
    assert spool.waiting(WAITING) == []
    assert (report.sources, report.rows_kept) == (2, 20)
    batch.flush()
    assert report.sources == 2


def test_files_may_stay(store, spool):
    """And are not loaded again by the next pull."""
    batch, _ = make(store, spool, keep_files=True)
    batch.take(answer(spool, 1), NOW)
    batch.flush()
    assert len(spool.waiting(WAITING)) == 1
    uris = store.query("mart/sources", {})["uri"].to_list()
    batch, report = make(store, spool, keep_files=True)
    batch.take_waiting(WAITING, uris)
    batch.flush()
    assert report.sources == 0


def test_files_of_a_killed_pull_are_taken(store, spool):
    """Those that the store has already just go."""
    answer(spool, 1)
    batch, report = make(store, spool)
    batch.take_waiting(WAITING, [])
    batch.flush()
    assert report.rows_kept == 10
    uris = store.query("mart/sources", {})["uri"].to_list()
    answer(spool, 1)
    batch, report = make(store, spool)
    batch.take_waiting(WAITING, uris)
    batch.flush()
    assert report.sources == 0
    assert spool.waiting(WAITING) == []


@pytest.mark.parametrize("bound", ["_MOST_BYTES", "_MOST_FILES"])
def test_many_answers_do_not_wait(store, spool, monkeypatch, bound):
    """Neither in number nor in size."""
    monkeypatch.setattr(batch_module, bound, 1)
    batch, report = make(store, spool)
    batch.take(answer(spool, 1), NOW)
    assert report.sources == 1


def test_no_answer_waits_for_long(store, spool):
    """A slow server's answers are stored while it works on the next."""
    batch, report = make(store, spool)
    batch.take(answer(spool, 1), NOW)
    batch.take(answer(spool, 2), NOW + timedelta(seconds=30))
    assert report.sources == 2
