"""The table of measures."""

from __future__ import annotations

from signals.study.score import MEASURES


def test_measures_have_unique_names_a_title_and_a_question() -> None:
    """Reports and pages are built from this table."""
    names = [spec.name for spec in MEASURES]
    assert len(names) == len(set(names))
    assert all(spec.title for spec in MEASURES)
    assert all(spec.question for spec in MEASURES)
