"""The dot plot of capacity errors."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from signals.plots.scorecard import as_ratio, plot_scorecard
from signals.plots.theme import VERDICT_SYMBOLS, verdict_color
from signals.schema import Estimate
from tests.builders import make_score, make_scorecard


def test_scorecard_plot_has_one_trace_per_verdict_and_every_signal_a_row() -> None:
    """Verdicts differ in colour and in shape; signals stand in the scorecard's order, best on top."""
    card = make_scorecard()
    figure = plot_scorecard(card, theme="light")
    names = [t.name for t in figure.data]
    assert names == ["proportional", "feedback only", "unusable", "for a controller that knows the curve"]  # fmt: skip
    for trace, verdict in zip(figure.data, ("proportional", "feedback", "unusable"), strict=False):
        assert trace.marker.color == verdict_color(verdict, "light")
        assert trace.marker.symbol == VERDICT_SYMBOLS[verdict]
    assert list(figure.layout.yaxis.categoryarray)[::-1] == [s.signal for s in card.signals]
    assert figure.layout.xaxis.title.text == "capacity error (%)"


def test_errors_are_drawn_as_the_share_they_are_off_with_intervals() -> None:
    """0.061 in log units is 6.29 %; the bars end at the interval's ends."""
    figure = plot_scorecard(make_scorecard(), theme="light")
    first = figure.data[0]
    assert first.x[0] == pytest.approx(math.expm1(0.061))
    assert first.x[0] + first.error_x.array[0] == pytest.approx(math.expm1(0.061 * 1.12))
    assert first.x[0] - first.error_x.arrayminus[0] == pytest.approx(math.expm1(0.061 * 0.9))
    assert "6.29 %" in first.customdata[0]


def test_signal_without_an_estimate_says_why_in_its_row() -> None:
    """It is not hidden: its row holds the reason."""
    figure = plot_scorecard(make_scorecard(), theme="dark")
    told = {a.y: a.text for a in figure.layout.annotations}
    assert told == {"decode:preemption_rate": "fewer than 120 ticks with a value"}


def test_extreme_errors_stay_on_the_axis() -> None:
    """A perfect signal has error 0 and a hopeless one a huge error; a logarithmic axis shows both."""
    scores = tuple(
        make_score(f"decode:{name}", measures={"capacity_error": Estimate(error)})
        for name, error in (("decode_tps", 0.0), ("running", 80.0))
    )
    trace = plot_scorecard(replace(make_scorecard(), signals=scores), theme="light").data[0]
    assert list(trace.x) == [0.001, 10.0]
    usual = plot_scorecard(make_scorecard(), theme="light").layout.xaxis.range
    assert 10 ** usual[0] == pytest.approx(0.009)
    assert as_ratio(80.0) == math.expm1(50.0)


def test_scorecard_plot_of_nothing_says_so() -> None:
    """No signal: words."""
    figure = plot_scorecard(replace(make_scorecard(), signals=()), theme="light")
    assert "no signal" in figure.layout.annotations[0].text
