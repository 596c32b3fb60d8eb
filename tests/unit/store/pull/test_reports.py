"""Rounds of a pull add up."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from signals.errors import InputError
from signals.schema import Finding
from signals.store.pull.faults import RefusedError
from signals.store.pull.reports import Pulled, PullReport
from signals.store.pull.selection import Selection
from signals.store.reports import LoadReport, SourceReport

START = datetime(2026, 3, 2, tzinfo=UTC)
UP = Selection("up", "up")


def report(last, *, samples):
    """A round with some samples."""
    return PullReport(
        "http://a", "chat", START, last, [Pulled(UP, questions=1, samples=samples, asked_ms=10)]
    )


RESET = Finding("counter_reset", "info", "started again", subject="up")


def loaded(rows, window="w"):
    """A load of one answer."""
    source = SourceReport(
        f"http://a/up-1/{window}", "prometheus-matrix", "chat", rows, rows - 1, 1, {"bad_sample": 1},
        {"counter_reset": 1}, 1, START, START, False, (RESET,),
    )  # fmt: skip
    return LoadReport((source,))


def test_loads_are_counted():
    """Rows and findings of all files."""
    one = report(START, samples=1)
    one.add(loaded(10))
    one.add(loaded(5))
    assert (len(one.sources), one.rows_read, one.rows_kept, one.rows_rejected) == (2, 15, 13, 2)
    assert one.findings == {"counter_reset": 2}
    assert one.rejects == {"bad_sample": 2}


def test_rounds_are_merged():
    """Counts add up, the end is the later one."""
    one, two = report(START, samples=1), report(START + timedelta(hours=1), samples=2)
    one.add(loaded(10))
    two.add(loaded(5))
    two.stopped = True
    one.merge(two)
    assert (one.rows_read, one.stopped) == (15, True)
    assert one.last == START + timedelta(hours=1)
    assert (one.selections[0].samples, one.selections[0].questions) == (3, 2)


def test_rounds_without_number_stay_few():
    """One source for each selection, its findings put together as within a source."""
    one = report(START, samples=1)
    one.add(loaded(10))
    for number in range(5):
        two = report(START + timedelta(hours=number), samples=1)
        two.add(loaded(3, f"w{number}"))
        one.merge(two)
    (source,) = one.sources
    assert (source.uri, source.rows_read, source.rows_kept) == ("http://a/up-1/", 25, 19)
    assert source.details == (replace(RESET, count=6),)
    assert source.findings == {"counter_reset": 6}


def test_refusals_of_rounds_stay_few():
    """The last words, and how often."""
    one = report(START, samples=1)
    for number in range(30):
        two = report(START, samples=1)
        two.refuse(UP, InputError(f"no {number}", where="w"))
        one.merge(two)
    assert len(one.refused) == 10
    (remark,) = one.remarks
    assert (remark.code, remark.count, remark.text) == ("window_refused", 30, "no 29 (w)")


def test_refusals_as_one_error():
    """The first in full, the others counted."""
    one = report(START, samples=1)
    one.refuse(UP, InputError("no", where="w", hint="h"))
    assert str(one.refusal()) == str(RefusedError("no", where="w", hint="h"))
    one.refuse(UP, InputError("nor this"))
    assert one.refusal().what == "no; 1 more answer not either"


def test_warnings_of_empty_answers_are_remarks():
    """Each once, on one line."""
    one = report(START, samples=0)
    one.hear(["a store\nis away", "late"])
    one.hear(["late"])
    assert [(r.code, r.text) for r in one.remarks] == [
        ("server_warning", "the server said: a store is away"),
        ("server_warning", "the server said: late"),
    ]
