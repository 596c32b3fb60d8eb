"""Words on figures: what was found, above the plot; why there is nothing to draw, in its place."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass

import plotly.graph_objects as go

from signals.plots.axes import escape
from signals.plots.theme import Theme, palette
from signals.study.score import SignalScore

__all__ = ["LINE_CHARS", "Gap", "note_above", "why_not", "wrapped"]

LINE_CHARS = 44
"""Longest line of words that fits a phone."""


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
    """Lines that fit a phone; a text breaks before its interval if that makes two lines of it."""
    if len(text) <= LINE_CHARS:
        return [text]
    head, bracket, interval = text.partition(" (95 %")
    rest = f"{bracket.strip()}{interval}"
    if bracket and len(rest) <= LINE_CHARS:
        return [*textwrap.wrap(head, LINE_CHARS), rest]
    return textwrap.wrap(text, LINE_CHARS)


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
