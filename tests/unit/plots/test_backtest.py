"""The backtest on one time axis: rows from load to misses."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import numpy as np
import polars as pl
import pytest

from signals.plots.backtest import plot_backtest
from signals.plots.theme import palette
from tests.builders import START, make_comparison

POLICIES = ["static", "heteroscale", "hpa decode:gpu_util 70 %"]


@pytest.fixture(scope="module")
def layout_and_data() -> tuple[dict[str, object], list[dict[str, object]]]:
    figure = plot_backtest(make_comparison(), theme="light").to_dict()
    return figure["layout"], figure["data"]


def headings(layout: dict[str, object]) -> list[str]:
    return [a["text"] for a in layout["annotations"]]  # type: ignore[attr-defined]


def test_rows_run_from_load_over_signals_and_instances_to_misses(layout_and_data) -> None:
    """Two loads, three signals read, one row of instances per policy, one of misses."""
    layout, _ = layout_and_data
    texts = headings(layout)
    assert texts[:2] == ["load of prefill: offered prompt tokens/s", "load of decode: offered output tokens/s"]  # fmt: skip
    assert [t.split("</b>")[0].removeprefix("<b>") for t in texts[2:8]] == [
        "decode:decode_tps",
        "prefill:ttft_p90",
        "decode:gpu_util",
        *POLICIES,
    ]
    assert texts[8] == "missed TTFT 1 s or TPOT 50 ms, per minute"
    units = [layout[f"yaxis{i or ''}"]["title"]["text"] for i in ("", *range(2, 10))]
    assert units == ["tokens/s", "tokens/s", "tokens/s", "s", "%", *["instances"] * 3, "requests"]
    assert layout["xaxis"]["title"]["text"] == "time (UTC)"
    assert layout["xaxis"]["anchor"] == "y9"


def test_traces_share_one_time_axis(layout_and_data) -> None:
    """A cursor on one row is at the same time in all: there is a single x axis."""
    layout, data = layout_and_data
    assert all(t.get("xaxis", "x") == "x" for t in data)
    assert not [key for key in layout if key.startswith("xaxis") and key != "xaxis"]


def test_policies_have_one_legend_entry_each_and_their_colour_in_every_row(layout_and_data) -> None:
    """The legend toggles a policy's readings, target and misses together."""
    _, data = layout_and_data
    shown = [t["name"] for t in data if t.get("showlegend", True)]
    assert shown == POLICIES
    for index, label in enumerate(POLICIES):
        own = [t for t in data if t.get("legendgroup") == label]
        assert {t["line"]["color"] for t in own} == {palette("light").policies[index]}


def test_instances_are_drawn_ordered_and_ready_in_the_pool_hue(layout_and_data) -> None:
    """Steps: an area for ready, a line for ordered."""
    _, data = layout_and_data
    steps = [t for t in data if t["name"].endswith((" ready", " ordered"))]
    assert len(steps) == 3 * 2 * 2
    assert {t["line"]["shape"] for t in steps} == {"hv"}
    assert all(("fill" in t) == t["name"].endswith(" ready") for t in steps)
    decode = {t["line"]["color"] for t in steps if t["name"].startswith("decode")}
    assert decode == {palette("light").decode}


def test_missing_readings_are_a_gap() -> None:
    """Ticks at which a policy saw nothing break its line."""
    figure = plot_backtest(make_comparison(), theme="light")
    seen = next(t for t in figure.data if t.yaxis == "y5" and "target" not in t.name)
    assert np.isnan(seen.y).any()


def test_window_draws_the_same_traces_in_full() -> None:
    """A zoom changes points, not traces, so that a page can patch them."""
    comparison = make_comparison()
    whole = plot_backtest(comparison, theme="light", max_points=200)
    window = (START + timedelta(hours=3), START + timedelta(hours=4))
    part = plot_backtest(comparison, theme="light", max_points=200, window=window)
    assert [t.name for t in part.data] == [t.name for t in whole.data]
    assert max(len(t.x) for t in whole.data) <= 200
    assert max(len(t.x) for t in part.data) == 63


def test_single_policy_without_readings_is_drawn() -> None:
    """Static alone: loads, its instances, misses."""
    figure = plot_backtest(make_comparison(hours=2, policies=1), theme="dark")
    assert len(headings(figure.to_dict()["layout"])) == 4


def test_hostile_label_is_escaped() -> None:
    """A policy's label cannot bring plotly's tags."""
    comparison = make_comparison(hours=1, policies=1)
    label = "<b>x</b>"
    frames = {
        name: getattr(comparison, name).with_columns(pl.lit(label).alias("policy"))
        for name in ("ticks", "minutes", "readings")
    }
    results = (replace(comparison.policies[0], label=label),)
    figure = plot_backtest(replace(comparison, policies=results, **frames), theme="light")
    assert any("&lt;b&gt;x" in text for text in headings(figure.to_dict()["layout"]))


def test_backtest_of_nothing_says_so() -> None:
    """No tick: words."""
    comparison = make_comparison(hours=1)
    figure = plot_backtest(replace(comparison, ticks=comparison.ticks.clear()), theme="light")
    assert "no ticks" in figure.layout.annotations[0].text
