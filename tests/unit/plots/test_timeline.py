"""The time line: rows, names, units, values, and what a zoom changes."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from itertools import pairwise

import polars as pl

from signals.plots.timeline import plot_timeline
from tests.builders import START, make_detail


def test_timeline_stacks_load_signal_and_ready_on_one_time_axis() -> None:
    """Three traces in three rows; every row names its unit."""
    figure = plot_timeline(make_detail("prefill:gpu_util"), theme="light").to_dict()
    assert [t["name"] for t in figure["data"]] == ["load", "prefill:gpu_util", "ready"]
    assert [t.get("yaxis", "y") for t in figure["data"]] == ["y", "y2", "y3"]
    layout = figure["layout"]
    titles = [layout[axis]["title"]["text"] for axis in ("yaxis", "yaxis2", "yaxis3")]
    assert titles == ["tokens/s", "%", "count"]
    assert layout["xaxis"]["title"]["text"] == "time (UTC)"
    assert layout["xaxis"]["anchor"] == "y3"
    domains = [layout[axis]["domain"] for axis in ("yaxis", "yaxis2", "yaxis3")]
    assert (domains[0][1], domains[2][0]) == (1, 0)
    assert all(upper[0] > lower[1] for upper, lower in pairwise(domains))


def test_timeline_draws_the_values_it_was_given() -> None:
    """Below the limit, points are the frame's own; a missing value is a gap."""
    detail = make_detail()
    signal = plot_timeline(detail, theme="light").data[1]
    drawn = pl.Series(signal.y).fill_nan(None).to_list()
    assert drawn == detail.series["signal"].to_list()
    assert str(signal.x[0]) == "2026-11-23T00:00:00"


def test_timeline_thins_long_series_and_shows_a_window_in_full() -> None:
    """10,000 ticks become at most the limit; an hour of them is drawn tick by tick, traces in the same order."""
    detail = make_detail(ticks=10_000)
    whole = plot_timeline(detail, theme="light", max_points=500)
    assert max(len(t.x) for t in whole.data) <= 500
    window = (START + timedelta(hours=20), START + timedelta(hours=21))
    part = plot_timeline(detail, theme="light", max_points=500, window=window)
    assert len(part.data[1].x) == 63
    assert [t.name for t in part.data] == [t.name for t in whole.data]


def test_timeline_without_ready_counts_has_two_rows() -> None:
    """Unknown instance counts get no row."""
    detail = make_detail()
    series = detail.series.with_columns(pl.lit(None, dtype=pl.Float64).alias("ready"))
    assert len(plot_timeline(replace(detail, series=series), theme="dark").data) == 2


def test_timeline_of_nothing_says_so() -> None:
    """An empty range is words, not axes."""
    detail = make_detail()
    figure = plot_timeline(replace(detail, series=detail.series.clear()), theme="light")
    assert "no ticks" in figure.layout.annotations[0].text
