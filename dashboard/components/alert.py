"""Errors and remarks as blocks on a page."""

from __future__ import annotations

from dash import html
from dash.development.base_component import Component

from signals.errors import SignalsError

__all__ = ["bug_alert", "error_alert"]


def error_alert(error: SignalsError) -> Component:
    """A problem with a known cause: the same four parts as on the command line."""
    parts = (("Where", error.where), ("Expected", error.expected), ("Hint", error.hint))
    rows = [html.Div([html.Dt(name), html.Dd(text)]) for name, text in parts if text]
    return html.Div(
        [
            html.P(_sentence(error.what), className="alert-title"),
            *([html.Dl(rows)] if rows else []),
        ],
        className="alert alert-error",
        role="alert",
    )


def bug_alert(error_id: str) -> Component:
    """A problem without a known cause: its id in the log."""
    return html.Div(
        [
            html.P(f"Internal error {error_id}", className="alert-title"),
            html.P("This is a bug. The terminal that runs the dashboard shows the details."),
        ],
        className="alert alert-error",
        role="alert",
    )


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "?", "!")) else ".")
