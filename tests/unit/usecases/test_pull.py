"""Rounds of a pull: where they begin, and what ends them."""

import json
import math
from datetime import UTC, datetime, timedelta

import pytest

from signals.errors import UsageError
from signals.store import create_store
from signals.store.pull import client as client_module
from signals.store.pull.endpoint import Access, parse_endpoint
from signals.store.pull.selection import Wanted
from signals.usecases.load import clock
from signals.usecases.pull import Pull, PullRequest
from tests.builders_servers import Proxy, free_port


@pytest.fixture(autouse=True)
def hasty(monkeypatch):
    """Pauses that a test can wait for."""
    monkeypatch.setattr(client_module, "_FIRST_PAUSE_S", 0.001)
    monkeypatch.setattr(client_module, "_LONGEST_PAUSE_S", 0.002)


class Gauge(Proxy):
    """A server with one gauge that has a sample on every minute, or another spacing, for ever."""

    def __init__(self):
        super().__init__(free_port())
        self.failing = False
        self.spacing_s = 60
        self.value = lambda at: str(at % 7)
        self.order = list
        self.warnings = []

    def _answer(self, handler, number, body):
        if self.failing:
            self._reply(handler, 503, b"down")
            return
        form = dict(part.split("=") for part in body.decode().split("&")) if body else {}
        self._reply(handler, 200, json.dumps(self._say(form)).encode())

    def _say(self, form):
        if "%5B" not in form.get("query", ""):
            return {"status": "success", "data": {"resultType": "scalar", "result": [0, "0"]}}
        end_ms = round(float(form["time"]) * 1000)
        start_ms = end_ms - int(form["query"].split("%5B")[1].split("ms")[0])
        each = self.spacing_s
        times = range(-(-start_ms // (1000 * each)) * each, end_ms // 1000 + 1, each)
        series = {"metric": {"__name__": "vllm:num_requests_waiting"}}
        series["values"] = [[at, self.value(at)] for at in self.order(times)]
        data = {"resultType": "matrix", "result": [series]}
        return {"status": "success", "data": data, "warnings": self.warnings}


@pytest.fixture
def server():
    """The gauge's server."""
    gauge = Gauge()
    yield gauge
    gauge.close()


@pytest.fixture
def start(server, tmp_path):
    """A function that makes a pull from it."""
    made = []

    def begin(**changes):
        wanted = Wanted(queries=("vllm:num_requests_waiting",))
        request = PullRequest(parse_endpoint(server.url), wanted=wanted, service="chat", **changes)
        made.append(Pull(create_store(tmp_path / "fleet.duckdb"), request, clock=clock))
        return made[-1]

    yield begin
    for pull in made:
        pull.close()


def run(pull):
    """One round."""
    return pull.run(lambda _text, _share: None)


def test_first_pull_takes_a_day_and_the_next_what_came_since(start):
    """Where no time is named."""
    first = run(start())
    assert first.rows_kept == pytest.approx(24 * 60, abs=1)
    assert clock() - first.last >= timedelta(seconds=29)
    second = run(start())
    assert second.first >= first.last - timedelta(minutes=1)
    assert second.rows_kept <= 1


def test_named_time_is_taken_exactly(start):
    """The begin is inside, the end is not; samples on both edges tell."""
    begin = datetime(2026, 3, 2, 8, 0, tzinfo=UTC)
    report = run(start(first=begin, last=begin + timedelta(hours=1)))
    assert report.rows_kept == 60


def test_time_that_has_not_settled_is_refused(start):
    """Nothing could be taken without losing what comes later."""
    with pytest.raises(UsageError, match="settled"):
        run(start(first=clock() - timedelta(seconds=5)))


def test_progress_ends_at_one(start):
    """And never goes back."""
    shares = []
    start().run(lambda _text, share: shares.append(share))
    assert shares == sorted(shares)
    assert shares[-1] == 1.0


def test_follow_survives_a_server_that_goes_and_comes(start, server, monkeypatch):
    """It says so, goes on, and ends when it is told to."""
    told = []
    monkeypatch.setattr(Pull, "_wait", lambda _self, _every: None)

    def tell(text):
        told.append(text)
        server.failing = not server.failing and len(told) < 3
        if len(told) == 3:
            raise KeyboardInterrupt

    server.spacing_s = 1
    first = clock() - timedelta(minutes=2)
    report = start(first=first).follow(None, tell)
    assert "trying again" in told[1]
    assert report.stopped
    assert [remark.code for remark in report.remarks] == ["server_lost"]
    seconds = math.ceil(report.last.timestamp()) - math.ceil(first.timestamp())
    assert report.rows_kept == seconds


@pytest.mark.parametrize(
    ("interval_s", "every_s", "pause_s"),
    [(None, None, 15), (1.0, None, 5), (30.0, None, 30), (900.0, None, 60), (30.0, 2.0, 2)],
)
def test_pause_between_rounds_is_the_spacing_of_samples(
    start, monkeypatch, interval_s, every_s, pause_s
):
    """Within bounds, and whatever the user says."""
    waited = []
    pull = start()
    monkeypatch.setattr(pull._leave, "wait", waited.append)
    pull.interval_s = interval_s
    pull._wait(every_s)
    assert waited == [pause_s]


def test_remarks_tell_what_is_unsafe(tmp_path, server, start):
    """A certificate that nobody checked."""
    report = run(start(access=Access(insecure=True)))
    assert [remark.code for remark in report.remarks] == ["certificate_unchecked"]


@pytest.mark.parametrize("what", ["chat", "source"])
def test_what_was_forgotten_is_pulled_again(start, tmp_path, what):
    """A service or one source: the next pull fills exactly the hole."""
    begin = datetime(2026, 3, 2, 8, 0, tzinfo=UTC)
    words = {"first": begin, "last": begin + timedelta(hours=5), "aim_bytes": 1_000}
    whole = run(start(**words)).rows_kept
    assert whole == 300
    store = create_store(tmp_path / "fleet.duckdb")
    name = store.query("mart/sources", {})["uri"][3] if what == "source" else "chat"
    removed = store.forget(name.rpartition("/")[2]).samples
    assert 0 < removed <= whole
    again = run(start(**words))
    assert again.rows_kept == removed
    assert int(store.query("mart/sources", {})["rows_kept"].sum()) == whole


BEGIN = datetime(2026, 3, 2, 8, 0, tzinfo=UTC)
HOURS = {"first": BEGIN, "last": BEGIN + timedelta(hours=5), "aim_bytes": 1_000}
"""Five hours in a good many windows."""
BAD_AT = round((BEGIN + timedelta(hours=2)).timestamp())


def spoil(at):
    """One sample in five hours that is no number."""
    return "?" if at == BAD_AT else str(at % 7)


def test_answer_that_cannot_be_stored_is_left_out_until_it_can(start, server, tmp_path):
    """All others are stored; the repeat asks for it alone, and takes it when the server has mended it."""
    server.value = spoil
    report = run(start(**HOURS, max_reject=0))
    (error,) = report.refused
    assert error.where.startswith(server.url)
    lost = 300 - report.rows_kept
    assert 0 < lost < 100
    again = run(start(**HOURS, max_reject=0))
    assert len(again.refused) == 1
    assert again.selections[0].samples == lost > again.rows_kept
    server.value = str
    assert run(start(**HOURS, max_reject=0)).rows_kept == lost - again.rows_kept


def test_rejects_may_be_allowed(start, server):
    """The sample is a reject then, and its reason told as by a load."""
    server.value = spoil
    report = run(start(**HOURS, max_reject=1))
    assert (report.rows_kept, report.rejects, report.refused) == (299, {"bad_sample": 1}, [])


@pytest.mark.parametrize("share", [-0.1, 1.5, math.nan])
def test_share_of_rejects_is_one(start, share):
    """As for a load."""
    with pytest.raises(UsageError, match="max-reject"):
        start(max_reject=share)


def test_samples_in_disorder_are_put_right(start, server):
    """None is lost at the edge of a window, and the disorder is told as by a load."""
    server.order = lambda times: [*times][::-1]
    report = run(start(**HOURS))
    assert report.rows_kept == 300
    (code,) = {d.code for s in report.sources for d in s.details} & {"out_of_order"}
    assert report.findings[code] > 0


def test_question_without_an_answer_is_told(start, server):
    """Nothing came: which query it was, and how to list names."""
    server.order = lambda _times: []
    report = run(start(**HOURS))
    (remark,) = report.remarks
    assert (remark.code, remark.severity, remark.subject) == ("empty_result", "warning", "query1")
    assert "vllm:num_requests_waiting" in remark.text
    assert "match[]" in remark.text


@pytest.mark.parametrize("order", [list, lambda _times: []])
def test_what_the_server_warns_of_is_told(start, server, order):
    """With samples and without."""
    server.order, server.warnings = order, ["a store is away"]
    report = run(start(**HOURS))
    told = [*report.remarks, *(d for source in report.sources for d in source.details)]
    assert "the server said: a store is away" in {finding.text for finding in told}


def test_second_interruption_ends_at_once(start):
    """Nothing is loaded any more; the answers wait for the next pull."""

    def interrupt(_text, share):
        if share > 0.5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        start(**HOURS).run(interrupt)
    assert run(start(**HOURS)).rows_kept == 300


def test_follow_goes_on_after_an_answer_that_cannot_be_stored(start, server, monkeypatch):
    """It is told once, and other rounds are stored."""
    told = []
    monkeypatch.setattr(Pull, "_wait", lambda _self, _every: None)
    server.spacing_s = 1
    first = clock() - timedelta(minutes=2)
    server.value = lambda at: "?" if at < first.timestamp() + 60 else "1"

    def tell(text):
        told.append(text)
        if sum("stored" in line and "cannot" not in line for line in told) == 2:
            raise KeyboardInterrupt

    report = start(first=first, max_reject=0).follow(None, tell)
    assert any("cannot be stored" in line for line in told)
    assert [remark.code for remark in report.remarks] == ["window_refused"]
    assert report.rows_kept > 0
