"""AIBrix' traces for its autoscaling benchmarks: milliseconds from the start, and tokens."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from signals.errors import InputError
from signals.schema import Finding
from signals.store.parsed import Chunk, ReadOptions, Source
from signals.store.sources.arrivals import ArrivalWatch
from signals.store.sources.request_part import RequestField, request_chunk
from signals.store.sources.stamps import StampReader
from signals.store.sources.table import head_names, open_table, require_columns

__all__ = ["AIBRIX_TRACE"]

_TIME = "timestamp_ms"
_FIELDS = {name: RequestField(name) for name in ("prompt_tokens", "output_tokens")}


def _detect(head: bytes, path: Path) -> float:
    return 1.0 if {_TIME, *_FIELDS} <= set(head_names(head, path)) else 0.0


def _read(path: Path, options: ReadOptions) -> Iterator[Chunk]:
    names, parts = open_table(path, options.columns)
    require_columns(names, (_TIME, *_FIELDS), path, "the AIBrix trace")
    reader = StampReader(f"{path}, column '{_TIME}'", options, unit="ms", relative="start")
    watch = ArrivalWatch()
    rows = unknown = 0
    for part in parts:
        rows += part.frame.height + len(part.rejects)
        chunk = request_chunk(part, reader, _TIME, _FIELDS, needed=("prompt_tokens",))
        if chunk.requests is not None:
            watch.watch(chunk.requests["arrived_at"])
            unknown += chunk.requests["output_tokens"].null_count()
        yield chunk
    if rows == 0:
        raise InputError("the table has a header but no row", where=str(path), expected="requests")
    yield Chunk(findings=(*reader.findings(), *_unknown(unknown), *watch.quantised()))


def _unknown(count: int) -> list[Finding]:
    if not count:
        return []
    return [
        Finding(
            "no_output_length",
            "info",
            f"{count} requests have no output length",
            count=count,
            subject="output_tokens",
            action="kept as arrivals, left missing",
        )
    ]


AIBRIX_TRACE = Source(
    name="aibrix-trace",
    title="AIBrix autoscaling trace",
    suffixes=(".csv", ".csv.gz"),
    detect=_detect,
    read=_read,
    marks=(_TIME, *_FIELDS),
    example="timestamp_ms,prompt_tokens,output_tokens",
    export="The autoscaling workloads of vllm-project/aibrix, one request a row.",
    load="--start TIME",
    traps=(
        "Times are milliseconds from the start of the workload: --start says when that was, or "
        "they count from 1970.",
        "A row without an output length is an arrival all the same: the length stays missing, "
        "it is not 0.",
    ),
)
