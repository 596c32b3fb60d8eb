"""Does the verdict hold in every part of the span?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import plotly.graph_objects as go
import polars as pl

from signals.plots.notes import Gap, note_above, why_not
from signals.plots.scorecard import VERDICT_TITLES, as_ratio
from signals.plots.theme import Theme, empty_figure, new_figure, palette, soft, verdict_color
from signals.schema import Estimate
from signals.study.score import SignalDetail, Verdict

__all__ = ["VERDICT_SIGNS", "describe_stability", "plot_stability"]

VERDICT_SIGNS: dict[Verdict, str] = {
    "proportional": "●",
    "feedback": "◆",
    "unusable": "✕",
    "insufficient_data": "○",
}
"""One sign per verdict, for where colour does not reach."""

_NOTHING = Gap("stability", "no part of the span can be judged", "too few ticks")
_KINDS = {"day": "day", "hours": "hours (UTC)", "load": "load"}
_PER_ROW = 7
_ROW_PX = 62
_MOST_DAYS = 28
"""Days drawn one by one; of a longer span, the last."""
_CELL = 0.96
"""Share of its room that a cell takes."""


def plot_stability(detail: SignalDetail, *, theme: Theme) -> go.Figure:
    """One cell per day, per quarter of the hours of the day and per third of load: its verdict and error.

    Answers: does the verdict hold on every day, at every hour and at every load, or only over all of them?

    Args:
        detail: curves of the signal.
        theme: light or dark.

    Returns:
        A trace of cells per verdict that occurs; colour, sign and name say the verdict, the figure in a cell is
        the capacity error of that part. Words where no part has ticks.
    """
    cells = list(_cells(detail.parts))
    if not cells:
        return empty_figure(why_not(detail.score, _NOTHING), theme)
    rows = list(dict.fromkeys((cell["row"], cell["kind"]) for cell in cells))
    figure = new_figure(theme, height=98 + _ROW_PX * len(rows), legend_drop_px=16)
    figure.update_layout(barmode="overlay", hovermode="closest", showlegend=True)
    for verdict in VERDICT_TITLES:
        group = [cell for cell in cells if cell["verdict"] == verdict]
        if group:
            _add_cells(figure, verdict, group, theme)
    note_above(figure, describe_stability(detail.score.measures.get("stability")), theme)
    figure.update_xaxes(visible=False, range=[-0.01, _PER_ROW + 0.01], fixedrange=True)
    labels = {row: _KINDS[kind] for row, kind in reversed(rows)}
    figure.update_yaxes(
        range=[len(rows) - 0.48, -0.52],
        tickmode="array",
        tickvals=list(labels),
        ticktext=[label.replace(" ", "<br>") for label in labels.values()],
        showgrid=False,
        fixedrange=True,
    )
    return figure


def _cells(parts: pl.DataFrame) -> Iterator[dict[str, Any]]:
    """Cells from the top: days in rows of seven, then hours, then loads, each row as wide as the others."""
    if parts.is_empty() or not int(parts["ticks"].sum()):
        return
    row = 0
    for kind in _KINDS:
        named = list(parts.filter(pl.col("kind") == kind).tail(_MOST_DAYS).iter_rows(named=True))
        per_row = min(_PER_ROW, max(1, len(named)))
        for place, part in enumerate(named):
            width = _PER_ROW / per_row
            across = place % per_row
            yield {
                **part,
                "row": row + place // per_row,
                "x": (across + 0.5) * width,
                "width": width,
            }
        row += -(-len(named) // per_row)


def _add_cells(
    figure: go.Figure, verdict: Verdict, group: list[dict[str, Any]], theme: Theme
) -> None:
    color, colors = verdict_color(verdict, theme), palette(theme)
    figure.add_bar(
        x=[cell["x"] for cell in group],
        width=[cell["width"] * _CELL for cell in group],
        base=[cell["row"] - _CELL / 2 for cell in group],
        y=[_CELL] * len(group),
        name=f"{VERDICT_SIGNS[verdict]} {VERDICT_TITLES[verdict]}",
        marker={"color": soft(color), "line": {"color": color, "width": 1}},
        text=[_text(cell, verdict) for cell in group],
        textposition="inside",
        insidetextanchor="middle",
        textangle=0,
        constraintext="none",
        insidetextfont={"size": 11, "color": colors.ink},
        customdata=[_hover(cell, verdict) for cell in group],
        hovertemplate="%{customdata}<extra></extra>",
    )


def _text(cell: dict[str, Any], verdict: Verdict) -> str:
    error = cell["capacity_error"]
    last = "" if error is None else f"<br>{_percent(error)}"
    return f"<b>{cell['part']}</b><br>{VERDICT_SIGNS[verdict]}{last}"


def _percent(error: float) -> str:
    ratio = as_ratio(error) * 100
    return f"{ratio:.1f} %" if ratio < 9.95 else f"{min(ratio, 999):.0f} %"


def _hover(cell: dict[str, Any], verdict: Verdict) -> str:
    slope, error = cell["elasticity"], cell["capacity_error"]
    lines = [
        f"<b>{_KINDS[cell['kind']]} {cell['part']}</b>",
        VERDICT_TITLES[verdict],
        "" if error is None else f"capacity error {_percent(error)}",
        "" if slope is None else f"elasticity {slope:.2f}",
        f"{cell['ticks']:,} ticks",
    ]
    return "<br>".join(line for line in lines if line)


def describe_stability(stability: Estimate | None) -> str:
    """On what share of the parts the verdict is that of the whole, and where its error is largest."""
    if stability is None or stability.value is None:
        return "stability unknown" + (
            f": {stability.reason}" if stability and stability.reason else ""
        )
    parts = stability.extra.get("parts")
    text = f"the verdict of the whole on {stability.value * 100:.0f} % of the parts"
    if isinstance(parts, int):
        held = round(stability.value * parts)
        text = f"the verdict of the whole on {held} of {parts} parts with enough data"
    worst, error = (stability.extra.get(name) for name in ("worst", "worst_capacity_error"))
    if isinstance(worst, str) and isinstance(error, float):
        text += f"; worst: {worst}, {_percent(error)} off"
    return f"{text}; {stability.reason}" if stability.reason else text
