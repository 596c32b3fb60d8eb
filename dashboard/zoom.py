"""From a zoom in the browser to the points that the new view needs."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from dash import Patch
from dash.exceptions import PreventUpdate

if TYPE_CHECKING:
    import plotly.graph_objects as go

__all__ = ["Window", "data_patch", "visible_window"]

Window = tuple[datetime, datetime]


def visible_window(relayout: object) -> Window | None:
    """The time that a zoom or pan asks for.

    Args:
        relayout: the graph's `relayoutData`, as the browser sent it.

    Returns:
        First and last moment, UTC; None if the whole span is asked for.

    Raises:
        PreventUpdate: the event says nothing about time, such as a change of the graph's size, or names no
            times that can be read.
    """
    data: Mapping[str, object] = relayout if isinstance(relayout, Mapping) else {}
    for key, value in data.items():
        axis, _, what = key.partition(".")
        if not axis.startswith("xaxis"):
            continue
        if what == "autorange" and value:
            return None
        if what == "range":
            return _window(value)
        if what == "range[0]" and f"{axis}.range[1]" in data:
            return _window([value, data[f"{axis}.range[1]"]])
    raise PreventUpdate


def data_patch(figure: go.Figure) -> Patch:
    """The traces of a figure as a change to the browser's copy; its axes stay where the user put them."""
    patch = Patch()
    patch["data"] = figure.to_plotly_json()["data"]
    return patch


def _window(ends: object) -> Window:
    try:
        first, last = ends if isinstance(ends, list) else []
        return _moment(first), _moment(last)
    except (ValueError, IndexError):
        raise PreventUpdate from None


def _moment(text: object) -> datetime:
    # plotly writes `2026-11-23 04:12:33.1234`: no zone, seconds and decimals only where needed
    head, _, fraction = str(text).replace("T", " ").rstrip("Z").partition(".")
    forms = ("%Y-%m-%d", "%Y-%m-%d %H:%M", "%Y-%m-%d %H:%M:%S")
    form = forms[head.count(":")]
    moment = datetime.strptime(head, form).replace(tzinfo=UTC)
    return moment.replace(microsecond=int(fraction[:6].ljust(6, "0"))) if fraction else moment
