"""What is counted while a source is read."""

from __future__ import annotations

import pytest

from signals.schema import Finding
from signals.store.parsed import Reject
from signals.store.tally import SourceTally


@pytest.fixture
def tally() -> SourceTally:
    return SourceTally(1, "svc", "file")


def test_findings_of_one_code_and_subject_add_up(tally: SourceTally) -> None:
    for count, subject in ((2, "x"), (3, "x"), (1, "y")):
        tally.remark(Finding("odd", "info", "odd rows", count, subject))
    assert [(one.subject, one.count) for one in tally.remarks.values()] == [("x", 5), ("y", 1)]
    assert tally.finding_counts() == {"odd": 6}


def test_the_first_of_equal_findings_gives_the_words(tally: SourceTally) -> None:
    tally.remark(Finding("odd", "warning", "first", 1, action="look"))
    tally.remark(Finding("odd", "info", "second", 1))
    (finding,) = tally.remarks.values()
    assert (finding.text, finding.severity, finding.action) == ("first", "warning", "look")


def test_codes_are_told_in_order(tally: SourceTally) -> None:
    for code in ("overlap", "conflict", "out_of_order", "duplicate"):
        tally.count(code, 1)
    assert list(tally.finding_counts()) == ["conflict", "duplicate", "out_of_order", "overlap"]


def test_copies_are_told_with_what_was_done(tally: SourceTally) -> None:
    tally.count("duplicate", 2)
    tally.count("duplicate", 1)
    tally.count("conflict", 4)
    tally.count("overlap", 0)
    told = {code: one for (code, _), one in tally.remarks.items()}
    assert {code: (one.severity, one.count) for code, one in told.items()} == {
        "duplicate": ("info", 3),
        "conflict": ("warning", 4),
    }
    assert told["conflict"].action == "the first was kept"


def test_the_extent_grows_both_ways(tally: SourceTally) -> None:
    assert (tally.first_us, tally.last_us) == (None, None)
    for first, last in ((5, 9), (7, 8), (-3, 6), (0, 12)):
        tally.extend(first, last)
    assert (tally.first_us, tally.last_us) == (-3, 12)


def test_an_extent_may_begin_at_the_epoch(tally: SourceTally) -> None:
    tally.extend(0, 0)
    tally.extend(3, 4)
    assert (tally.first_us, tally.last_us) == (0, 4)


def test_rejects_are_counted_all_and_kept_in_part(tally: SourceTally) -> None:
    for start in (0, 800):
        tally.reject(Reject(line, "bad_number", "x") for line in range(start, start + 800))
    tally.reject([Reject(1600, "bad_time", "y")])
    assert tally.rejects == {"bad_number": 1600, "bad_time": 1}
    assert tally.rows_rejected == 1601
    assert [one.line for one in tally.excerpts] == list(range(1000))


def test_a_reject_counts_for_all_records_that_are_lost_with_it(tally: SourceTally) -> None:
    tally.reject([Reject(1, "bad_series", "x", 40), Reject(2, "bad_series", "y")])
    assert (tally.rejects, tally.rows_rejected) == ({"bad_series": 41}, 41)
    assert len(tally.excerpts) == 2
