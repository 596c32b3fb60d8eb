"""The table of measures."""

from __future__ import annotations

from dataclasses import replace

from signals.study.score import MEASURES
from tests.builders import make_scorecard


def test_measures_have_unique_names_a_title_and_a_question() -> None:
    """Reports and pages are built from this table."""
    names = [spec.name for spec in MEASURES]
    assert len(names) == len(set(names))
    assert all(spec.title for spec in MEASURES)
    assert all(spec.question for spec in MEASURES)


def test_frame_has_a_row_per_signal_and_every_measure() -> None:
    card = make_scorecard()
    frame = card.frame()
    assert frame["signal"].to_list() == [s.signal for s in card.signals]
    for spec in MEASURES:
        assert {spec.name, f"{spec.name}_low", f"{spec.name}_high"} <= set(frame.columns)
    first = card.signals[0]
    assert frame["lag_s"][0] == first.measures["lag_s"].value
    assert frame["reasons"].to_list()[0] == [r.code for r in first.reasons]


def test_notebook_shows_headline_and_escapes_it() -> None:
    card = replace(make_scorecard(), headline="scale on <script>")
    text = card._repr_html_()
    assert "scale on &lt;script&gt;" in text
    assert card.signals[0].signal in text


def test_empty_scorecard_still_shows_itself() -> None:
    assert "<b>" in replace(make_scorecard(), signals=())._repr_html_()
