"""Zoom events become time windows, and windows become new points."""

from __future__ import annotations

from datetime import UTC, datetime

import plotly.graph_objects as go
import pytest
from dash.exceptions import PreventUpdate

from dashboard.zoom import data_patch, visible_window

DAY = datetime(2026, 11, 23, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-11-23", DAY),
        ("2026-11-23 04:12", DAY.replace(hour=4, minute=12)),
        ("2026-11-23 04:12:33", DAY.replace(hour=4, minute=12, second=33)),
        (
            "2026-11-23 04:12:33.1234",
            DAY.replace(hour=4, minute=12, second=33, microsecond=123_400),
        ),
        ("2026-11-23T04:12:33Z", DAY.replace(hour=4, minute=12, second=33)),
    ],
)
def test_every_way_plotly_writes_times_is_read(text: str, moment: datetime) -> None:
    """Times come without a zone and are UTC."""
    event = {"xaxis.range[0]": text, "xaxis.range[1]": "2026-11-24"}
    assert visible_window(event) == (moment, DAY.replace(day=24))


def test_range_as_a_list_is_read() -> None:
    """Some events carry both ends in one list."""
    event = {"xaxis2.range": ["2026-11-23", "2026-11-24"]}
    assert visible_window(event) == (DAY, DAY.replace(day=24))


def test_reset_asks_for_the_whole_span() -> None:
    """A double click resets the axis."""
    assert visible_window({"xaxis.autorange": True, "yaxis.autorange": True}) is None


@pytest.mark.parametrize(
    "event",
    [
        *(None, {}, {"autosize": True}, {"yaxis.range[0]": 1}),
        *([1], True, "xaxis", 1e308),
        *({"xaxis.range": 5}, {"xaxis.range": ["2026-11-23"]}, {"xaxis.range": [None, {}]}),
        {"xaxis.range[0]": "zzz", "xaxis.range[1]": "9999-12-31"},
        {"xaxis.range[0]": "1:2:3:4", "xaxis.range[1]": "9999-12-31"},
    ],
)
def test_event_without_time_changes_nothing(event: object) -> None:
    """Resizing and vertical moves need no new points, and what is no event has none."""
    with pytest.raises(PreventUpdate):
        visible_window(event)


def test_patch_replaces_traces_and_nothing_else() -> None:
    """Axes stay where the user put them."""
    figure = go.Figure(go.Scatter(x=[1, 2], y=[3, 4]), layout={"title": {"text": "kept"}})
    operations = data_patch(figure).to_plotly_json()["operations"]
    assert [op["location"] for op in operations] == [["data"]]
