"""VictoriaMetrics' `/api/v1/export/csv`: no header; what its columns hold is the request's `format`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from signals.errors import InputError
from signals.schema import Finding
from signals.store.parsed import Chunk, ReadOptions, Reject, Series, Source
from signals.store.sources.cells import numbers_of, rejects_of, stamps_of
from signals.store.sources.exposition import ESCAPE, unescape_go
from signals.store.sources.part import TablePart, clip
from signals.store.sources.sample_chunks import SampleChunks, nameless_series
from signals.store.sources.stamps import StampReader
from signals.store.sources.stream import LineBlock, line_blocks, read_head
from signals.store.sources.table import csv_parts, parse_header

__all__ = ["VICTORIAMETRICS_CSV"]

_NAME, _VALUE, _TIME = "__name__", "__value__", "__timestamp__"
_FORMAT = "format"
_UNITS = {"unix_s": "s", "unix_ms": "ms", "unix_ns": "ns", "rfc3339": "", "": ""}
_METRIC = re.compile(r"^[a-zA-Z_:][a-zA-Z0-9_:]*$")
_STAMP = re.compile(r"^(?:1\d{9}|1\d{12}|1\d{18}|20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\S*)$")
_NUMBER = re.compile(r"^[+-]?(?:\d+\.?\d*(?:[eE][+-]?\d+)?|Inf|NaN)$")
_LOOKED_AT = 20
_MARK = "\x1f"
_STAND_INS = {ord("\n"): "\x1e", ord("\r"): "\x1d"}
_LINE_ENDS = {0x1E: "\n", 0x1D: "\r"}
_QUOTED = re.compile(r'"((?:[^"\\\n]|\\[^\n])*)"')
_NEEDED = 3


def _detect(head: bytes, path: Path) -> float:  # noqa: ARG001 - the content tells
    lines = head.decode("utf-8", errors="replace").splitlines()[:_LOOKED_AT]
    rows = [parse_header(_plain_quotes(line))[0] for line in lines if line.strip()]
    if len(rows) > 1 and len(lines) == len(rows) < _LOOKED_AT:
        rows = rows[:-1]  # the head may end inside a line
    return 0.8 if rows and all(map(_is_row, rows)) and len({len(row) for row in rows}) == 1 else 0.0


def _is_row(cells: list[str]) -> bool:
    """Whether a line has a time, a value and, as every export is told to have, a metric's name."""
    stamps = sum(_STAMP.match(cell) is not None for cell in cells)
    numbers = sum(_NUMBER.match(cell) is not None for cell in cells)
    dated = sum(_STAMP.match(cell) is not None and _NUMBER.match(cell) is None for cell in cells)
    named = any(_METRIC.match(cell) for cell in cells if _NUMBER.match(cell) is None)
    return len(cells) >= _NEEDED and stamps >= 1 and numbers + dated > 1 and named


@dataclass(frozen=True)
class _Columns:
    """What the columns hold.

    Attributes:
        names: of all, as the request's `format` gives them, times without their unit.
        unit: of times; empty to tell it from the value.
    """

    names: list[str]
    unit: str

    @property
    def labels(self) -> list[str]:
        return [name for name in self.names if name not in {_VALUE, _TIME}]


def _read(path: Path, options: ReadOptions) -> Iterator[Chunk]:
    columns = _columns(path, options)
    reader = _Reader(path, options, columns)
    blocks = map(_plain_block, line_blocks(path))
    for part in csv_parts(blocks, columns.names, ",", path):
        reader.read(part)
        yield from reader.chunks.full()
    yield from reader.chunks.rest()
    if not reader.chunks.rows_read:
        raise InputError("the export holds no sample", where=str(path), expected="rows of samples")
    yield Chunk(findings=reader.findings())


class _Reader:
    """Reads parts of the table; `chunks` holds what they gave."""

    def __init__(self, path: Path, options: ReadOptions, columns: _Columns) -> None:
        self.chunks = SampleChunks(path)
        self._path = path
        self._options = options
        self._columns = columns
        self._stamps = StampReader(f"{path}, column '{_TIME}'", options, unit=columns.unit)

    def read(self, part: TablePart) -> None:
        """Take the samples of some rows."""
        frame, lines = part.frame, part.lines
        keys = _keys(frame, self._columns.labels)
        values, bad = numbers_of(frame[_VALUE])
        bad = bad | frame[_VALUE].is_null()
        times = stamps_of(frame[_TIME], lines, self._stamps)
        late = times.is_null() & ~bad
        series = self.chunks.number(keys, self._describe)
        rejects: list[Reject] = [
            *part.rejects,
            *rejects_of(bad, frame[_VALUE], lines, "bad_number"),
        ]
        rejects += rejects_of(late, frame[_TIME], lines, "bad_time")
        lost = series.is_null() & ~bad & ~late
        rejects += [
            Reject(line, "bad_series", clip(key.replace(_MARK, ",").translate(_LINE_ENDS)))
            for line, key in zip(lines.filter(lost), keys.filter(lost), strict=True)
        ]
        samples = pl.DataFrame({"series": series, "ts": times, "value": values})
        self.chunks.add(
            samples.filter(~bad & ~late & ~lost),
            rows_read=frame.height + len(part.rejects),
            rejects=rejects,
        )

    def _describe(self, key: str) -> Series:
        cells = zip(self._columns.labels, key.translate(_LINE_ENDS).split(_MARK), strict=False)
        labels = {name: cell for name, cell in cells if cell}
        name = labels.pop(_NAME, "")
        return (
            Series(name, labels)
            if name
            else nameless_series(labels, self._options, str(self._path))
        )

    def findings(self) -> tuple[Finding, ...]:
        """Remarks about the whole file."""
        return self._stamps.findings()


def _plain_block(block: LineBlock) -> LineBlock:
    if b'"' not in block.data:
        return block
    return replace(block, data=_plain_quotes(block.data.decode("utf-8")).encode())


def _plain_quotes(text: str) -> str:
    """Cells that the server quotes as Go does, with backslashes, quoted as CSV is; line ends get stand-ins."""
    return _QUOTED.sub(_requote, text)


def _requote(found: re.Match[str]) -> str:
    cell = ESCAPE.sub(unescape_go, found[1]).translate(_STAND_INS)
    return '"' + cell.replace('"', '""') + '"'


def _keys(frame: pl.DataFrame, labels: list[str]) -> pl.Series:
    """What tells series apart, as one text per row."""
    if not labels:
        return pl.repeat("", frame.height, eager=True)
    cells = [pl.col(name).fill_null("") for name in labels]
    return frame.select(pl.concat_str(cells, separator=_MARK)).to_series()


def _columns(path: Path, options: ReadOptions) -> _Columns:
    """The request's format, as `--map` gives it: whole, or column by column.

    Raises:
        InputError: it is missing, is not the file's, or does not name a value and a time.
    """
    first = _first_row(path)
    choices = options.columns
    if _FORMAT in choices:
        written = [name.strip() for name in choices[_FORMAT].name.split(",")]
    else:
        written = [choices[at].name if at in choices else "" for at in _places(first)]
    if not any(written):
        raise _ask(path, first, "the file has no header, and nothing says what its columns hold")
    if len(written) != len(first):
        raise _ask(
            path, first, f"the format names {len(written)} columns, the file has {len(first)}"
        )
    names, unit = [], ""
    for at, (name, place) in enumerate(zip(written, _places(first), strict=True)):
        base, _, form = name.partition(":")
        if base != _TIME:
            names.append(name or f"column_{at + 1}")
            continue
        names.append(_TIME)
        unit = _UNITS.get(form, "") or (choices[place].unit if place in choices else "")
        if form not in _UNITS:
            raise _ask(path, first, f"times of the form '{clip(form)}' are not read")
    if names.count(_VALUE) != 1 or names.count(_TIME) != 1 or len(set(names)) < len(names):
        raise _ask(
            path, first, "the format must name every column once, a value and a time among them"
        )
    return _Columns(names, unit)


def _places(first: list[str]) -> list[str]:
    return [str(number) for number in range(1, len(first) + 1)]


def _first_row(path: Path) -> list[str]:
    lines = read_head(path).decode("utf-8", errors="replace").splitlines()
    line = next((line for line in lines if line.strip()), "")
    if not line:
        raise InputError("the file is empty", where=str(path), expected="rows of samples")
    return parse_header(_plain_quotes(line))[0]


def _ask(path: Path, first: list[str], what: str) -> InputError:
    return InputError(
        what,
        where=f"{path}, first row: {clip(','.join(first))}",
        expected="the format that the export was made with, one name per column",
        hint=f"give it with --map 'format={clip(_guess(first))}', or column by column with --map 1=__name__",
    )


def _guess(first: list[str]) -> str:
    """A format that fits the first row, for the user to correct."""
    names = []
    for cell in first:
        if _STAMP.match(cell) and _TIME not in names:
            names.append(_TIME)
        elif _NUMBER.match(cell) and _VALUE not in names:
            names.append(_VALUE)
        elif _METRIC.match(cell) and _NAME not in names:
            names.append(_NAME)
        else:
            names.append(f"label{len(names) + 1}")
    units = {10: ":unix_s", 13: ":unix_ms", 19: ":unix_ns"}
    at = names.index(_TIME) if _TIME in names else -1
    if at >= 0:
        names[at] += units.get(len(first[at]), ":rfc3339")
    return ",".join(names)


VICTORIAMETRICS_CSV = Source(
    name="victoriametrics-csv",
    title="VictoriaMetrics export (CSV without a header)",
    suffixes=(".csv", ".csv.gz"),
    detect=_detect,
    read=_read,
    open_end="warning",
    example="vllm:num_requests_waiting,decode-0,decode,3,1780300815000",
    export="`curl -G SERVER/api/v1/export/csv -d 'match[]=vllm:num_requests_waiting' -d "
    "'format=__name__,pod,role,__value__,__timestamp__:unix_ms' > export.csv`",
    load="--map 'format=__name__,pod,role,__value__,__timestamp__:unix_ms'",
    traps=(
        "The file does not say what its columns hold: repeat the export's format with --map format=..., "
        "or name columns by their number, --map 1=__name__ --map '5=__timestamp__[ms]'.",
        "Labels that the format left out are lost: series that differ only in them fall together.",
        "Times of the form custom: are not read; export unix_ms.",
        "Cells with commas or quotes are quoted with backslashes, which spreadsheets misread; here they come out right.",
    ),
)
