"""Words on figures."""

from __future__ import annotations

import pytest

from signals.plots.notes import LINE_CHARS, Gap, note_above, why_not, wrapped
from signals.plots.theme import new_figure
from signals.schema import Estimate
from tests.builders import make_score

GAP = Gap("rise_s", "no rise", "too few changes")


def test_the_measures_own_reason_is_said_before_the_usual_one() -> None:
    """What is missing, and why; data are escaped."""
    told = make_score(measures={"rise_s": Estimate(None, reason="it followed <2> changes")})
    assert why_not(told, GAP) == "no rise: it followed &lt;2&gt; changes"
    assert why_not(make_score(measures={}), GAP) == "no rise: too few changes"


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("short", ["short"]),
        (
            "signal trails load by twelve minutes (95 %: 8 min to 16 min)",
            ["signal trails load by twelve minutes", "(95 %: 8 min to 16 min)"],
        ),
        (
            "half of the long way after 90 s (95 %: 60 s to 2.5 min), nine tenths after 4.5 min",
            [
                "half of the long way after 90 s (95 %: 60 s",
                "to 2.5 min), nine tenths after 4.5 min",
            ],
        ),
        (
            "half of its whole way after 9 s (95 %: 15 to 60 s), nine tenths after 4.5 min",
            ["half of its whole way after 9 s (95 %: 15 to", "60 s), nine tenths after 4.5 min"],
        ),
    ],
)
def test_lines_fit_a_phone_and_keep_a_closing_interval_whole(text: str, lines: list[str]) -> None:
    """No line is longer than a phone is wide, and no word is lost."""
    assert wrapped(text) == lines
    assert all(len(line) <= LINE_CHARS for line in lines)
    assert " ".join(lines) == text


def test_words_above_a_plot_make_room_for_themselves() -> None:
    """Two lines: twice the room; a sign of HTML is text."""
    figure = new_figure("light", height=200)
    note_above(figure, "a < b " * 10, "light")
    assert figure.layout.margin.t == 48
    assert figure.layout.annotations[0].text.count("<br>") == 1
    assert "a &lt; b" in figure.layout.annotations[0].text
