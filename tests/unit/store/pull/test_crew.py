"""Jobs run side by side, and end together."""

import threading
from contextlib import closing

import pytest

from signals.store.pull.crew import gather
from signals.store.pull.faults import Stopped


def counting(first, count):
    """A job that yields some numbers."""
    return lambda: iter(range(first, first + count))


def test_everything_arrives_once():
    """From more jobs than workers."""
    jobs = [counting(100 * number, 50) for number in range(5)]
    found = list(gather(jobs, workers=2, stop=threading.Event()))
    assert sorted(found) == sorted(100 * n + i for n in range(5) for i in range(50))


def test_no_job_is_no_work():
    """Ends at once."""
    assert list(gather([], workers=2, stop=threading.Event())) == []


def test_failure_ends_the_others_and_is_raised():
    """After everything that was brought before it."""
    stop = threading.Event()

    def failing():
        yield 1
        raise ValueError("broken")

    def endless():
        while not stop.is_set():
            yield 2
        raise Stopped

    found = []
    with pytest.raises(ValueError, match="broken"):
        found.extend(gather([failing, endless], workers=2, stop=stop))
    assert stop.is_set()


def test_consumer_that_leaves_stops_the_work():
    """As Ctrl-C makes it."""
    stop = threading.Event()

    def endless():
        while not stop.is_set():
            yield 1

    before = set(threading.enumerate())
    with closing(gather([endless], workers=1, stop=stop)) as items:
        assert next(items) == 1
    assert stop.is_set()
    for thread in set(threading.enumerate()) - before:
        thread.join(60)
        assert not thread.is_alive()


def test_stop_from_outside_is_told():
    """So that the consumer knows that something is missing."""
    stop = threading.Event()
    stop.set()
    with pytest.raises(Stopped):
        list(gather([counting(0, 1)], workers=1, stop=stop))


def test_leaving_does_not_wait_for_a_silent_server(monkeypatch):
    """What arrived is handed on, the job that hangs is left to itself."""
    monkeypatch.setattr("signals.store.pull.crew._JOIN_S", 0.05)
    stop, leave, hanging = threading.Event(), threading.Event(), threading.Event()

    def hang():
        yield 1
        hanging.wait(30)

    items = gather([hang], workers=1, stop=stop, leave=leave)
    assert next(items) == 1
    leave.set()
    stop.set()
    with pytest.raises(Stopped):
        next(items)
    hanging.set()
