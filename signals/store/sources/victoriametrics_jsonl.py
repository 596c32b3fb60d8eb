"""VictoriaMetrics' `/api/v1/export`: one JSON object per line, with the values and times of a series."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import compress
from pathlib import Path

import numpy as np
import polars as pl

from signals.errors import InputError
from signals.schema import TIMESTAMP
from signals.store.parsed import Chunk, ReadOptions, Reject, Series, Source
from signals.store.sources.part import clip
from signals.store.sources.sample_chunks import SampleChunks, nameless_series
from signals.store.sources.stream import LineBlock, line_blocks

__all__ = ["VICTORIAMETRICS_JSONL"]

MAX_LINE_BYTES = 64 << 20
"""A line holds a whole series unless `max_rows_per_line` was given: three million samples."""

_METRIC, _VALUES, _TIMES, _END = b'{"metric":', b',"values":[', b'],"timestamps":[', b"]}"
_MEMBERS = ("metric", "values", "timestamps")
_NULL = "null"
_MAX_MS = 7_258_118_400_000  # the year 2200
_EXCERPT_BYTES = 800


def _detect(head: bytes, path: Path) -> float:  # noqa: ARG001 - the content tells
    first = head.lstrip().split(b"\n", 1)[0]
    if not first.startswith(b"{") or b'"resultType"' in first:
        return 0.0
    if all(f'"{name}"'.encode() in first for name in _MEMBERS):
        return 1.0
    # a long line's head ends before its times; elements of a matrix are arrays
    values = first.partition(_VALUES)[2]
    return 1.0 if first.startswith(_METRIC) and values and values[:1] not in b"[]" else 0.0


def _read(path: Path, options: ReadOptions) -> Iterator[Chunk]:
    reader = _Reader(path, options)
    for block in line_blocks(path, max_line_bytes=MAX_LINE_BYTES):
        reader.read(block)
        yield from reader.chunks.full()
    yield from reader.chunks.rest()
    if not reader.chunks.rows_read:
        raise InputError(
            "the export holds no sample",
            where=str(path),
            expected='lines such as {"metric":{"__name__":"up"},"values":[1],"timestamps":[1760000000000]}',
        )


@dataclass
class _Lists:
    """What the lines of a block say, one element per line."""

    lines: list[int] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    values: list[bytes] = field(default_factory=list)
    times: list[bytes] = field(default_factory=list)
    rejects: list[Reject] = field(default_factory=list)

    def split(self, sound: list[bool]) -> _Lists:
        """Those lines whose series is sound; the others are rejects."""
        lost = [
            Reject(line, "bad_series", clip(key), _size(values))
            for line, key, values, is_sound in zip(
                self.lines, self.keys, self.values, sound, strict=True
            )
            if not is_sound
        ]
        return _Lists(
            list(compress(self.lines, sound)),
            list(compress(self.keys, sound)),
            list(compress(self.values, sound)),
            list(compress(self.times, sound)),
            [*self.rejects, *lost],
        )


class _Reader:
    """Reads blocks of lines; `chunks` holds what they gave."""

    def __init__(self, path: Path, options: ReadOptions) -> None:
        self.chunks = SampleChunks(path)
        self._path = path
        self._options = options

    def read(self, block: LineBlock) -> None:
        """Take the series of some lines."""
        lists = self._lists(block)
        numbers = self.chunks.number(pl.Series(lists.keys, dtype=pl.String), self._describe)
        if numbers.null_count():
            lists = lists.split(numbers.is_not_null().to_list())
        sizes = [_size(values) for values in lists.values]
        rows = pl.DataFrame(
            {
                "line": np.repeat(np.array(lists.lines, dtype=np.int64), sizes),
                "series": np.repeat(numbers.drop_nulls().to_numpy(), sizes),
                "number": _cells(lists.values),
                "time": _cells(lists.times),
            }
        )
        value = pl.col("number").cast(pl.Float64, strict=False)
        time = pl.col("time").cast(pl.Int64, strict=False)
        rows = rows.with_columns(
            pl.when(pl.col("number") == _NULL).then(float("nan")).otherwise(value).alias("value"),
            pl.when(time.is_between(0, _MAX_MS, closed="left")).then(time * 1000).alias("us"),
        ).with_columns(pl.col("us").cast(TIMESTAMP).alias("ts"))
        bad = rows["value"].is_null() | rows["ts"].is_null()
        rejects = [*lists.rejects, *_reject_samples(rows.filter(bad))]
        self.chunks.add(
            rows.filter(~bad),
            rows_read=rows.height + sum(reject.count for reject in lists.rejects),
            rejects=rejects,
        )

    def _lists(self, block: LineBlock) -> _Lists:
        lists = _Lists()
        texts = block.data.split(b"\n")
        for line, written in enumerate(texts, start=block.first_line):
            text = written.strip()
            if not text:
                continue
            parts = _split(text) or _parse(text)
            if parts is None and line == block.first_line + len(texts) - 1:
                self._refuse_open_end(text, line)
            reason = "bad_line" if parts is None else _trouble(*parts)
            if parts is None or reason:
                excerpt = clip(text[:_EXCERPT_BYTES].decode("utf-8", "replace"))
                size = 1 if parts is None else max(_size(parts[1]), _size(parts[2]))
                lists.rejects.append(Reject(line, reason, excerpt, size))
            elif parts[1]:
                lists.lines.append(line)
                lists.keys.append(parts[0].decode("utf-8"))
                lists.values.append(parts[1])
                lists.times.append(parts[2])
        return lists

    def _refuse_open_end(self, text: bytes, line: int) -> None:
        """A last line without an end was cut off, and most of a series may be missing with it."""
        try:
            json.loads(text)
        except (ValueError, RecursionError) as error:
            if text.startswith(b"{"):
                raise InputError(
                    "the last line ends in the middle",
                    where=f"{self._path}, line {line}",
                    expected="one whole JSON object per line",
                    hint="copy or export it again",
                ) from error

    def _describe(self, key: str) -> Series | None:
        metric: Mapping[str, object] = json.loads(key)
        labels = {_sound(name): _sound(value) for name, value in metric.items() if value != ""}
        name = labels.pop("__name__", "")
        return (
            Series(name, labels)
            if name
            else nameless_series(labels, self._options, str(self._path))
        )


def _split(text: bytes) -> tuple[bytes, bytes, bytes] | None:
    """Labels, values and times of a line as the server writes it; None if it has another form.

    The marks cannot stand inside a label: quotes there are escaped.
    """
    middle = text.find(_VALUES)
    late = text.find(_TIMES, middle)
    if middle < 0 or late < 0 or not (text.startswith(_METRIC) and text.endswith(_END)):
        return None
    metric = text[len(_METRIC) : middle]
    parts = metric, text[middle + len(_VALUES) : late], text[late + len(_TIMES) : -len(_END)]
    if b"]" in parts[1] or b"]" in parts[2] or b" " in parts[1] or b" " in parts[2]:
        return None
    return parts if _is_object(metric) else None


def _is_object(text: bytes) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


def _parse(text: bytes) -> tuple[bytes, bytes, bytes] | None:
    """The same of any JSON object with these members; None if it is none."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict):
        return None
    metric, values, times = (found.get(name) for name in _MEMBERS)
    if not (isinstance(metric, dict) and isinstance(values, list) and isinstance(times, list)):
        return None
    return json.dumps(metric).encode(), _joined(values), _joined(times)


def _joined(cells: list[object]) -> bytes:
    texts = (cell if isinstance(cell, str) else json.dumps(cell) for cell in cells)
    return ",".join(text.replace(",", ";") for text in texts).encode("utf-8", "replace")


def _trouble(metric: bytes, values: bytes, times: bytes) -> str:  # noqa: ARG001 - a line's parts
    return "" if _size(values) == _size(times) else "unequal_lengths"


def _size(cells: bytes) -> int:
    return cells.count(b",") + 1 if cells else 0


def _cells(lists: list[bytes]) -> pl.Series:
    """All cells of some comma-separated lists; quotes around infinities taken off."""
    if not lists:
        return pl.Series([], dtype=pl.String)
    text = b",".join(lists).replace(b'"', b"").decode("utf-8")
    return pl.Series([text]).str.split(",").explode()


def _reject_samples(rows: pl.DataFrame) -> Iterator[Reject]:
    late = rows["value"].is_not_null()
    for line, number, time, is_late in zip(
        rows["line"], rows["number"], rows["time"], late, strict=True
    ):
        yield Reject(line, "bad_time" if is_late else "bad_number", clip(f"{number} at {time}"))


def _sound(text: object) -> str:
    """A label's text without halves of surrogate pairs, which JSON allows and no database does."""
    return str(text).encode("utf-8", "replace").decode()


VICTORIAMETRICS_JSONL = Source(
    name="victoriametrics-jsonl",
    title="VictoriaMetrics export (JSON lines)",
    suffixes=(".jsonl", ".jsonl.gz"),
    detect=_detect,
    read=_read,
    marks=_MEMBERS,
    example='{"metric":{"__name__":"vllm:num_requests_waiting","pod":"decode-0"},"values":[3],"timestamps":[1780300815000]}',
    export="`curl -H 'Accept-Encoding: gzip' SERVER/api/v1/export -d "
    "'match[]={__name__=~\"vllm:.*\"}' > export.jsonl.gz`",
    traps=(
        "Times are milliseconds; null stands for NaN, such as a staleness marker, and is kept as NaN.",
        "The server keeps the values of a block in decimal under one power of ten: last digits of small values "
        "beside large ones are gone before the export.",
        "One series may span several lines, in any order.",
        "The server de-duplicates by -dedup.minScrapeInterval unless reduce_mem_usage=1 is given.",
        "A last line that ends in the middle stops the load: most of a series may be missing.",
    ),
)
