"""Verdicts by day, hour and load."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import polars as pl
import pytest

from signals.plots.stability import VERDICT_SIGNS, describe_stability, plot_stability
from signals.plots.theme import soft, verdict_color
from signals.schema import Estimate
from tests.builders import make_detail, make_score


def cells(figure: Any) -> dict[str, tuple[float, float, str]]:
    """Row, place and text of every cell, by the name of its part."""
    found = {}
    for trace in figure.data:
        for base, x, text in zip(trace.base, trace.x, trace.text, strict=True):
            name = text.split("</b>")[0].removeprefix("<b>")
            found[name] = (round(base + 0.48), x, text)
    return found


def test_nine_days_four_quarters_and_three_thirds_are_cells() -> None:
    """Days in rows of seven, then hours, then loads, each row as wide as the plot."""
    figure = plot_stability(make_detail(), theme="light")
    found = cells(figure)
    assert len(found) == 9 + 4 + 3
    assert [found[day][0] for day in "123456789"] == [0] * 7 + [1] * 2
    assert [found[day][1] for day in "1289"] == [0.5, 1.5, 0.5, 1.5]
    assert (found["00-06"][0], found["low"][0]) == (2, 3)
    assert found["00-06"][1] == pytest.approx(7 / 8)
    assert found["high"][1] == pytest.approx(7 * 5 / 6)
    labels = dict(zip(figure.layout.yaxis.tickvals, figure.layout.yaxis.ticktext, strict=True))
    assert labels == {0: "day", 1: "day", 2: "hours<br>(UTC)", 3: "load"}


def test_colour_sign_and_figure_say_the_verdict_of_a_part() -> None:
    """Not by colour alone: the sign in the cell is that of the legend."""
    figure = plot_stability(make_detail(), theme="dark")
    good, odd, thin = figure.data
    assert [t.name for t in figure.data] == ["● proportional", "◆ feedback only", "○ insufficient data"]  # fmt: skip
    assert good.marker.color == soft(verdict_color("proportional", "dark"))
    assert list(odd.text) == ["<b>3</b><br>◆<br>20 %"]
    assert list(thin.text) == ["<b>low</b><br>○"]
    assert good.text[0] == "<b>1</b><br>●<br>6.3 %"
    assert "elasticity 0.98" in odd.customdata[0]
    assert len(set(VERDICT_SIGNS.values())) == 4


def test_legend_stays_where_all_parts_agree() -> None:
    """The one colour still has a name."""
    detail = make_detail()
    same = detail.parts.filter(pl.col("verdict") == "proportional")
    assert plot_stability(replace(detail, parts=same), theme="light").layout.showlegend is True


def test_of_a_long_span_the_last_four_weeks_are_drawn() -> None:
    """A quarter of days would be no figure."""
    detail = make_detail()
    row = detail.parts.row(0, named=True)
    days = pl.DataFrame([{**row, "part": str(day)} for day in range(1, 91)])
    found = cells(plot_stability(replace(detail, parts=days), theme="light"))
    assert list(found) == [str(day) for day in range(63, 91)]


def test_nothing_to_judge_says_why() -> None:
    """No parts, or none with ticks."""
    reason = Estimate(None, determined=False, reason="too little data")
    detail = replace(make_detail(), score=make_score(measures={"stability": reason}))
    empty = detail.parts.with_columns(ticks=pl.lit(0))
    for parts in (empty, detail.parts.clear(), pl.DataFrame()):
        figure = plot_stability(replace(detail, parts=parts), theme="light")
        assert not figure.data
        assert figure.layout.annotations[0].text.replace("<br>", " ").endswith("too little data")


@pytest.mark.parametrize(
    ("stability", "text"),
    [
        (
            Estimate(0.75, extra={"parts": 8, "worst": "day 3", "worst_capacity_error": 0.0953}),
            "the verdict of the whole on 6 of 8 parts with enough data; worst: day 3, 10 % off",
        ),
        (
            Estimate(1.0, reason="not by day: fewer than three whole days"),
            "the verdict of the whole on 100 % of the parts; not by day: fewer than three whole days",
        ),
        (Estimate(None, reason="too little"), "stability unknown: too little"),
        (None, "stability unknown"),
    ],
)
def test_stability_in_words(stability: Estimate | None, text: str) -> None:
    """How many parts agree, the worst one, and what could not be looked at."""
    assert describe_stability(stability) == text
