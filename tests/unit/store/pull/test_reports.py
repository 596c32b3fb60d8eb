"""Rounds of a pull add up."""

from datetime import UTC, datetime, timedelta

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


def loaded(rows):
    """A load of one file."""
    source = SourceReport(
        "f", "prometheus-matrix", "chat", rows, rows - 1, 0, {}, {"counter_reset": 1}, 1, None, None, False
    )  # fmt: skip
    return LoadReport((source,))


def test_loads_are_counted():
    """Rows and findings of all files."""
    one = report(START, samples=1)
    one.add(loaded(10))
    one.add(loaded(5))
    assert (one.sources, one.rows_read, one.rows_kept) == (2, 15, 13)
    assert one.findings == {"counter_reset": 2}


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
