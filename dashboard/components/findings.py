"""Findings, reasons and conditions: remarks about data, analysis and signals."""

from __future__ import annotations

from collections.abc import Sequence

from dash import html
from dash.development.base_component import Component

from dashboard.components.text import count_text
from dashboard.components.verdict import severity_chip
from signals.schema import Finding
from signals.study.score import Remark

__all__ = ["finding_list", "remark_list"]

_ORDER = {"error": 0, "warning": 1, "info": 2}


def finding_list(findings: Sequence[Finding]) -> Component:
    """Findings, the gravest first; says so if there are none."""
    if not findings:
        return html.P("No findings.", className="quiet")
    ordered = sorted(findings, key=lambda f: _ORDER[f.severity])
    return html.Ul([_finding(f) for f in ordered], className="findings")


def _finding(finding: Finding) -> Component:
    about = f"{finding.subject}: " if finding.subject else ""
    done = f" ({finding.action})" if finding.action else ""
    return html.Li([
        severity_chip(finding.severity),
        html.Span(
            [
                html.Span(f"{about}{finding.text}{done}"),
                html.Span(
                    [html.Code(finding.code), f" × {count_text(finding.count)}"], className="code-line"
                ),
            ],
            className="finding-text",
        ),
    ])


def remark_list(remarks: Sequence[Remark], *, subject: str) -> list[Component]:
    """Reasons or conditions as sentences about a signal.

    Args:
        remarks: what the study remarked.
        subject: the signal's title, which begins each sentence that has none.

    Returns:
        One list item per remark; nothing if there are none.
    """
    return [
        html.Li([html.Span(_sentence(r.text, subject)), html.Code(r.code, className="code-line")])
        for r in remarks
    ]


def _sentence(text: str, subject: str) -> str:
    body = text if text[:1].isupper() else f"{subject} {text}"
    return body if body.endswith((".", "!", "?")) else f"{body}."
