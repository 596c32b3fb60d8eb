"""The lag curve and the words that go with it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from signals.plots.lag import describe_lag, plot_lag
from signals.schema import Estimate
from tests.builders import make_detail, make_score


@pytest.mark.parametrize(
    ("lag", "expected"),
    [
        (Estimate(10.0, 8.0, 12.0), "signal trails load by 10 s (95 %: 8 s to 12 s)"),
        (Estimate(-4.0), "signal runs ahead of load by 4 s"),
        (Estimate(0.4, -1.0, 2.0), "no lag to speak of (95 %: -1 s to 2 s)"),
        (Estimate(180.0), "signal trails load by 3 min"),
        (Estimate(7.0, determined=False, reason="no peak"), "lag undetermined: no peak"),
        (Estimate(None, reason="constant series"), "lag unknown: constant series"),
        (None, "lag unknown"),
    ],
)
def test_lag_in_words(lag: Estimate | None, expected: str) -> None:
    """Direction, size, interval; undetermined and unknown are answers."""
    assert describe_lag(lag) == expected


def test_lag_plot_shows_curve_peak_interval_and_zero_lines() -> None:
    """The curve is the frame's; the band spans the interval; the peak sits at the estimate."""
    detail = make_detail("decode:decode_tps")
    figure = plot_lag(detail, theme="light")
    assert [t.name for t in figure.data] == ["correlation", "peak"]
    assert list(figure.data[0].x) == detail.lag_curve["lag_s"].to_list()
    assert list(figure.data[1].x) == [9.8]
    layout = figure.to_dict()["layout"]
    band = next(s for s in layout["shapes"] if s["type"] == "rect")
    assert (band["x0"], band["x1"]) == pytest.approx((7.7, 12.2))
    lines = [s for s in layout["shapes"] if s["type"] == "line"]
    assert sorted(s["y0"] for s in lines if s["y0"] == s["y1"]) == [-0.21, 0, 0.21]
    assert [s["x0"] for s in lines if s["x0"] == s["x1"]] == [0]
    assert layout["xaxis"]["title"]["text"] == "lag of the signal behind load (s)"
    assert layout["yaxis"]["title"]["text"] == "correlation with load (r)"
    assert layout["annotations"][0]["text"].startswith("signal trails load by 9.8 s")


def test_bounds_of_chance_are_left_out_where_nothing_could_be_significant() -> None:
    """No figure, or one at which only a perfect correlation counts."""
    for extra in ({}, {"least_correlation": 1.0}):
        layout = plot_lag(replace(make_detail(), extra=extra), theme="light").layout
        assert {s.y0 for s in layout.shapes if s.type == "line" and s.y0 == s.y1} == {0}
        assert len(layout.annotations) == 1


def test_undetermined_lag_marks_no_peak() -> None:
    """Without a settled lag there is a curve but no mark that suggests one."""
    figure = plot_lag(make_detail("decode:gpu_util"), theme="dark")
    assert [t.name for t in figure.data] == ["correlation"]


def test_lag_plot_of_nothing_says_so() -> None:
    """No lag tried: words."""
    detail = make_detail()
    figure = plot_lag(replace(detail, lag_curve=detail.lag_curve.clear()), theme="light")
    assert "no lag" in figure.layout.annotations[0].text


def test_lag_without_estimate_is_drawn_without_peak() -> None:
    """A score without the measure still shows its curve."""
    detail = replace(make_detail(), score=make_score(measures={}))
    assert [t.name for t in plot_lag(detail, theme="light").data] == ["correlation"]


def test_long_reason_breaks_into_lines_that_fit_a_phone() -> None:
    """Words above the plot wrap, and the margin grows with them."""
    reason = "no lag at which the signal follows load significantly"
    score = make_score(measures={"lag_s": Estimate(1.0, determined=False, reason=reason)})
    layout = plot_lag(replace(make_detail(), score=score), theme="light").layout
    lines = layout.annotations[0].text.split("<br>")
    assert [len(line) <= 44 for line in lines] == [True, True]
    assert layout.margin.t == 48
