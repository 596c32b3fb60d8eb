"""The project's request table: one request per row, as its client saw it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import polars as pl

from signals.errors import InputError
from signals.schema import Finding
from signals.store.parsed import Chunk, ReadOptions, Source
from signals.store.sources.header import parse_header_unit, parse_time_header, split_unit
from signals.store.sources.request_part import RequestField, request_chunk
from signals.store.sources.stamps import StampReader
from signals.store.sources.table import clip, head_names, open_table, require_columns

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
        require_columns(names, ["arrived_at", *_NEEDED], path, _FORM, mapped=True)
        raise AssertionError(names)  # a column `arrived_at` that is no time header cannot be
    fields = _fields(names, path)
    require_columns(
        names, ["arrived_at", *_NEEDED], path, _FORM, known={"arrived_at", *fields}, mapped=True
    )
    reader = StampReader(f"{path}, column '{time.column}'", options, unit=time.unit)
    other: dict[str, int] = {}
    rows = 0
    for part in parts:
        rows += part.frame.height + len(part.rejects)
        chunk = request_chunk(part, reader, time.column, fields)
        if chunk.requests is not None:
            _count_statuses(chunk.requests, other)
        yield chunk
    if rows == 0:
        raise InputError("the table has a header but no row", where=str(path), expected="requests")
    findings = [
        *reader.findings(),
        *_unused(names, {time.column, *(one.column for one in fields.values())}),
        *_other_statuses(other),
    ]
    yield Chunk(findings=tuple(findings))


def _fields(names: list[str], path: Path) -> dict[str, RequestField]:
    """Columns of the form by the field's name; latencies may name another unit, `ttft_s [ms]`."""
    fields = {}
    for name in names:
        base, unit_text = split_unit(name)
        if base in {*_COUNTS, *_TEXTS}:
            fields[base] = RequestField(name)
        elif base in _SECONDS:
            where = f"{path}, column '{name}'"
            unit = parse_header_unit(unit_text or "s", where=where)
            if unit.base != "s":
                raise InputError(
                    f"'{unit_text}' is no unit of time", where=where, expected="s or ms"
                )
            fields[base] = RequestField(name, unit.factor)
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


def _count_statuses(requests: pl.DataFrame, other: dict[str, int]) -> None:
    for word, count in requests["status"].drop_nulls().value_counts().iter_rows():
        if word not in _STATUSES:
            other[word] = other.get(word, 0) + count


OWN_REQUESTS = Source(
    name="own-requests",
    title="own request table",
    suffixes=(".csv", ".csv.gz", ".parquet"),
    detect=_detect,
    read=_read,
    marks=("arrived_at", *_NEEDED),
    example="arrived_at,prompt_tokens,output_tokens,cached_tokens,ttft_s,e2e_s,status",
    export="Any query of a gateway's or an engine's request log that returns one request per row.",
    load="[--map 'COLUMN=arrived_at'] [--map 'COLUMN=output_tokens']",
    traps=(
        "Where headers are called something else, say `--format own-requests` beside each `--map`: nothing else tells the form.",
        "Needed are arrived_at, prompt_tokens and output_tokens; cached_tokens, "
        "asked_output_tokens, ttft_s, e2e_s, status and session are taken where they are there.",
        "arrived_at is when the client sent the request: the time of its log line is as a rule "
        "the time of its end.",
        "An empty cell is missing, not 0, and the request stays an arrival.",
        "ttft_s and e2e_s are seconds from the arrival; a header may name another unit, as in "
        "`ttft_s [ms]`.",
        "Statuses are ok, rejected, timeout, cancelled and error; other words are kept and "
        "counted as error.",
    ),
)
