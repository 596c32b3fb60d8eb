"""Verdicts and severities as chips: a word and a colour, never the colour alone."""

from __future__ import annotations

from dash import html
from dash.development.base_component import Component

from signals.report.words import verdict_title
from signals.study.score import Verdict

__all__ = ["severity_chip", "verdict_chip"]


def verdict_chip(verdict: Verdict) -> Component:
    """The class of a signal."""
    return html.Span(verdict_title(verdict), className=f"chip chip-{verdict.replace('_', '-')}")


def severity_chip(severity: str) -> Component:
    """How much a finding matters."""
    return html.Span(severity, className=f"chip chip-{severity}")
