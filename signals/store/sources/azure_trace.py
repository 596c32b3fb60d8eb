"""The request traces of the Azure LLM inference data sets of 2023 and 2024."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from signals.errors import InputError
from signals.store.parsed import Chunk, ReadOptions, Source
from signals.store.sources.request_part import RequestField, request_chunk
from signals.store.sources.stamps import StampReader
from signals.store.sources.table import open_table, parse_header, require_columns

__all__ = ["AZURE_TRACE"]

_TIME = "TIMESTAMP"
_FIELDS = {
    "prompt_tokens": RequestField("ContextTokens"),
    "output_tokens": RequestField("GeneratedTokens"),
}
_COUNTS = tuple(field.column for field in _FIELDS.values())
_COLUMNS = (_TIME, *_COUNTS)
# the data set's documentation gives the times in UTC; the files of 2023 carry no zone, those of 2024 an offset
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
        yield request_chunk(part, reader, _TIME, _FIELDS, needed=_FIELDS)
    if rows == 0:
        raise InputError("the table has a header but no row", where=str(path), expected="requests")
    yield Chunk(findings=reader.findings())


AZURE_TRACE = Source(
    name="azure-trace",
    title="Azure LLM inference trace (2023, 2024)",
    suffixes=(".csv", ".csv.gz"),
    detect=_detect,
    read=_read,
    marks=_COLUMNS,
    example="TIMESTAMP,ContextTokens,GeneratedTokens",
    export="Download a CSV of AzurePublicDataset: AzureLLMInferenceTrace_code or _conv (2023), or a "
    "_1week one (2024).",
    load="[--tz ZONE]",
    traps=(
        "Times have seven digits after the point: the seventh is cut, none is rounded to a second.",
        "The files of 2023 carry no zone; they are read as UTC unless --tz says otherwise.",
        "There is no status and no latency: every row is an arrival, and nothing says how it "
        "ended.",
    ),
)
