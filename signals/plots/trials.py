"""What a measure says about series whose truth is known: as the truth changes, and case by case."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import plotly.graph_objects as go
import polars as pl

from signals.plots.axes import escape
from signals.plots.theme import Theme, new_figure, palette, policy_color

__all__ = ["plot_cases", "plot_sweep"]

_SYMBOLS = ("circle", "diamond", "square", "triangle-up", "x")
_CASE_PX = 34
_APART = 0.22
"""Distance of the marks of one case, in cases."""


def plot_sweep(
    frame: pl.DataFrame,
    *,
    x_title: str,
    y_title: str,
    theme: Theme,
    truth: pl.DataFrame | None = None,
) -> go.Figure:
    """Measures, with their intervals, against what was varied.

    Answers: does the measure find what was put in, and what does it make of what it should not see?

    Args:
        frame: `measure`, `x`, `value`, `low`, `high`; null where there is none.
        x_title: what was varied, with its unit.
        y_title: what was measured, with its unit.
        theme: light or dark.
        truth: `x`, `value`: a line of what is true; None for none.

    Returns:
        A trace per measure, then `truth`.
    """
    figure = new_figure(theme, height=320)
    figure.update_layout(hovermode="closest")
    for place, (name, rows) in enumerate(_groups(frame).items()):
        figure.add_scatter(
            x=rows["x"].to_numpy(),
            y=rows["value"].to_numpy(),
            error_y=_interval(rows, policy_color(place + 1, theme)),
            mode="lines+markers",
            line={"width": 1.4},
            **_look(name, place, theme),
        )
    if truth is not None:
        figure.add_scatter(
            x=truth["x"].to_numpy(),
            y=truth["value"].to_numpy(),
            name="truth",
            mode="lines",
            line={"color": palette(theme).rule, "width": 1.4, "dash": "dash"},
            hoverinfo="skip",
        )
    figure.update_layout(showlegend=len(figure.data) > 1)
    figure.update_xaxes(title_text=escape(x_title), showgrid=True)
    figure.update_yaxes(title_text=escape(y_title), zeroline=True)
    return figure


def plot_cases(
    frame: pl.DataFrame,
    *,
    x_title: str,
    theme: Theme,
    lines: Mapping[str, float] | None = None,
) -> go.Figure:
    """Measures, with their intervals, of a few signals that are named by how they were made.

    Answers: which kind of signal does a measure tell from which?

    Args:
        frame: `case`, `measure`, `value`, `low`, `high`; cases are drawn in their order, from the top.
        x_title: what was measured, with its unit.
        theme: light or dark.
        lines: values to mark, by their name: a threshold, say.

    Returns:
        A trace per measure; a case without a value has a row without a mark.
    """
    cases = frame["case"].unique(maintain_order=True).to_list()
    groups = _groups(frame)
    figure = new_figure(theme, height=116 + _CASE_PX * len(cases))
    figure.update_layout(hovermode="closest", showlegend=len(groups) > 1)
    middle = (len(groups) - 1) / 2
    for place, (name, rows) in enumerate(groups.items()):
        figure.add_scatter(
            x=rows["value"].to_numpy(),
            y=[cases.index(case) + _APART * (place - middle) for case in rows["case"]],
            error_x=_interval(rows, policy_color(place + 1, theme)),
            mode="markers",
            cliponaxis=False,
            **_look(name, place, theme),
        )
    for name, value in (lines or {}).items():
        figure.add_vline(
            x=value,
            line={"color": palette(theme).rule, "width": 1.2, "dash": "dash"},
            annotation={
                "text": escape(name),
                "font": {"size": 11, "color": palette(theme).muted},
                "yanchor": "bottom",
                "y": 1,
                "yref": "paper",
            },
        )
    figure.update_xaxes(title_text=escape(x_title), showgrid=True, zeroline=True)
    figure.update_yaxes(
        range=[len(cases) - 0.5, -0.5],
        tickmode="array",
        tickvals=list(range(len(cases))),
        ticktext=[escape(case) for case in cases],
        showgrid=False,
    )
    return figure


def _groups(frame: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """Rows by measure, in the order in which measures first occur."""
    names = frame["measure"].unique(maintain_order=True).to_list()
    return {name: frame.filter(pl.col("measure") == name) for name in names}


def _look(name: str, place: int, theme: Theme) -> dict[str, Any]:
    color = policy_color(place + 1, theme)
    symbol = _SYMBOLS[place % len(_SYMBOLS)]
    return {"name": escape(name), "marker": {"color": color, "size": 8, "symbol": symbol}}


def _interval(rows: pl.DataFrame, color: str) -> dict[str, Any]:
    """Bars to both ends of the interval; none where an end is unknown."""
    up = (rows["high"] - rows["value"]).fill_null(0.0).to_numpy()
    down = (rows["value"] - rows["low"]).fill_null(0.0).to_numpy()
    return {
        "type": "data",
        "symmetric": False,
        "array": up,
        "arrayminus": down,
        "color": color,
        "thickness": 1.3,
        "width": 3,
    }
