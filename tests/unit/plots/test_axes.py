"""Units on axes and in tooltips; times on their way to plotly."""

from __future__ import annotations

from datetime import UTC, datetime

import polars as pl
import pytest

from signals.plots.axes import axis_title, escape, times, unit_axis


@pytest.mark.parametrize(
    ("title", "unit", "expected"),
    [
        ("GPU utilisation", "ratio", "GPU utilisation (%)"),
        ("TTFT, p99", "s", "TTFT, p99 (s)"),
        ("decode tokens/s", "tokens/s", "decode tokens/s"),
        ("queue depth", "count", "queue depth"),
        ("power draw", "W", "power draw (W)"),
        ("rate", "req/s", "rate (req/s)"),
        ("a < b", "", "a &lt; b"),
    ],
)
def test_axis_title_carries_the_unit_once(title: str, unit: str, expected: str) -> None:
    """The unit follows in brackets unless the title ends with it or there is none."""
    assert axis_title(title, unit) == expected


def test_unit_axis_of_an_unknown_unit_shows_its_name() -> None:
    """A unit without a row is written as a plain number with its name."""
    look = unit_axis("bananas")
    assert look.shown == "bananas"
    assert look.hover_value("y") == "%{y:,.4~r} bananas"


def test_ratio_is_shown_in_per_cent_and_seconds_with_prefix() -> None:
    """d3 scales: a ratio by 100, seconds to ms."""
    assert unit_axis("ratio").ticks()["tickformat"] == "~%"
    assert unit_axis("s").ticks() == {"tickformat": "~s", "ticksuffix": "s", "hoverformat": ".3~s"}


def test_escape_leaves_no_tag() -> None:
    """Plotly's own tags cannot come from data."""
    assert escape("<b>&") == "&lt;b&gt;&amp;"


def test_times_are_whole_seconds_where_possible() -> None:
    """Whole seconds lose their fraction in the text form; others keep milliseconds."""
    whole = pl.Series([datetime(2026, 11, 23, 4, tzinfo=UTC)])
    assert str(times(whole).dtype) == "datetime64[s]"
    assert str(times(whole)[0]) == "2026-11-23T04:00:00"
    part = pl.Series([datetime(2026, 11, 23, 4, 0, 0, 250_000, tzinfo=UTC)])
    assert str(times(part)[0]) == "2026-11-23T04:00:00.250"
