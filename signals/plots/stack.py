"""Stacked rows that share one time axis: the load above, what followed from it below."""

from __future__ import annotations

from dataclasses import dataclass

import plotly.graph_objects as go

from signals.plots.axes import TIME_AXIS_TITLE, axis_title, unit_axis
from signals.plots.theme import Theme, new_figure, palette

__all__ = ["Row", "row_axis", "stack_rows"]

_GAP_PX = 34
_AROUND_PX = 96
"""Space above the first row and, for time axis and legend, below the last."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a stack.

    Attributes:
        heading: what the row shows, on one line above it; may hold plotly's HTML tags.
        unit: base unit of its values.
        quantity: name on the axis; empty to show the unit alone.
        height: pixels.
        from_zero: whether the axis starts at zero: `always` for what is a size, `auto` for the rest.
    """

    heading: str
    unit: str
    quantity: str = ""
    height: int = 110
    from_zero: str = "always"


def row_axis(index: int) -> str:
    """Plotly's name of the y axis of a row; the first row is 0."""
    return "y" if index == 0 else f"y{index + 1}"


def stack_rows(rows: list[Row], theme: Theme, *, legend_px: int = 24) -> go.Figure:
    """An empty figure with these rows from top to bottom; traces name their row by `yaxis=row_axis(i)`.

    Args:
        rows: at least one.
        theme: light or dark.
        legend_px: room for the legend below the time axis, pixels.

    Returns:
        A figure whose single x axis is time and runs through all rows, so that the cursor's line does, too.
    """
    plot_px = sum(row.height for row in rows) + _GAP_PX * (len(rows) - 1)
    figure = new_figure(theme, height=plot_px + _AROUND_PX + legend_px)
    figure.update_layout(
        margin={"t": 34, "b": 8},
        legend={"y": -58 / plot_px},
        hovermode="x unified",
        xaxis={
            "type": "date",
            "anchor": row_axis(len(rows) - 1),
            "title": {"text": TIME_AXIS_TITLE},
            "showgrid": True,
            "showspikes": True,
            "spikemode": "across",
            "spikesnap": "cursor",
            "spikethickness": 1,
            "spikedash": "solid",
            "spikecolor": palette(theme).rule,
            "hoverformat": "%a %d %b %H:%M:%S",
        },
    )
    top = plot_px
    for index, row in enumerate(rows):
        _place(figure, index, row, (top - row.height) / plot_px, top / plot_px, theme)
        top -= row.height + _GAP_PX
    return figure


def _place(
    figure: go.Figure, index: int, row: Row, bottom: float, top: float, theme: Theme
) -> None:
    axis = row_axis(index)
    look = unit_axis(row.unit)
    title = (
        axis_title(row.quantity, row.unit) if row.quantity else look.shown or row.unit or "number"
    )
    figure.update_layout(
        {
            f"yaxis{index + 1 if index else ''}": {
                "domain": [max(bottom, 0.0), min(top, 1.0)],
                "anchor": "x",
                "title": {"text": title},
                "rangemode": "tozero" if row.from_zero == "always" else "normal",
                "fixedrange": True,
                "nticks": 4 if row.height < 90 else 5,
                **look.ticks(),
            }
        }
    )
    figure.add_annotation(
        text=row.heading,
        x=0,
        xref="paper",
        xanchor="left",
        y=1,
        yref=f"{axis} domain",
        yanchor="bottom",
        yshift=4,
        showarrow=False,
        align="left",
        font={"size": 12, "color": palette(theme).ink},
    )
