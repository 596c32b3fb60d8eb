"""Answers are loaded together, and their files go when the store has them."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from signals.errors import InputError
from signals.store import create_store
from signals.store.load import load_inputs
from signals.store.pull import batch as batch_module
from signals.store.pull.answer import read_matrix
from signals.store.pull.batch import Batch
from signals.store.pull.endpoint import parse_endpoint
from signals.store.pull.faults import RefusedError
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


def answer(spool, hour, *, bad=0, metric=None):
    """Ten samples of one hour, in the spool; the first of them perhaps unreadable."""
    window = Window(hour * HOUR_MS, (hour + 1) * HOUR_MS)
    texts = ["?" if n < bad else str(n) for n in range(10)]
    values = [[hour * 3600 + 0.1 + 15.5 * n, text] for n, text in enumerate(texts)]
    labels = metric or {"__name__": WAITING.query, "pod": "p"}
    series = {"metric": labels, "values": values}
    text = {"status": "success", "data": {"resultType": "matrix", "result": [series]}}
    path = spool.write(WAITING, window, json.dumps(text).encode())
    return Fetched(WAITING, window, path, 500, 10, 15.0)


def test_files_go_when_they_are_loaded(store, spool):
    """Not before."""
    batch, report = make(store, spool)
    for hour in (1, 2):
        batch.take(answer(spool, hour), NOW)
    assert len(spool.waiting(WAITING)) == 2
    assert report.sources == []
    batch.flush()
    assert spool.waiting(WAITING) == []
    assert (len(report.sources), report.rows_kept) == (2, 20)
    batch.flush()
    assert len(report.sources) == 2


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
    assert report.sources == []


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
    assert report.sources == []
    assert spool.waiting(WAITING) == []


@pytest.mark.parametrize("bound", ["_MOST_BYTES", "_MOST_FILES"])
def test_many_answers_do_not_wait(store, spool, monkeypatch, bound):
    """Neither in number nor in size."""
    monkeypatch.setattr(batch_module, bound, 1)
    batch, report = make(store, spool)
    batch.take(answer(spool, 1), NOW)
    assert len(report.sources) == 1


def test_no_answer_waits_for_long(store, spool):
    """A slow server's answers are stored while it works on the next."""
    batch, report = make(store, spool)
    batch.take(answer(spool, 1), NOW)
    batch.take(answer(spool, 2), NOW + timedelta(seconds=30))
    assert len(report.sources) == 2


def test_sources_are_named_by_server_metric_and_window(store, spool):
    """Files of the spool are gone when a user asks where rows came from."""
    batch, _ = make(store, spool)
    batch.take(answer(spool, 1), NOW)
    batch.flush()
    (uri,) = store.query("mart/sources", {})["uri"]
    key = WAITING.key(parse_endpoint("http://a"), "chat")
    assert uri == f"http://a/vllm-{key}/19700101T010000.000Z-19700101T020000.000Z"
    assert spool.covered(WAITING, [uri]) == [Window(HOUR_MS, 2 * HOUR_MS)]


NAMELESS = {"pod": "p"}


@pytest.mark.parametrize("spoilt", [{"bad": 5}, {"metric": NAMELESS}])
def test_answer_that_cannot_be_stored_keeps_no_other_out(store, spool, spoilt):
    """It is told with its window and the way out, and is no longer in the way of the next pull."""
    batch, report = make(store, spool)
    for hour in range(1, 6):
        batch.take(answer(spool, hour, **(spoilt if hour == 3 else {})), NOW)
    batch.flush()
    assert (len(report.sources), report.rows_kept) == (4, 40)
    (error,) = report.refused
    uri = spool.uri(WAITING, Window(3 * HOUR_MS, 4 * HOUR_MS))
    assert uri in error.where
    assert ".pull" not in str(error)
    for part in (
        "--max-reject",
        "--match",
        "--from 1970-01-01T03:00:00.000Z --to 1970-01-01T04:00:00.000Z",
    ):
        assert part in error.hint
    assert [(r.code, r.severity, r.subject) for r in report.remarks] == [
        ("window_refused", "error", "vllm")
    ]
    assert spool.waiting(WAITING) == []
    assert len(spool.covered(WAITING, store.query("mart/sources", {})["uri"])) == 4


def test_answer_that_an_error_does_not_name_is_found(store, spool, monkeypatch):
    """By loading fewer at a time."""
    batch, report = make(store, spool)
    bad = [answer(spool, hour).path for hour in range(1, 7)][3]

    def load(path, inputs, options):
        if bad in [item.path for item in inputs]:
            raise InputError("something is wrong")
        return load_inputs(path, inputs, options)

    monkeypatch.setattr(batch_module, "load_inputs", load)
    batch.take_waiting(WAITING, [])
    batch.flush()
    assert report.rows_kept == 50
    assert [error.where for error in report.refused] == [
        spool.uri(WAITING, Window(4 * HOUR_MS, 5 * HOUR_MS))
    ]


def test_limit_of_rejects_is_the_users(store, spool):
    """As with a load."""
    batch, report = make(store, spool, max_reject=0.5)
    batch.take(answer(spool, 1, bad=5), NOW)
    batch.flush()
    assert (report.rows_kept, report.rows_rejected, report.refused) == (5, 5, [])
    assert report.rejects == {"bad_sample": 5}


def test_refused_answer_is_kept_for_those_who_keep_them(store, spool):
    """Beside the others, but not as one that waits."""
    batch, _ = make(store, spool, keep_files=True)
    item = answer(spool, 1, bad=5)
    batch.take(item, NOW)
    batch.flush()
    assert spool.waiting(WAITING) == []
    assert item.path.with_name(f"{item.path.name}.refused").exists()


def test_answer_after_answer_refused_ends_the_pull(store, spool):
    """What spoils ten of them spoils the next; the error counts them."""
    batch, report = make(store, spool)
    for hour in range(1, 16):
        batch.take(answer(spool, hour, metric=NAMELESS), NOW)
    with pytest.raises(RefusedError, match="9 more answers"):
        batch.flush()
    assert len(report.refused) == 10
    assert len(spool.waiting(WAITING)) == 5


def test_native_histograms_are_stored(store, spool):
    """As a load of the same answer stores them, with its finding."""
    buckets = [[0, "0", "0.5", "2"], [0, "0.5", "1", "3"]]
    histograms = [
        [3600 + 15 * n, {"count": str(5 + n), "sum": "3", "buckets": buckets}] for n in range(3)
    ]
    series = {"metric": {"__name__": "vllm:time_to_first_token_seconds"}, "histograms": histograms}
    body = {"status": "success", "data": {"resultType": "matrix", "result": [series]}}
    window = Window(HOUR_MS, 2 * HOUR_MS)
    found = read_matrix(json.dumps(body).encode(), window)
    assert found.samples == 3
    path = spool.write(WAITING, window, found.text)
    batch, report = make(store, spool)
    batch.take(Fetched(WAITING, window, path, 500, 3, None), NOW)
    batch.flush()
    assert report.rows_kept > 3
    assert report.findings["native_histogram"] == 3
