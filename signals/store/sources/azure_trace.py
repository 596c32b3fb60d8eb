"""The request traces of the Azure LLM inference data sets of 2023 and 2024."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import polars as pl

from signals.errors import InputError
from signals.schema import REQUESTS
from signals.store.parsed import Chunk, ReadOptions, Reject, Source
from signals.store.sources.cells import counts_of, rejects_of, stamps_of
from signals.store.sources.stamps import StampReader
from signals.store.sources.table import TablePart, open_table, parse_header, require_columns

__all__ = ["AZURE_TRACE"]

_TIME = "TIMESTAMP"
_COUNTS = {"ContextTokens": "prompt_tokens", "GeneratedTokens": "output_tokens"}
_COLUMNS = (_TIME, *_COUNTS)
# the data set's documentation gives the times in UTC; the files carry no zone
_ZONE = "UTC"


def _detect(head: bytes, path: Path) -> float:  # noqa: ARG001 - the content tells
    line = head.split(b"\n", 1)[0].decode("utf-8", errors="replace").strip()
    names = set(parse_header(line)[0])
    if set(_COLUMNS) <= names:
        return 1.0
    # enough to recognise it by, so that the error can name what is missing
    return 0.5 if names & set(_COUNTS) else 0.0


def _read(path: Path, options: ReadOptions) -> Iterator[Chunk]:
    names, parts = open_table(path, options.columns)
    require_columns(names, _COLUMNS, path, "the Azure LLM trace")
    zoned = replace(options, zone=options.zone or _ZONE)
    reader = StampReader(f"{path}, column '{_TIME}'", zoned)
    rows = 0
    for part in parts:
        rows += part.frame.height + len(part.rejects)
        yield _chunk(part, reader)
    if rows == 0:
        raise InputError("the table has a header but no row", where=str(path), expected="requests")
    yield Chunk(findings=reader.findings())


def _chunk(part: TablePart, reader: StampReader) -> Chunk:
    frame, lines = part.frame, part.lines
    stamps = stamps_of(frame[_TIME], lines, reader)
    lost = stamps.is_null()
    rejects: list[Reject] = [*part.rejects, *rejects_of(lost, frame[_TIME], lines, "bad_time")]
    columns = {"arrived_at": stamps}
    for name, target in _COUNTS.items():
        values, bad = counts_of(frame[name])
        bad |= frame[name].is_null()
        rejects += rejects_of(bad & ~lost, frame[name], lines, "bad_number")
        lost |= bad
        columns[target] = values
    requests = pl.DataFrame(columns).filter(~lost)
    return Chunk(
        requests=requests.select(
            pl.col(name) if name in columns else pl.lit(None, dtype).alias(name)
            for name, dtype in REQUESTS.polars().items()
        ),
        rows_read=frame.height + len(part.rejects),
        rejects=tuple(sorted(rejects, key=lambda reject: reject.line)),
    )


AZURE_TRACE = Source(
    name="azure-trace",
    title="Azure LLM inference trace (2023, 2024)",
    suffixes=(".csv", ".csv.gz"),
    detect=_detect,
    read=_read,
    example="TIMESTAMP,ContextTokens,GeneratedTokens",
)
