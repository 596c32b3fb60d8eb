"""Sections of a page: a titled panel, an empty state, a waiting state."""

from __future__ import annotations

from collections.abc import Sequence

from dash import dcc, html
from dash.development.base_component import Component

__all__ = ["NOTHING_LOADED", "Child", "empty_state", "page_head", "panel", "waiting"]

Child = Component | str
CONTENT_DELAY_MS = 250
NOTHING_LOADED = (
    "Nothing is loaded yet. Load an export, or let the demo make a day of telemetry:",
    "signals load PATH --service NAME",
    "signals demo",
)


def page_head(title: str, lead: Sequence[Child] | Child) -> Component:
    """The page's title and the sentence below it."""
    return html.Div([html.H1(title), html.Div(lead, className="lead")], className="page-head")


def panel(
    title: str, children: Sequence[Child] | Child, *, note: str = "", classes: str = ""
) -> Component:
    """A titled section.

    Args:
        title: its heading.
        children: its content.
        note: one line under the heading that says how to read it.
        classes: further CSS classes.

    Returns:
        The section.
    """
    head = [html.H2(title), *([html.P(note, className="note")] if note else [])]
    body = children if isinstance(children, (list, tuple)) else [children]
    return html.Section(
        [html.Div(head, className="panel-head"), *body], className=f"panel {classes}".strip()
    )


def empty_state(text: str, *commands: str) -> Component:
    """What to say where there is nothing yet, and which commands change that."""
    return html.Div(
        [html.P(text), *(html.Pre(command, className="command") for command in commands)],
        className="empty",
    )


def waiting(children: Component | list[Component], *, label: str) -> Component:
    """A region that shows a bar while its callbacks run; what it held stays visible, dimmed."""
    return dcc.Loading(
        children,
        custom_spinner=html.Div(
            [html.Div(className="waiting-bar"), html.Span(label, className="waiting-text")],
            className="waiting",
            role="status",
        ),
        overlay_style={"visibility": "visible", "opacity": 0.35},
        delay_show=CONTENT_DELAY_MS,
        parent_className="waiting-parent",
    )
