"""The project's request table: one request per row, as its client saw it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from signals.errors import InputError
from signals.schema import REQUESTS, Finding
from signals.store.parsed import Chunk, ReadOptions, Reject, Source
from signals.store.sources.cells import counts_of, numbers_of, rejects_of, stamps_of, texts_of
from signals.store.sources.header import parse_header_unit, parse_time_header, split_unit
from signals.store.sources.stamps import StampReader
from signals.store.sources.table import (
    TablePart,
    clip,
    head_names,
    open_table,
    require_columns,
)

__all__ = ["OWN_REQUESTS"]

_FORM = "the request form"
_COUNTS = ("prompt_tokens", "cached_tokens", "output_tokens", "asked_output_tokens")
_SECONDS = ("ttft_s", "e2e_s")
_TEXTS = ("status", "session")
_NEEDED = ("prompt_tokens", "output_tokens")
_STATUSES = frozenset({"ok", "rejected", "timeout", "cancelled", "error"})


def _detect(head: bytes, path: Path) -> float:
    names = head_names(head, path)
    return 0.95 if parse_time_header(names, "arrived_at") else 0.0


def _read(path: Path, options: ReadOptions) -> Iterator[Chunk]:
    names, parts = open_table(path, options.columns)
    time = parse_time_header(names, "arrived_at")
    if time is None:
        require_columns(names, ["arrived_at", *_NEEDED], path, _FORM)
        raise AssertionError(names)  # a column `arrived_at` that is no time header cannot be
    fields = _fields(names, path)
    require_columns(names, ["arrived_at", *_NEEDED], path, _FORM, known={"arrived_at", *fields})
    reader = StampReader(f"{path}, column '{time.column}'", options, unit=time.unit)
    other: dict[str, int] = {}
    rows = 0
    for part in parts:
        rows += part.frame.height + len(part.rejects)
        yield _chunk(part, time.column, fields, reader, other)
    if rows == 0:
        raise InputError("the table has a header but no row", where=str(path), expected="requests")
    findings = [
        *reader.findings(),
        *_unused(names, {time.column, *(one.column for one in fields.values())}),
        *_other_statuses(other),
    ]
    yield Chunk(findings=tuple(findings))


@dataclass(frozen=True, slots=True)
class _Field:
    """Where a field of a request stands: the column's header, and seconds per unit of it."""

    column: str
    factor: float = 1.0


def _fields(names: list[str], path: Path) -> dict[str, _Field]:
    """Columns of the form by the field's name; latencies may name another unit, `ttft_s [ms]`."""
    fields = {}
    for name in names:
        base, unit_text = split_unit(name)
        if base in {*_COUNTS, *_TEXTS}:
            fields[base] = _Field(name)
        elif base in _SECONDS:
            where = f"{path}, column '{name}'"
            unit = parse_header_unit(unit_text or "s", where=where)
            if unit.base != "s":
                raise InputError(
                    f"'{unit_text}' is no unit of time", where=where, expected="s or ms"
                )
            fields[base] = _Field(name, unit.factor)
    return fields


def _unused(names: list[str], known: set[str]) -> list[Finding]:
    return [
        Finding(
            "unused_column",
            "info",
            f"column '{clip(name)}' is none of the request form",
            subject=clip(name),
            action="left out",
        )
        for name in names
        if name not in known
    ]


def _other_statuses(counts: dict[str, int]) -> list[Finding]:
    return [
        Finding(
            "unknown_status",
            "info",
            f"{count} requests have the status '{clip(word)}'",
            count=count,
            subject=clip(word),
            action="kept and counted as error",
        )
        for word, count in counts.items()
    ]


def _chunk(
    part: TablePart,
    time: str,
    fields: Mapping[str, _Field],
    reader: StampReader,
    other: dict[str, int],
) -> Chunk:
    frame, lines = part.frame, part.lines
    stamps = stamps_of(frame[time], lines, reader)
    lost = stamps.is_null()
    rejects: list[Reject] = [*part.rejects, *rejects_of(lost, frame[time], lines, "bad_time")]
    columns = {"arrived_at": stamps}
    for name, field in fields.items():
        column = frame[field.column]
        if name in _TEXTS:
            columns[name] = texts_of(column)
            continue
        values, bad = counts_of(column) if name in _COUNTS else _durations_of(column)
        rejects += rejects_of(bad & ~lost, column, lines, "bad_number")
        lost |= bad
        columns[name] = values if field.factor == 1.0 else values * field.factor
    requests = pl.DataFrame(columns).filter(~lost)
    _count_statuses(requests, other)
    return Chunk(
        requests=_complete(requests),
        rows_read=frame.height + len(part.rejects),
        rejects=tuple(sorted(rejects, key=lambda reject: reject.line)),
    )


def _durations_of(column: pl.Series) -> tuple[pl.Series, pl.Series]:
    values, bad = numbers_of(column)
    finite = values.is_finite().fill_null(value=False)
    # NaN is how some logs write a missing latency
    bad |= values.is_infinite().fill_null(value=False) | (values < 0).fill_null(value=False)
    return values.set(~finite, None), bad


def _count_statuses(requests: pl.DataFrame, other: dict[str, int]) -> None:
    if "status" not in requests.columns:
        return
    for word, count in requests["status"].drop_nulls().value_counts().iter_rows():
        if word not in _STATUSES:
            other[word] = other.get(word, 0) + count


def _complete(requests: pl.DataFrame) -> pl.DataFrame:
    schema = REQUESTS.polars()
    return requests.select(
        pl.col(name).cast(dtype) if name in requests.columns else pl.lit(None, dtype).alias(name)
        for name, dtype in schema.items()
    )


OWN_REQUESTS = Source(
    name="own-requests",
    title="own request table",
    suffixes=(".csv", ".csv.gz", ".parquet"),
    detect=_detect,
    read=_read,
    example="arrived_at,prompt_tokens,output_tokens,cached_tokens,ttft_s,e2e_s,status",
)
