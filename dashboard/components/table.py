"""Small tables in plain HTML, for what needs no sorting."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from dash import html
from dash.development.base_component import Component

from dashboard.components.aria import aria
from dashboard.components.panel import Child

__all__ = ["Head", "coverage_bar", "facts", "plain_table"]

WIDE = 24
"""Characters above which a fact takes two places."""


@dataclass(frozen=True, slots=True)
class Head:
    """One column's heading, what it holds, and whether narrow screens show it."""

    title: str
    kind: Literal["text", "number", "code"] = "text"
    narrow: Literal["shown", "hidden"] = "shown"

    @property
    def classes(self) -> str:
        """CSS classes of its cells; a hidden column shows on wide screens only."""
        return f"is-{self.kind}" + (" wide-only" if self.narrow == "hidden" else "")


def plain_table(
    heads: Sequence[Head],
    rows: Sequence[Sequence[Child]],
    *,
    label: str,
    extent: Literal["whole", "limited"] = "whole",
) -> Component:
    """A table.

    Args:
        heads: one per column.
        rows: cells in the order of the columns.
        label: what the table is, for screen readers; it scrolls sideways where it is too wide.
        extent: `limited` for lists without a natural end, which scroll down as well.

    Returns:
        The table in its scrolling frame.
    """
    return html.Div(
        html.Table(
            [
                html.Thead(
                    html.Tr([html.Th(h.title, className=h.classes, scope="col") for h in heads])
                ),
                html.Tbody(
                    [
                        html.Tr(
                            [
                                html.Td(cell, className=head.classes)
                                for head, cell in zip(heads, row, strict=True)
                            ]
                        )
                        for row in rows
                    ]
                ),
            ],
            className="plain",
        ),
        className="scroll is-limited" if extent == "limited" else "scroll",
        role="region",
        tabIndex=0,
        **aria(label=label),
    )


def coverage_bar(ratio: float | None) -> Component:
    """A share as a bar with its figure."""
    share = 0.0 if ratio is None else min(max(ratio, 0.0), 1.0)
    level = "good" if share >= 0.95 else "fair" if share >= 0.5 else "poor"
    text = "–" if ratio is None else f"{share * 100:.1f} %"
    return html.Span(
        [
            html.Span(
                html.Span(
                    className=f"bar-fill bar-{level}", style={"width": f"{share * 100:.1f}%"}
                ),
                className="bar",
            ),
            html.Span(text, className="bar-text"),
        ],
        className="bar-cell",
    )


def facts(pairs: Sequence[tuple[str, Child]]) -> Component:
    """Names and values side by side."""
    return html.Dl(
        [
            html.Div(
                [html.Dt(name), html.Dd(value)],
                className="is-wide" if len(str(value)) > WIDE else "",
            )
            for name, value in pairs
        ],
        className="facts",
    )
