"""`promtool tsdb dump`: one line per sample, all labels on each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import polars as pl

from signals.errors import InputError
from signals.store.parsed import Chunk, ReadOptions, Reject, Series, Source
from signals.store.sources.exposition import parse_labels, unescape_go
from signals.store.sources.sample_chunks import SampleChunks
from signals.store.sources.sample_lines import reject_lines, split_block
from signals.store.sources.stamps import StampReader
from signals.store.sources.stream import line_blocks

__all__ = ["TSDB_DUMP"]

_LINE = re.compile(r'^\{(?=.*__name__=").*\} \S+ -?\d+$')
_LOOKED_AT = 20


def _detect(head: bytes, path: Path) -> float:  # noqa: ARG001 - the content tells
    lines = head.decode("utf-8", errors="replace").splitlines()[:_LOOKED_AT]
    lines = [line for line in lines if line.strip()]
    fitting = sum(_LINE.match(line) is not None for line in lines)
    return 1.0 if lines and fitting >= 0.8 * len(lines) else 0.0


def _read(path: Path, options: ReadOptions) -> Iterator[Chunk]:
    table = SampleChunks(path)
    stamps = StampReader(str(path), options, unit="ms")
    for block in line_blocks(path):
        rows = split_block(block).rows
        numbers = rows["number"].cast(pl.Float64, strict=False)
        series = table.number(rows["key"], _describe)
        bad = series.is_null() | numbers.is_null() | rows["time"].is_null()
        times = stamps.read(rows["time"].set(bad, None), rows["line"])
        late = ~bad & times.is_null()
        samples = pl.DataFrame({"series": series, "ts": times, "value": numbers})
        rejects: list[Reject] = [*reject_lines(rows.filter(bad), "bad_line")]
        rejects += reject_lines(rows.filter(late), "bad_time")
        table.add(samples.filter(~bad & ~late), rows_read=rows.height, rejects=rejects)
        yield from table.full()
    yield from table.rest()
    if not table.rows_read:
        raise InputError(
            "the dump holds no sample",
            where=str(path),
            expected='lines such as {__name__="up", pod="a"} 1 1760000000000',
            hint="a data folder made by backfilling alone needs an empty folder `wal` for promtool to dump it",
        )


def _describe(key: str) -> Series | None:
    parsed = parse_labels(key, unescape_go)
    return None if parsed is None else Series(*parsed)


TSDB_DUMP = Source(
    name="tsdb-dump",
    title="Prometheus blocks dumped by promtool",
    suffixes=(".txt", ".txt.gz"),
    detect=_detect,
    read=_read,
    open_end="warning",
    example='{__name__="vllm:num_requests_waiting", pod="decode-0"} 3 1780300815000',
    export="`promtool tsdb dump --match='{__name__=~\"vllm:.*\"}' DATA_DIR > dump.txt`",
    traps=(
        "Without --match it holds every series of the server.",
        "Stale markers come as NaN; they are kept, since they say when a series ended.",
        "Native histograms are lines of another form and are counted as rejects.",
        "A data folder without `wal` is refused by promtool: make an empty one.",
    ),
)
