"""The figures of a series that findings are told from, and words for them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import polars as pl

from signals.schema import Finding
from signals.units import format_quantity

__all__ = [
    "ENOUGH",
    "ENOUGH_AT_BOUND",
    "SECOND",
    "STATISTICS",
    "Judge",
    "by_metric",
    "least",
    "most",
    "some",
    "span",
    "times",
    "total",
]

STATISTICS: dict[str, pl.DataType | type[pl.DataType]] = {
    "series_id": pl.Int32,
    "target_id": pl.Int32,
    "metric": pl.String,
    "measurement": pl.String,
    "part": pl.String,
    "kind": pl.String,
    "family": pl.String,
    "unit_stored": pl.String,
    "samples": pl.Int64,
    "first_us": pl.Int64,
    "last_us": pl.Int64,
    "falls": pl.Int64,
    "spacing_us": pl.Float64,
    "least_spacing_us": pl.Int64,
    "most_spacing_us": pl.Int64,
    "gaps": pl.Int64,
    "lowest": pl.Float64,
    "highest": pl.Float64,
    "longest_still": pl.Int64,
    "last_still": pl.Int64,
    "last_value": pl.Float64,
    "nans": pl.Int64,
}
"""Columns of `series_findings`, of what one load brought: times in microseconds, values in the stored unit."""

SECOND = 1_000_000
"""Microseconds."""
ENOUGH = 20
"""Samples of one series in a load from which on a value that never moves says something."""
ENOUGH_AT_BOUND = 10
"""The same for a share that is always 1: a signal that is full seldom is so by chance."""
Judge = Callable[[pl.DataFrame], Iterator[Finding]]
"""Takes rows of STATISTICS and says what it finds."""


def by_metric(frame: pl.DataFrame) -> Iterator[tuple[str, pl.DataFrame]]:
    """The rows of each metric, metrics in order of their names."""
    for (metric,), rows in frame.sort("metric", "series_id").group_by(
        "metric", maintain_order=True
    ):
        yield str(metric), rows


def total(rows: pl.DataFrame, column: str) -> int:
    """Sum of a column of counts."""
    return int(rows[column].sum())


def least(rows: pl.DataFrame, column: str = "lowest") -> float:
    """Smallest value of a column."""
    return float(rows[column].min())  # type: ignore[arg-type]


def most(rows: pl.DataFrame, column: str = "highest") -> float:
    """Largest value of a column."""
    return float(rows[column].max())  # type: ignore[arg-type]


def some(rows: pl.DataFrame, word: str) -> str:
    """`1 counter`, `3 counters`, `3 series`."""
    plural = word if word == "series" or rows.height == 1 else f"{word}s"
    return f"{rows.height} {plural}"


def times(count: int) -> str:
    """`once`, `3 times`."""
    return "once" if count == 1 else f"{count} times"


def span(microseconds: float) -> str:
    """Microseconds in words."""
    return format_quantity(microseconds / SECOND, "s")
