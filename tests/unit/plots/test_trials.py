"""Pictures of a measure on series whose truth is known."""

from __future__ import annotations

import polars as pl
import pytest

from signals.plots.trials import plot_cases, plot_sweep

SWEEP = pl.DataFrame(
    {
        "measure": ["noise", "noise", "scatter", "scatter"],
        "x": [1.0, 2.0, 1.0, 2.0],
        "value": [0.1, 0.2, 0.3, None],
        "low": [0.08, None, 0.2, None],
        "high": [0.15, None, 0.5, None],
    }
)
CASES = SWEEP.with_columns(case=pl.Series(["white", "a < b", "white", "a < b"]))


def test_sweep_has_a_trace_per_measure_and_the_truth() -> None:
    """Values and intervals are the frame's; where there is no interval there is no bar."""
    truth = pl.DataFrame({"x": [0.0, 2.0], "value": [0.0, 0.2]})
    figure = plot_sweep(SWEEP, x_title="put in (%)", y_title="found", theme="light", truth=truth)
    assert [trace.name for trace in figure.data] == ["noise", "scatter", "truth"]
    assert list(figure.data[0].x) == [1.0, 2.0]
    assert list(figure.data[0].y) == [0.1, 0.2]
    assert list(figure.data[0].error_y.array) == pytest.approx([0.05, 0.0])
    assert list(figure.data[0].error_y.arrayminus) == pytest.approx([0.02, 0.0])
    assert list(figure.data[2].y) == [0.0, 0.2]
    assert figure.layout.xaxis.title.text == "put in (%)"
    assert figure.layout.showlegend


def test_a_single_line_needs_no_legend() -> None:
    """Its name is on the axis."""
    one = SWEEP.filter(pl.col("measure") == "noise")
    assert not plot_sweep(one, x_title="x", y_title="y", theme="dark").layout.showlegend


def test_measures_differ_in_more_than_colour() -> None:
    """For readers who do not see colours apart."""
    figure = plot_sweep(SWEEP, x_title="x", y_title="y", theme="light")
    looks = [(trace.marker.color, trace.marker.symbol) for trace in figure.data]
    assert len({color for color, _ in looks}) == len({symbol for _, symbol in looks}) == 2


def test_cases_stand_from_the_top_with_their_measures_side_by_side() -> None:
    """Marks of one case lie apart, evenly about its row; names are text, not markup."""
    figure = plot_cases(CASES, x_title="found", theme="light", lines={"5 %": 0.05})
    first, second = figure.data
    assert list(first.x) == [0.1, 0.2]
    assert list(first.y) == pytest.approx([-0.11, 0.89])
    assert list(second.y) == pytest.approx([0.11, 1.11])
    axis = figure.layout.yaxis
    assert axis.range[0] > axis.range[1]
    assert list(axis.ticktext) == ["white", "a &lt; b"]
    layout = figure.to_dict()["layout"]
    assert [shape["x0"] for shape in layout["shapes"]] == [0.05]
    assert [note["text"] for note in layout["annotations"]] == ["5 %"]


def test_height_grows_with_the_cases() -> None:
    """Rows keep their distance."""
    few = plot_cases(CASES.head(1), x_title="x", theme="light").layout.height
    assert plot_cases(CASES, x_title="x", theme="light").layout.height - few == 34
