"""What averaging buys and costs."""

from __future__ import annotations

import math
from dataclasses import replace

import polars as pl
import pytest

from signals.plots.window import describe_window, plot_window
from signals.schema import Estimate
from tests.builders import make_detail, make_score


def test_errors_and_noise_above_lag_below_the_suggestion_on_both() -> None:
    """Errors are shares, as people read them; the ring sits on the suggested window of both panels."""
    detail = make_detail()
    figure = plot_window(detail, theme="light")
    error, noise, lag, above, below = figure.data
    assert [t.name for t in figure.data] == ["capacity error", "noise", "lag", *["suggested"] * 2]
    assert list(error.y) == pytest.approx([math.expm1(e) for e in detail.windows["capacity_error"]])
    assert list(noise.y) == detail.windows["noise_ratio"].to_list()
    assert list(lag.y) == detail.windows["lag_s"].to_list()
    assert (lag.yaxis, above.yaxis, below.yaxis) == ("y2", "y", "y2")
    assert (above.x[0], above.y[0]) == (180.0, pytest.approx(math.expm1(0.8 * 0.061)))
    assert (below.x[0], below.y[0]) == (180.0, pytest.approx(69.8))
    layout = figure.layout
    assert (layout.xaxis.type, layout.xaxis.anchor) == ("log", "y2")
    assert list(layout.xaxis.ticktext) == ["60 s", "2 min", "5 min", "15 min"]
    assert layout.yaxis2.domain[1] < layout.yaxis.domain[0]
    assert [s.x0 for s in layout.shapes] == [180.0, 180.0]


def test_added_lag_is_shown_where_the_lag_itself_is_not_settled() -> None:
    """Half of what the window is wider than one tick."""
    detail = make_detail()
    unknown = detail.windows.with_columns(lag_s=pl.lit(None, pl.Float64))
    trace = plot_window(replace(detail, windows=unknown), theme="dark").data[2]
    assert trace.name == "added lag"
    assert list(trace.y) == [(width - 60) / 2 for width in detail.windows["window_s"]]


def test_no_suggestion_no_ring() -> None:
    """Curves without a mark that suggests a window."""
    bare = replace(make_detail(), score=make_score(measures={}))
    assert [t.name for t in plot_window(bare, theme="light").data] == ["capacity error", "noise", "lag"]  # fmt: skip


def test_too_few_ticks_are_said_with_the_studys_reason() -> None:
    """No curve, or one without a single error."""
    reason = Estimate(None, determined=False, reason="too few held-out ticks")
    detail = replace(make_detail(), score=make_score(measures={"suggested_window_s": reason}))
    nothing = detail.windows.with_columns(capacity_error=pl.lit(None, pl.Float64))
    for windows in (nothing, pl.DataFrame()):
        figure = plot_window(replace(detail, windows=windows), theme="light")
        assert figure.layout.annotations[0].text == "no window curve: too few held-out ticks"


@pytest.mark.parametrize(
    ("suggested", "text"),
    [
        (Estimate(60.0), "average over 60 s"),
        (
            Estimate(180.0, extra={"one_tick_capacity_error": 0.0953, "capacity_error": 0.0488}),
            "average over 3 min: capacity error 5 %, 10 % without",
        ),
        (
            Estimate(60.0, extra={"one_tick_capacity_error": 0.0488, "capacity_error": 0.0488}),
            "average over 60 s: capacity error 5 %",
        ),
        (Estimate(None, reason="few"), "no window to suggest: few"),
        (None, "no window to suggest"),
    ],
)
def test_window_in_words(suggested: Estimate | None, text: str) -> None:
    """The window, and the error with and without it."""
    assert describe_window(suggested) == text
