"""Findings, reasons and conditions: remarks about data, analysis and signals."""

from __future__ import annotations

from collections.abc import Sequence

from dash import html
from dash.development.base_component import Component

from dashboard.components.verdict import severity_chip
from signals.report.words import count_text, finding_text, remark_sentence
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
    return html.Li(
        [
            severity_chip(finding.severity),
            html.Span(
                [
                    html.Span(finding_text(finding)),
                    html.Span(
                        [html.Code(finding.code), f" × {count_text(finding.count)}"],
                        className="code-line",
                    ),
                ],
                className="finding-text",
            ),
        ]
    )


def remark_list(remarks: Sequence[Remark]) -> Component:
    """Reasons or conditions, one sentence each."""
    return html.Ul(
        [
            html.Li([html.Span(remark_sentence(r)), html.Code(r.code, className="code-line")])
            for r in remarks
        ]
    )
