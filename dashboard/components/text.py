"""Times and spans as they are written on a page; everything else is worded by `signals.report.words`."""

from __future__ import annotations

from datetime import datetime

from signals.report.words import MISSING, moment_text, quantity

__all__ = ["length_text", "period_text"]

_DAY_S = 86_400


def period_text(first: datetime | None, last: datetime | None) -> str:
    """From when to when, UTC, and how long that is."""
    if first is None or last is None:
        return MISSING
    end = f"{last:%H:%M}" if first.date() == last.date() else moment_text(last)
    return f"{moment_text(first)} to {end} UTC, {length_text(first, last)}"


def length_text(first: datetime | None, last: datetime | None) -> str:
    """How long a span is; days above two of them."""
    if first is None or last is None:
        return MISSING
    seconds = (last - first).total_seconds()
    if seconds <= 2 * _DAY_S:
        return quantity(seconds, "s")
    days = seconds / _DAY_S
    return f"{days:.3g} d" if days < 100 else f"{days:,.0f} d"
