"""The table of measures."""

from __future__ import annotations

from dataclasses import replace

from signals.study.score import MEASURES
from tests.builders import make_scorecard
from tests.builders_advice import make_advised


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


def test_notebook_lists_what_to_hold_in_each_pool() -> None:
    text = make_advised()._repr_html_()
    assert (
        "<li>decode: hold decode:decode_tps at 464 tokens/s per instance (95 %: 411 tokens/s to "
        "545 tokens/s); averaged over 2 min; AverageValue of a ratio rule; before decode:running: "
        "larger capacity error 9 % against 6.3 %</li>"
    ) in text
    assert "<li>unified: none of its signals moves in proportion to load</li>" in text
    assert "<li>" not in make_scorecard()._repr_html_()


def test_score_shows_itself_in_a_notebook() -> None:
    text = make_scorecard().signals[0]._repr_html_()
    assert "decode:decode_tps" in text
    assert "how long after load moves does the signal move?" in text
