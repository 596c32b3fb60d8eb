"""Some rows of a table, in the form that all table readers share."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from signals.store.parsed import Reject

__all__ = ["TablePart", "clip"]

_EXCERPT = 200


@dataclass(frozen=True)
class TablePart:
    """Some rows of a table.

    Attributes:
        frame: the rows; String columns from CSV with blanks stripped and empty cells null, typed from Parquet.
        lines: Int64, the file's line of each row (Parquet: its 1-based number).
        rejects: records that are no row of this table.
    """

    frame: pl.DataFrame
    lines: pl.Series
    rejects: tuple[Reject, ...] = ()


def clip(text: str) -> str:
    """A record's excerpt for errors and rejects; halves of surrogate pairs become question marks."""
    sound = text[:_EXCERPT].encode("utf-8", "replace").decode()
    return sound if len(text) <= _EXCERPT else sound[: _EXCERPT - 1] + "…"
