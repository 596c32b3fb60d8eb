"""A source is told alike, wherever it came from."""

from datetime import UTC, datetime

from signals.report.json_sources import source_json
from signals.schema import Finding
from signals.store.reports import SourceReport


def test_source_has_the_documented_keys():
    """With its findings as objects."""
    at = datetime(2026, 3, 2, tzinfo=UTC)
    finding = Finding("duplicate", "info", "twice", 3, action="one kept")
    source = SourceReport(
        "a.csv", "own-wide", "a", 10, 9, 1, {"bad_number": 1}, {"duplicate": 3}, 3, at, at, False, (finding,)
    )  # fmt: skip
    found = source_json(source)
    assert found["details"] == [
        {
            "code": "duplicate",
            "severity": "info",
            "text": "twice",
            "count": 3,
            "subject": "",
            "action": "one kept",
        }
    ]
    assert (found["uri"], found["rows_kept"], found["findings"]) == ("a.csv", 9, {"duplicate": 3})
    assert (found["rejects"], found["first"], found["already_loaded"]) == (
        {"bad_number": 1},
        at,
        False,
    )
