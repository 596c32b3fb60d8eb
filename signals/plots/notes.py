"""Words on figures: what was found, above the plot; why there is nothing to draw, in its place."""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass

import plotly.graph_objects as go

from signals.plots.axes import escape
from signals.plots.theme import Theme, palette
from signals.study.score import SignalScore

__all__ = ["LINE_CHARS", "Gap", "note_above", "why_not", "wrapped"]

LINE_CHARS = 44
"""Longest line of words that fits a phone."""
_BOUND = "\u00a0"
_BEFORE_UNIT = re.compile(r"(?<=\d) (?=(?:ms|s|min|h|d|%)(?:\W|$))")
"""The space between a number and its unit."""


@dataclass(frozen=True, slots=True)
class Gap:
    """What to say where a view has nothing to draw.

    Attributes:
        measure: the measure whose reason explains it.
        text: what is missing.
        reason: said where the measure gives no reason.
    """

    measure: str
    text: str
    reason: str


def why_not(score: SignalScore, gap: Gap) -> str:
    """What is missing and why, in lines that fit a phone, as plotly's text.

    Args:
        score: of the signal.
        gap: what is missing.

    Returns:
        Lines joined by `<br>`, what comes from data escaped.
    """
    estimate = score.measures.get(gap.measure)
    reason = estimate.reason if estimate is not None and estimate.reason else gap.reason
    return "<br>".join(escape(line) for line in wrapped(f"{gap.text}: {reason}"))


def wrapped(text: str) -> list[str]:
    """Lines that fit a phone; a number stays with its unit, and a closing interval on one line."""
    if len(text) <= LINE_CHARS:
        return [text]
    head, bracket, interval = text.partition(" (95 %")
    rest = f"{bracket.strip()}{interval}"
    if bracket and len(rest) <= LINE_CHARS:
        return [*_lines(head), rest]
    return _lines(text)


def _lines(text: str) -> list[str]:
    bound = _BEFORE_UNIT.sub(_BOUND, text)
    return [line.replace(_BOUND, " ") for line in textwrap.wrap(bound, LINE_CHARS)]


def note_above(figure: go.Figure, text: str, theme: Theme) -> None:
    """Write what was found above the plot, in as many lines as a phone needs, and make room for it.

    Args:
        figure: whose top margin grows.
        text: plain words.
        theme: light or dark.
    """
    lines = wrapped(text)
    figure.update_layout(margin_t=16 + 16 * len(lines))
    figure.add_annotation(
        text="<br>".join(escape(line) for line in lines),
        align="left",
        x=0,
        xref="paper",
        xanchor="left",
        y=1,
        yref="paper",
        yanchor="bottom",
        yshift=4,
        showarrow=False,
        font={"size": 12, "color": palette(theme).ink},
    )
