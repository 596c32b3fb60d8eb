"""Text that `promtool query range` and `promtool query instant` print."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl

from signals.errors import InputError
from signals.schema import Finding, Sampling
from signals.store.parsed import Chunk, ReadOptions, Reject, Series, Source
from signals.store.sources.exposition import parse_series, unescape_go
from signals.store.sources.rollup import scraped_apart, step_finding, step_of
from signals.store.sources.sample_chunks import SampleChunks, nameless_series
from signals.store.sources.sample_lines import reject_lines, text_lines
from signals.store.sources.stamps import StampReader
from signals.store.sources.stream import LineBlock, line_blocks

__all__ = ["PROMTOOL_TEXT"]

_SAMPLE = re.compile(r"^(?:.* => |scalar: )?\S+ @\[-?[\d.]+\]$")
_ARROW = " =>"
# a line of an instant query's result, which holds its series, or a scalar
_ALONE = r"^scalar: | => "
_PARTS = r"^(?:(.*) =>|scalar:) (\S+) @\[([\d.-]+)\]$"
_LOOKED_AT = 20
# enough to tell a grid by, and all of what most queries give
_HELD_SAMPLES = 5_000_000


def _detect(head: bytes, path: Path) -> float:  # noqa: ARG001 - the content tells
    lines = head.decode("utf-8", errors="replace").splitlines()[:_LOOKED_AT]
    lines = [line.strip() for line in lines if line.strip()]
    fitting = sum(line.endswith(_ARROW) or _SAMPLE.match(line) is not None for line in lines)
    return 1.0 if lines and fitting >= 0.8 * len(lines) else 0.0


def _read(path: Path, options: ReadOptions) -> Iterator[Chunk]:
    printed = _Printed(path, options)
    for block in line_blocks(path):
        printed.read(block)
        yield from printed.chunks()
    yield from printed.rest()


class _Printed:
    """Reads blocks of lines; remembers the series that samples belong to and how they were sampled."""

    def __init__(self, path: Path, options: ReadOptions) -> None:
        self._path = path
        self._options = options
        self._table = SampleChunks(path)
        self._stamps = StampReader(str(path), options, unit="s")
        self._key: str | None = None
        self._waiting: list[Chunk] = []
        self._step_us = 0
        self._samples = 0
        self._sampling: Sampling | None = None

    def read(self, block: LineBlock) -> None:
        """Take the samples of one block of lines."""
        rows = text_lines(block)
        head = rows["text"].str.ends_with(_ARROW)
        rows = rows.with_columns(
            pl.when(head).then(pl.col("text").str.strip_suffix(_ARROW)).alias("key")
        )
        rows = rows.with_columns(
            pl.col("key").forward_fill().fill_null(pl.lit(self._key, pl.String))
        )
        self._key = rows["key"][-1] if rows.height else self._key
        self._add(_take_apart(rows.filter(~head)))

    def _add(self, rows: pl.DataFrame) -> None:
        numbers = rows["number"].cast(pl.Float64, strict=False)
        bad = numbers.is_null() | rows["time"].is_null()
        series = self._table.number(rows["key"].set(bad, None), self._describe)
        bad = bad | series.is_null()
        times = self._stamps.read(rows["time"].set(bad, None), rows["line"])
        late = ~bad & times.is_null()
        rejects: list[Reject] = [*reject_lines(rows.filter(bad), "bad_line")]
        rejects += reject_lines(rows.filter(late), "bad_time")
        samples = pl.DataFrame({"series": series, "ts": times, "value": numbers})
        self._table.add(samples.filter(~bad & ~late), rows_read=rows.height, rejects=rejects)

    def _describe(self, key: str) -> Series | None:
        parsed = parse_series(key, unescape_go)
        if parsed is None:
            return None
        name, labels = parsed
        return (
            Series(name, labels)
            if name
            else nameless_series(labels, self._options, str(self._path))
        )

    def chunks(self) -> Iterator[Chunk]:
        """Chunks that are ready; none until it is clear how the samples were taken."""
        self._wait(self._table.full())
        if self._sampling is None and self._samples < _HELD_SAMPLES:
            return
        yield from self._told()

    def rest(self) -> Iterator[Chunk]:
        """All other chunks.

        Raises:
            InputError: there was no line to read.
        """
        self._wait(self._table.rest())
        yield from self._told()
        if not self._table.rows_read and self._key is None:
            raise InputError(
                "the text holds no sample",
                where=str(self._path),
                expected="a line `metric{...} =>` and under it lines such as `0.5 @[1760000000]`",
            )
        empty = Finding("empty_result", "warning", "the result holds no sample")
        told = (step_finding(self._step_us),) if self._step_us else ()
        yield Chunk(findings=told if self._samples else (empty,))

    def _wait(self, chunks: Iterator[Chunk]) -> None:
        for chunk in chunks:
            self._waiting.append(chunk)
            self._samples += 0 if chunk.samples is None else chunk.samples.height

    def _told(self) -> Iterator[Chunk]:
        if self._sampling is None:
            exporters = scraped_apart(one for chunk in self._waiting for one in chunk.series)
            self._step_us = step_of(_times(self._waiting), exporters=exporters)
            self._sampling = "step_aligned" if self._step_us else "raw"
        for chunk in self._waiting:
            series = tuple(replace(one, sampling=self._sampling) for one in chunk.series)
            yield replace(chunk, series=series)
        self._waiting = []


def _take_apart(rows: pl.DataFrame) -> pl.DataFrame:
    """`number` and `time` of lines; `key` of those that name their series themselves."""
    halves = rows["text"].str.splitn(" @[", 2).struct.unnest()
    halves.columns = ["number", "time"]
    rows = pl.concat([rows, halves], how="horizontal").with_columns(
        pl.col("time").str.strip_suffix("]")
    )
    alone = rows["text"].str.contains(_ALONE)
    if not alone.any():
        return rows
    parts = rows["text"].str.extract_groups(_PARTS).struct.unnest()
    parts.columns = ["instant", "number", "time"]
    key = parts["instant"].fill_null("{}").alias("key")  # a scalar has neither name nor labels
    whole = pl.concat(
        [rows.select("line", "text"), key.to_frame(), parts[["number", "time"]]], how="horizontal"
    )
    return pl.concat([rows.filter(~alone), whole.filter(alone).select(rows.columns)]).sort("line")


def _times(chunks: list[Chunk]) -> list[npt.NDArray[np.int64]]:
    """Per series and chunk the times of its samples, microseconds."""
    times = []
    for chunk in chunks:
        if chunk.samples is None:
            continue
        frame = chunk.samples.select("series", pl.col("ts").to_physical())
        frame = frame.sort("series", maintain_order=True)
        edges = np.flatnonzero(np.diff(frame["series"].to_numpy())) + 1
        times += np.split(frame["ts"].to_numpy(), edges)
    return times


PROMTOOL_TEXT = Source(
    name="promtool-text",
    title="Query results printed by promtool",
    suffixes=(".txt", ".txt.gz"),
    detect=_detect,
    read=_read,
    open_end="warning",
    example='vllm:num_requests_waiting{pod="decode-0"} =>',
    export="`promtool query instant --time=END SERVER 'METRIC[6h]' > raw.txt`, or `promtool query "
    "range --start=T0 --end=T1 --step=15s SERVER QUERY > result.txt`",
    load="[--as 'NAME[unit]']",
    traps=(
        "query range shows each sample at the next step, up to five minutes old: lags widen by the step.",
        "query instant with a range such as METRIC[6h] prints raw samples at their true times.",
        "Results of expressions have no name: say what they are with --as.",
    ),
)
