"""Data grids: one look, one way to say how a column is drawn and sorted.

Renderers and comparators named here are in `assets/grid.js`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dash_ag_grid as dag
from dash import html
from dash.development.base_component import Component

from dashboard.components.aria import aria
from dashboard.theme import GRID_THEME

__all__ = [
    "ROW_HEIGHT",
    "chip_column",
    "grid",
    "grid_style",
    "number_column",
    "on_phone",
    "text_column",
]

ROW_HEIGHT = 46
HEADER_HEIGHT = 40
TALLEST = 700
_MAY_CHANGE_WIDTH = ("gridSizeChanged", "firstDataRendered")
NULLS_LAST = {"function": "compareNullsLast"}


def grid(
    id: str,  # noqa: A002 - Dash's own word
    columns: Sequence[dict[str, Any]],
    *,
    label: str,
    options: dict[str, Any] | None = None,
) -> Component:
    """A grid that waits for its rows.

    Args:
        id: component id.
        columns: column definitions, from the functions below.
        label: what it lists, for screen readers.
        options: further grid options.

    Returns:
        The grid in its frame.
    """
    grows = (options or {}).get("domLayout") == "autoHeight"
    return html.Div(
        dag.AgGrid(
            id=id,
            columnDefs=list(columns),
            rowData=[],
            getRowId="params.data.id",
            defaultColDef={
                "sortable": True,
                "resizable": True,
                "filter": False,
                "suppressHeaderMenuButton": True,
                "wrapHeaderText": True,
            },
            dashGridOptions={
                "theme": GRID_THEME,
                "rowHeight": ROW_HEIGHT,
                "headerHeight": HEADER_HEIGHT,
                "suppressColumnVirtualisation": True,
                "suppressMovableColumns": True,
                "enableCellTextSelection": True,
                "ensureDomOrder": True,
                "tooltipShowDelay": 300,
                "animateRows": False,
                **(options or {}),
            },
            eventListeners={name: ["fitWidth(params)"] for name in _MAY_CHANGE_WIDTH},
            style={"width": "100%"} if grows else grid_style(4),
        ),
        className="grid",
        role="region",
        **aria(label=label),
    )


def grid_style(rows: int, *, header: int = HEADER_HEIGHT) -> dict[str, str]:
    """A size that shows all rows, up to a limit above which the grid scrolls.

    Rows are higher on phones, so their height is a variable of the style sheet.
    """
    height = f"min({TALLEST}px, calc({header + 20}px + {max(rows, 1)} * var(--grid-row)))"
    return {"height": height, "width": "100%"}


def on_phone(*, width: int, place: int = 0) -> dict[str, Any]:
    """What narrow screens change about a column.

    Args:
        width: pixels; 0 leaves the column out, for what another cell tells there.
        place: columns come in the order of their places; those without one come last.

    Returns:
        Settings for the functions below.
    """
    return {"context": {"phoneWidth": width, "phonePlace": place}}


def text_column(field: str, title: str, **settings: Any) -> dict[str, Any]:  # noqa: ANN401 - grid settings
    """A column of text."""
    return {"field": field, "headerName": title, "tooltipField": field, **settings}


def number_column(field: str, title: str, **settings: Any) -> dict[str, Any]:  # noqa: ANN401
    """A column of numbers: sorted by `field`, written as `field_text` with `field_range` below it."""
    return {
        "field": field,
        "headerName": title,
        "cellRenderer": "Estimate",
        "comparator": NULLS_LAST,
        "type": "rightAligned",
        "width": 118,
        **settings,
    }


def chip_column(field: str, title: str, **settings: Any) -> dict[str, Any]:  # noqa: ANN401
    """A column of chips: `field` is the class, `field_text` the word."""
    return {
        "field": field,
        "headerName": title,
        "cellRenderer": "Chip",
        "comparator": {"function": "compareByOrder"},
        **settings,
    }
