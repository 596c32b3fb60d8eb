"""One measure of all signals with intervals."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from signals.plots.forest import plot_forest
from signals.plots.theme import VERDICT_SYMBOLS, verdict_color
from signals.schema import Estimate
from tests.builders import make_score, make_scorecard


def test_lags_of_all_signals_stand_with_their_intervals_in_the_cards_order() -> None:
    """One trace per verdict; unsettled lags have a row with their reason and no mark."""
    card = make_scorecard()
    figure = plot_forest(card, measure="lag_s", theme="light")
    assert [t.name for t in figure.data] == ["proportional", "feedback only"]
    first = figure.data[0]
    assert (first.y[0], first.x[0]) == ("decode:decode_tps", 9.8)
    assert (first.error_x.arrayminus[0], first.error_x.array[0]) == pytest.approx((2.1, 2.4))
    assert (first.marker.color, first.marker.symbol) == (verdict_color("proportional", "light"), VERDICT_SYMBOLS["proportional"])  # fmt: skip
    assert list(figure.layout.yaxis.categoryarray)[::-1] == [s.signal for s in card.signals]
    told = {a.y: a.text for a in figure.layout.annotations}
    assert told["decode:gpu_util"] == "no peak"
    assert not any("decode:gpu_util" in trace.y for trace in figure.data)
    assert figure.layout.xaxis.title.text == "lag (s)"


def test_elasticity_shows_the_band_that_a_ratio_rule_wants() -> None:
    """0.8 to 1.25 around 1, where the axis always reaches."""
    figure = plot_forest(make_scorecard(), measure="elasticity", theme="dark")
    band = next(s for s in figure.layout.shapes if s.type == "rect")
    assert (band.x0, band.x1) == (0.8, 1.25)
    low, high = figure.layout.xaxis.range
    assert low < 0 < 1.46 < high


def test_errors_in_log_units_are_drawn_as_shares() -> None:
    """0.061 is 6.29 %, and so are its ends."""
    figure = plot_forest(make_scorecard(), measure="capacity_error", theme="light")
    first = figure.data[0]
    assert first.x[0] == pytest.approx(math.expm1(0.061))
    assert first.x[0] + first.error_x.array[0] == pytest.approx(math.expm1(0.061 * 1.12))
    assert figure.layout.xaxis.title.text == "capacity error (%)"
    assert "6.29 %" in first.customdata[0]


def test_one_endless_interval_does_not_flatten_the_others() -> None:
    """The axis ends a spread and a half beyond the values; a short long interval is shown whole."""
    scores = tuple(
        make_score(f"decode:{name}", measures={"lag_s": Estimate(at, at - wide, at + wide)})
        for name, at, wide in (("decode_tps", 0.0, 1.0), ("running", 40.0, 1e6))
    )
    card = replace(make_scorecard(), signals=scores)
    low, high = plot_forest(card, measure="lag_s", theme="light").layout.xaxis.range
    assert -130 < low < -50
    assert 90 < high < 190


def test_nothing_settled_leaves_rows_with_reasons_and_nothing_at_all_says_so() -> None:
    """A measure that no signal has, and a card without signals."""
    card = replace(make_scorecard(), signals=(make_score(measures={}),))
    figure = plot_forest(card, measure="noise_ratio", theme="light")
    assert not figure.data
    assert figure.layout.annotations[0].text == "not known"
    long = Estimate(None, reason="no lag at which the signal follows load significantly")
    card = replace(card, signals=(make_score(measures={"lag_s": long}),))
    told = plot_forest(card, measure="lag_s", theme="light").layout.annotations[0]
    assert (told.text, told.hovertext) == ("no lag at which the s…", long.reason)
    nothing = plot_forest(replace(card, signals=()), measure="lag_s", theme="light")
    assert nothing.layout.annotations[0].text == "no signal to score"
