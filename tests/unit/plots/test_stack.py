"""Rows that share one time axis."""

from __future__ import annotations

import pytest

from signals.plots.stack import Row, row_axis, stack_rows


def test_rows_fill_the_plot_from_top_to_bottom_by_their_heights() -> None:
    """Two rows of 100 and 200 px with a gap of 34 px: domains are shares of 334 px."""
    layout = stack_rows([Row("a", "s", height=100), Row("b", "ratio", height=200)], "light").layout
    assert list(layout.yaxis.domain) == pytest.approx([234 / 334, 1.0])
    assert list(layout.yaxis2.domain) == pytest.approx([0.0, 200 / 334])
    assert layout.xaxis.anchor == "y2"


def test_row_heading_and_unit_are_shown() -> None:
    """The heading stands above the row, the unit on its axis; a quantity may lead it."""
    layout = stack_rows([Row("load", "tokens/s"), Row("wait", "s", "queue wait")], "dark").layout
    assert [a.text for a in layout.annotations] == ["load", "wait"]
    assert layout.yaxis.title.text == "tokens/s"
    assert layout.yaxis2.title.text == "queue wait (s)"


def test_row_axis_names() -> None:
    """Plotly calls the first axis y."""
    assert [row_axis(i) for i in range(3)] == ["y", "y2", "y3"]
