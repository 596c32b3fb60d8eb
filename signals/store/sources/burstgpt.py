"""The BurstGPT request traces: seconds since local midnight of the first day."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import polars as pl

from signals.errors import InputError
from signals.schema import Finding
from signals.store.parsed import Chunk, ReadOptions, Source
from signals.store.sources.arrivals import ArrivalWatch
from signals.store.sources.request_part import RequestField, request_chunk
from signals.store.sources.stamps import StampReader
from signals.store.sources.table import head_names, open_table, require_columns

__all__ = ["BURSTGPT"]

_TIME = "Timestamp"
_COUNTS = {
    "prompt_tokens": RequestField("Request tokens"),
    "output_tokens": RequestField("Response tokens"),
}
_MORE = {"session": RequestField("Session ID"), "e2e_s": RequestField("Elapsed time")}
_COLUMNS = (_TIME, *(field.column for field in _COUNTS.values()))


def _detect(head: bytes, path: Path) -> float:
    names = set(head_names(head, path))
    if not {"Request tokens", "Response tokens"} <= names:
        return 0.0
    return 1.0 if _TIME in names else 0.5


def _read(path: Path, options: ReadOptions) -> Iterator[Chunk]:
    names, parts = open_table(path, options.columns)
    require_columns(names, _COLUMNS, path, "the BurstGPT trace")
    fields = {**_COUNTS, **{k: field for k, field in _MORE.items() if field.column in names}}
    reader = StampReader(f"{path}, column '{_TIME}'", options, unit="s", relative="start")
    watch = ArrivalWatch()
    rows = failed = 0
    for part in parts:
        rows += part.frame.height + len(part.rejects)
        chunk = request_chunk(part, reader, _TIME, fields, needed=_COUNTS)
        if chunk.requests is not None:
            watch.watch(chunk.requests["arrived_at"])
            requests = chunk.requests.with_columns(status=_status())
            failed += requests.filter(pl.col("status") == "error").height
            chunk = replace(chunk, requests=requests)
        yield chunk
    if rows == 0:
        raise InputError("the table has a header but no row", where=str(path), expected="requests")
    yield Chunk(
        findings=(
            *reader.findings(),
            *_failures(failed, rows),
            *watch.quantised(),
            *watch.near_idle(),
        )
    )


def _status() -> pl.Expr:
    return pl.when(pl.col("output_tokens") == 0).then(pl.lit("error")).otherwise(pl.lit("ok"))


def _failures(failed: int, rows: int) -> list[Finding]:
    if not failed:
        return []
    return [
        Finding(
            "failed_requests",
            "info",
            f"{failed} of {rows} requests have no response token",
            count=failed,
            subject="status",
            action="kept as arrivals with status error",
        )
    ]


BURSTGPT = Source(
    name="burstgpt",
    title="BurstGPT trace",
    suffixes=(".csv", ".csv.gz"),
    detect=_detect,
    read=_read,
    marks=_COLUMNS,
    example="Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type",
    export="Download a CSV of HPMLL/BurstGPT: BurstGPT_1.csv or BurstGPT_2.csv; BurstGPT_3.csv has "
    "sessions.",
    load="--start TIME",
    traps=(
        "Timestamp counts seconds from local midnight of the first day: --start says when that "
        "was, or they count from 1970.",
        "Failures have zero response tokens (n/0/n or 0/0/0): they stay arrivals, with the "
        "status error.",
        "The trace begins almost idle; a window from its head makes every rule look good.",
        "Equal stamps are different requests: nothing is merged.",
    ),
)
