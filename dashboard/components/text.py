"""How values are written on a page."""

from __future__ import annotations

from datetime import datetime

from signals.plots.scorecard import as_ratio
from signals.schema import Estimate
from signals.units import format_quantity

__all__ = ["MISSING", "count_text", "moment_text", "quantity", "range_text", "share_text", "span_text"]

MISSING = "–"


def quantity(value: float | None, unit: str) -> str:
    """A value with its unit, as people write it; errors in log units are written as the share they are off."""
    if unit == "ln":
        return share_text(None if value is None else as_ratio(value), digits=3)
    return format_quantity(value, unit).strip()


def range_text(estimate: Estimate, unit: str) -> str:
    """The 95 % interval, or nothing if there is none."""
    if estimate.low is None or estimate.high is None:
        return ""
    low, high = quantity(estimate.low, unit), quantity(estimate.high, unit)
    return f"{low.removesuffix(' %')} to {high}" if low.endswith(" %") else f"{low} to {high}"


def share_text(value: float | None, *, digits: int = 4) -> str:
    """A share 0..1 in per cent."""
    return MISSING if value is None else f"{value * 100:.{digits}g} %"


def count_text(value: float | None) -> str:
    """A count with thin spaces between thousands."""
    return MISSING if value is None else f"{int(value):,}".replace(",", "\u202f")


def moment_text(value: datetime | None) -> str:
    """A time to the minute."""
    return MISSING if value is None else f"{value:%Y-%m-%d %H:%M}"


def span_text(first: datetime | None, last: datetime | None) -> str:
    """From when to when, and how long that is."""
    if first is None or last is None:
        return MISSING
    end = f"{last:%H:%M}" if first.date() == last.date() else moment_text(last)
    return f"{moment_text(first)} to {end} UTC, {quantity((last - first).total_seconds(), 's')}"
