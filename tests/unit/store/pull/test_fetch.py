"""Windows follow each other without a gap, as wide as the server bears."""

import threading
from itertools import pairwise

import pytest

from signals.store.pull.answer import Answer
from signals.store.pull.endpoint import parse_endpoint
from signals.store.pull.faults import ServerError, Stopped, TooMuch
from signals.store.pull.fetch import fetch
from signals.store.pull.plan import Window
from signals.store.pull.selection import Selection
from signals.store.pull.spool import Spool

UP = Selection("up", "up")
DAY = Window(0, 86_400_000)


class Bearing:
    """Stands for a client of a server that bears windows up to some width, a byte a second."""

    def __init__(self, most_ms=10**9, *, slow=False):
        self.most_ms = most_ms
        self.slow = slow
        self.asked = []

    def matrix(self, _query, window, *, step_ms):
        self.asked.append(window)
        if window.width_ms > self.most_ms:
            raise TooMuch(ServerError("too much"), slow=self.slow)
        size = window.width_ms // 1000
        return Answer(b"{}", size, 1, 15.0), size


@pytest.fixture
def spool(tmp_path):
    """Beside a store."""
    return Spool(tmp_path / "fleet.duckdb", parse_endpoint("http://a"), "chat")


def windows_of(client, spool, *windows, aim=1000):
    """The windows that were answered."""
    items = fetch(client, spool, UP, windows, aim_bytes=aim, stop=threading.Event())
    return [item.window for item in items]


def test_windows_join(spool):
    """From the begin to the end, each where the last one ended."""
    found = windows_of(Bearing(), spool, DAY)
    assert (found[0].start_ms, found[-1].end_ms) == (DAY.start_ms, DAY.end_ms)
    assert all(a.end_ms == b.start_ms for a, b in pairwise(found))
    assert max(w.width_ms for w in found) <= 1_000_000
    assert len(spool.waiting(UP)) == len(found)


def test_windows_shrink_to_what_the_server_bears(spool):
    """And nothing is skipped."""
    client = Bearing(most_ms=40_000)
    found = windows_of(client, spool, Window(0, 400_000))
    assert sum(w.width_ms for w in found) == 400_000
    assert max(w.width_ms for w in found) <= 40_000


def test_server_that_bears_nothing_is_told(spool):
    """After the shortest window."""
    client = Bearing(most_ms=0)
    with pytest.raises(ServerError, match="too much"):
        windows_of(client, spool, DAY)
    assert client.asked[-1].width_ms == 1_000


def test_slow_server_is_not_asked_forever(spool):
    """Each try costs its time."""
    client = Bearing(most_ms=0, slow=True)
    with pytest.raises(ServerError):
        windows_of(client, spool, DAY)
    assert len(client.asked) == 6


def test_empty_answers_leave_no_file(spool):
    """They are reported all the same, so that the window counts as asked."""
    client = Bearing()
    client.matrix = lambda _query, window, *, step_ms: (Answer(b"{}", 0, 0, None), 60)
    items = list(fetch(client, spool, UP, [DAY], aim_bytes=1000, stop=threading.Event()))
    assert [item.path for item in items] == [None] * len(items)
    assert items[-1].window.end_ms == DAY.end_ms
    assert spool.waiting(UP) == []


def test_stop_ends_it(spool):
    """Between two windows."""
    stop = threading.Event()
    items = fetch(Bearing(), spool, UP, [DAY], aim_bytes=1000, stop=stop)
    next(items)
    stop.set()
    with pytest.raises(Stopped):
        next(items)
