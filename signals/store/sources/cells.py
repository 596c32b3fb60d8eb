"""Cells of table columns to numbers and times, and what is not one to a reject."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from signals.schema import TIMESTAMP, Finding
from signals.store.parsed import Reject
from signals.store.sources.stamps import StampReader, telemetry_times
from signals.store.sources.table import clip

__all__ = [
    "counts_of",
    "epoch_unit_of",
    "numbers_of",
    "rejects_of",
    "stamps_of",
    "text_cells",
    "texts_of",
]

_MAX_COUNT = 2**53


def text_cells(name: str, count: int) -> Finding:
    """What to say of a column of texts that has no place among numbers.

    Args:
        name: the column's header.
        count: cells with a text.
    """
    return Finding(
        "text_cells",
        "info",
        f"{count} values of {clip(name)} are texts",
        count=count,
        subject=clip(name),
        action="left out",
    )


def texts_of(column: pl.Series) -> pl.Series:
    """A column as text, whatever type a Parquet file gave it; blanks stripped, empty is null."""
    if column.dtype in {pl.Categorical, pl.Enum, pl.Null}:
        column = column.cast(pl.String)
    elif column.dtype != pl.String:
        column = column.cast(pl.String, strict=False)
    stripped = column.str.strip_chars()
    return stripped.set(stripped == "", None) if (stripped == "").any() else stripped


def numbers_of(column: pl.Series) -> tuple[pl.Series, pl.Series]:
    """Float64 values of a column, and which of its cells hold something that is no number."""
    if column.dtype.is_numeric():
        values = column.cast(pl.Float64)
    elif column.dtype == pl.String:
        values = column.cast(pl.Float64, strict=False)
    else:
        values = texts_of(column).cast(pl.Float64, strict=False)
    return values, values.is_null() & column.is_not_null()


def counts_of(column: pl.Series) -> tuple[pl.Series, pl.Series]:
    """Whole numbers from 0 up (`12`, `12.0`), and which cells hold something else."""
    values, bad = numbers_of(column)
    whole = (
        values.is_finite() & (values >= 0) & (values < _MAX_COUNT) & (values == values.floor())
    ).fill_null(value=False)
    bad |= values.is_not_null() & ~whole
    return values.set(~whole, None).cast(pl.Int64), bad


def stamps_of(
    column: pl.Series, lines: pl.Series, reader: StampReader, groups: pl.Series | None = None
) -> pl.Series:
    """UTC times of a column; null where a cell holds no time.

    Args:
        column: texts, numbers or, from Parquet, times.
        lines: Int64, line of each row.
        reader: the column's reader, which keeps state from part to part.
        groups: series of each row, see `StampReader.read`.
    """
    kind = column.dtype
    if isinstance(kind, pl.Datetime) and kind.time_zone is not None:
        return telemetry_times(column.dt.convert_time_zone("UTC").cast(TIMESTAMP))
    if isinstance(kind, pl.Datetime) or kind == pl.Date:
        texts = column.cast(pl.Datetime("us")).dt.strftime("%Y-%m-%d %H:%M:%S%.6f")
    else:
        texts = texts_of(column)
    return reader.read(texts, lines, groups)


def epoch_unit_of(column: pl.Series) -> str:
    """`ms` if a column of times begins with as many digits as milliseconds have, else empty."""
    first = texts_of(column.drop_nulls().head(1))
    return "ms" if len(first) and first.str.contains(r"^\d{12,13}$")[0] else ""


def rejects_of(
    bad: pl.Series, column: pl.Series, lines: pl.Series, reason: str
) -> Iterator[Reject]:
    """One reject for each marked cell, its excerpt naming the column."""
    if not bad.any():
        return
    cells = texts_of(column.filter(bad)).fill_null("")
    for line, cell in zip(lines.filter(bad), cells, strict=True):
        yield Reject(line, reason, clip(f"{column.name}: {cell}"))
