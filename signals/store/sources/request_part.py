"""Rows of a request log, as a table has them, to rows of the request form."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import polars as pl

from signals.schema import REQUESTS
from signals.store.parsed import Chunk, Reject
from signals.store.sources.cells import counts_of, numbers_of, rejects_of, stamps_of, texts_of
from signals.store.sources.part import TablePart
from signals.store.sources.stamps import StampReader

__all__ = ["RequestField", "complete_requests", "request_chunk"]

_COUNTS = frozenset({"prompt_tokens", "cached_tokens", "output_tokens", "asked_output_tokens"})
_SECONDS = frozenset({"ttft_s", "e2e_s"})
_TEXTS = frozenset({"status", "session"})


@dataclass(frozen=True, slots=True)
class RequestField:
    """Where a field of a request stands.

    Attributes:
        column: the log's header.
        factor: seconds per unit of it, for latencies.
    """

    column: str
    factor: float = 1.0


def request_chunk(
    part: TablePart,
    reader: StampReader,
    time: str,
    fields: Mapping[str, RequestField],
    *,
    needed: Collection[str] = (),
) -> Chunk:
    """Rows of a request log in the request form.

    Args:
        part: rows as the log has them.
        reader: of the arrivals.
        time: column of the arrivals.
        fields: columns of the log by the request form's name; `block_hashes` is a List(Int64) column.
        needed: fields without which a row is rejected; others may be empty.

    Returns:
        A chunk without the rows whose cells are no numbers or times; each of them is a reject.
    """
    frame, lines = part.frame, part.lines
    stamps = stamps_of(frame[time], lines, reader)
    lost = stamps.is_null()
    rejects: list[Reject] = [*part.rejects, *rejects_of(lost, frame[time], lines, "bad_time")]
    columns = {"arrived_at": stamps}
    for name, field in fields.items():
        column = frame[field.column]
        values, bad = _read(name, column, field.factor)
        if name in needed:
            bad |= column.is_null()
        rejects += rejects_of(bad & ~lost, column, lines, "bad_number")
        lost |= bad
        columns[name] = values
    return Chunk(
        requests=complete_requests(pl.DataFrame(columns).filter(~lost)),
        rows_read=frame.height + len(part.rejects),
        rejects=tuple(sorted(rejects, key=lambda reject: reject.line)),
    )


def _read(name: str, column: pl.Series, factor: float) -> tuple[pl.Series, pl.Series]:
    if name in _COUNTS:
        return counts_of(column)
    if name in _SECONDS:
        values, bad = _durations_of(column)
        return (values if factor == 1.0 else values * factor), bad
    values = texts_of(column) if name in _TEXTS else column
    return values, pl.repeat(value=False, n=column.len(), eager=True, dtype=pl.Boolean)


def _durations_of(column: pl.Series) -> tuple[pl.Series, pl.Series]:
    values, bad = numbers_of(column)
    finite = values.is_finite().fill_null(value=False)
    # NaN is how some logs write a missing latency
    bad |= values.is_infinite().fill_null(value=False) | (values < 0).fill_null(value=False)
    return values.set(~finite, None), bad


def complete_requests(requests: pl.DataFrame) -> pl.DataFrame:
    """All columns of the request form, in its order and types; null where the log has none."""
    return requests.select(
        pl.col(name).cast(dtype) if name in requests.columns else pl.lit(None, dtype).alias(name)
        for name, dtype in REQUESTS.polars().items()
    )
