"""The response curve: ticks, bins, fit, and the proportional line for reference."""

from __future__ import annotations

from dataclasses import replace

import polars as pl
import pytest

from signals.plots.response import plot_response
from tests.builders import make_detail


def test_response_shows_ticks_reference_fit_and_bins() -> None:
    """Four traces; bins and fit are the frame's own values; axes carry units."""
    detail = make_detail("prefill:gpu_util")
    figure = plot_response(detail, theme="light")
    assert [t.name for t in figure.data] == ["ticks", "proportional", "fit", "bin means"]
    assert list(figure.data[3].y) == detail.response["signal"].to_list()
    assert list(figure.data[2].x) == detail.fit["load_per_instance"].to_list()
    assert figure.layout.xaxis.title.text == "load per instance (tokens/s)"
    assert figure.layout.yaxis.title.text == "GPU utilisation (%)"


def test_reference_line_goes_through_origin_and_middle() -> None:
    """With bins at loads 1, 2, 3 and signals 10, 20, 40 the line has slope 20 / 2."""
    detail = make_detail()
    bins = pl.DataFrame({"load_per_instance": [1.0, 2.0, 3.0], "signal": [10.0, 20.0, 40.0], "count": [5, 5, 5]})  # fmt: skip
    line = plot_response(replace(detail, response=bins), theme="light").data[1]
    assert list(line.x) == [0.0, 3.0]
    assert list(line.y) == [0.0, pytest.approx(30.0)]


def test_total_without_instance_counts_is_held_against_load() -> None:
    """Where the study did not divide by instances, the axis does not say so."""
    detail = replace(make_detail(), extra={"per_instance": 0.0})
    assert plot_response(detail, theme="light").layout.xaxis.title.text == "load (tokens/s)"


def test_crowds_are_thinned() -> None:
    """At most the asked number of ticks is drawn."""
    figure = plot_response(make_detail(ticks=5000), theme="light", max_points=300)
    assert 150 < len(figure.data[0].x) <= 300


def test_response_of_nothing_says_so() -> None:
    """No bins: words."""
    detail = make_detail()
    figure = plot_response(replace(detail, response=detail.response.clear()), theme="dark")
    assert "no response curve" in figure.layout.annotations[0].text
