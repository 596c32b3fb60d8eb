"""What `dcgmi dmon` prints: GPU fields of one host, round after round, without any times."""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from signals.catalog.naming import match
from signals.errors import InputError
from signals.schema import Finding
from signals.store.parsed import Chunk, ReadOptions, Reject, Series, Source
from signals.store.sources.cells import text_cells
from signals.store.sources.header import known_unit
from signals.store.sources.sample_buffer import SampleBuffer
from signals.store.sources.stream import LineBlock, line_blocks
from signals.store.sources.table import clip

__all__ = ["DCGMI_DMON"]

_HEADER = re.compile(r"^\s*#\s*Entity\b")
_UNITS = re.compile(r"^\s*I[dD]\b")
_ROW = re.compile(r"^\s*([A-Za-z][A-Za-z-]*)\s+(\d+)(?=\s|$)(.*)$")
_TOKEN = re.compile(r"\S+")
_STOPPED = "dmon was stopped"
_MISSING = frozenset({"N/A", "-"})
_LABELS = {"GPU": "gpu", "GPU-I": "GPU_I_ID", "GPU-CI": "GPU_I_ID"}
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LOOKED_AT = 20
_MAX_COLUMNS = 1000


def _detect(head: bytes, path: Path) -> float:  # noqa: ARG001 - the content tells
    lines = head.decode("utf-8", errors="replace").splitlines()[:_LOOKED_AT]
    return 1.0 if any(_HEADER.match(line) for line in lines) else 0.0


def _read(path: Path, options: ReadOptions) -> Iterator[Chunk]:
    monitor = _Monitor(path, _clock(path, options))
    for block in line_blocks(path):
        yield monitor.read(block)
    yield Chunk(findings=monitor.findings())


@dataclass(frozen=True, slots=True)
class _Clock:
    """When rounds were printed: `start_us` microseconds since the epoch, then every `step_us`."""

    start_us: int
    step_us: float

    def at(self, number: int) -> int:
        """Microseconds since the epoch of a round, from 0."""
        return self.start_us + round(number * self.step_us)


def _clock(path: Path, options: ReadOptions) -> _Clock:
    step = options.interval_s
    if options.start is None or step is None:
        wanted = ["--start"] * (options.start is None) + ["--interval"] * (step is None)
        raise InputError(
            f"dcgmi dmon prints no times, so it needs {' and '.join(wanted)}",
            where=str(path),
            expected="the time of the first round, and the time between rounds (the -d of dmon)",
            hint="for example --start 2026-06-01T08:00:00Z --interval 1s",
        )
    if not (math.isfinite(step) and step > 0):
        raise InputError(
            f"an interval of {step:g} s is not possible",
            where="--interval",
            expected="more than 0 s",
        )
    return _Clock((options.start - _EPOCH) // timedelta(microseconds=1), step * 1e6)


@dataclass(frozen=True, slots=True)
class _Column:
    """A field of the header.

    Attributes:
        metric: its short name.
        unit: what stands below it, if that is a unit and the catalog knows the field by no other one.
        known: whether the catalog knows it, so that its cells must be numbers.
        begin: where it begins on the line.
    """

    metric: str
    unit: str
    known: bool
    begin: int


class _Monitor:
    """Reads blocks of lines; remembers the header, the rounds and the series."""

    def __init__(self, path: Path, clock: _Clock) -> None:
        self._path = path
        self._clock = clock
        self._buffer = SampleBuffer()
        self._names: list[re.Match[str]] = []
        self._columns: list[_Column] = []
        self._known: dict[tuple[str, str], Series] = {}
        self._rows: dict[str, list[Series]] = {}  # below the header
        self._ranks: dict[str, int] = {}
        self._last_rank = -1
        self._round = -1
        self._parent = ""
        self._missing = 0
        self._texts: Counter[str] = Counter()
        self._instances = 0

    def read(self, block: LineBlock) -> Chunk:
        """Samples of one block of lines."""
        for line, text in enumerate(block.data.decode("utf-8").split("\n"), block.first_line):
            if not text.strip() or text.lstrip().startswith(_STOPPED):
                continue
            if _HEADER.match(text):
                self._open(text)
            elif self._names and not _ROW.match(text) and _UNITS.match(text):
                self._set_units(text)
            else:
                self._take(line, text.rstrip())
        return self._buffer.flush()

    def _open(self, text: str) -> None:
        after = text.index("Entity") + len("Entity")
        self._rows.clear()
        self._names = list(itertools.islice(_TOKEN.finditer(text, after), _MAX_COLUMNS + 1))
        if len(self._names) > _MAX_COLUMNS:
            raise InputError(
                f"the header has more than {_MAX_COLUMNS} columns",
                where=f"{self._path}: {clip(text)}",
                expected="the fields of one dmon",
            )
        self._columns = [_column(name[0], "", name.start()) for name in self._names]

    def _set_units(self, text: str) -> None:
        """Units stand below their column's name, at its left or at its right edge."""
        self._rows.clear()
        units: dict[int, str] = {}
        found = _UNITS.match(text)
        tokens = _TOKEN.finditer(text, found.end() if found else 0)
        for unit in itertools.islice(tokens, len(self._names)):
            distances = [
                min(abs(unit.start() - name.start()), abs(unit.end() - name.end()))
                for name in self._names
            ]
            if distances:
                units[distances.index(min(distances))] = unit[0]
        self._columns = [
            _column(name[0], units.get(number, ""), name.start())
            for number, name in enumerate(self._names)
        ]

    def _take(self, line: int, text: str) -> None:
        found = _ROW.match(text)
        if found is None or not self._columns:
            reason = "bad_line" if found is None else "no_header"
            self._buffer.reject(Reject(line, reason, clip(text)))
            return
        kind, number, rest = found.groups()
        cells = self._cells(text, rest)
        if cells is None:
            self._buffer.reject(Reject(line, "wrong_column_count", clip(text)))
            return
        entity = f"{kind} {number}"
        time_us = self._clock.at(self._count(entity))
        if kind == "GPU":
            self._parent = number
        self._instances += kind in {"GPU-I", "GPU-CI"}
        for column, series, cell in zip(self._columns, self._series(entity), cells, strict=True):
            try:
                self._buffer.add(series, time_us, float(cell))
            except ValueError:
                self._note(line, f"{entity}, {column.metric}: {cell}", column, cell)

    def _cells(self, text: str, rest: str) -> list[str] | None:
        """The values of a row; told by the header's columns if one of them is empty or has blanks."""
        cells = rest.split()
        if len(cells) == len(self._columns):
            return cells
        begins = [column.begin for column in self._columns]
        if any(0 < begin < len(text) and not text[begin - 1].isspace() for begin in begins):
            return None
        ends = [*begins[1:], len(text)]
        cut = [text[begin:end].strip() for begin, end in zip(begins, ends, strict=True)]
        return cut if sum(len(cell.split()) for cell in cut) == len(cells) and cells else None

    def _count(self, entity: str) -> int:
        """The round of a row: the next one begins where the order of entities starts over."""
        rank = self._ranks.setdefault(entity, len(self._ranks))
        if rank <= self._last_rank or self._round < 0:
            self._round += 1
        self._last_rank = rank
        return self._round

    def _note(self, line: int, text: str, column: _Column, cell: str) -> None:
        """Count a cell that holds no number."""
        if cell in _MISSING or not cell:
            self._missing += 1
        elif column.known:
            self._buffer.reject(Reject(line, "bad_number", clip(text)))
        else:
            self._texts[column.metric] += 1

    def _series(self, entity: str) -> list[Series]:
        """The series of an entity below the header, one for each column."""
        found = self._rows.get(entity)
        if found is None:
            labels = self._labels(entity)
            found = self._rows[entity] = [
                self._known.setdefault(
                    (entity, column.metric), Series(column.metric, labels, unit=column.unit)
                )
                for column in self._columns
            ]
        return found

    def _labels(self, entity: str) -> dict[str, str]:
        kind, _, number = entity.partition(" ")
        name = _LABELS.get(kind)
        if name is None:
            return {"entity": entity}
        if kind == "GPU":
            return {name: number}
        instance = {name: number if kind == "GPU-I" else f"ci{number}"}
        return {"gpu": self._parent, **instance} if self._parent else instance

    def findings(self) -> tuple[Finding, ...]:
        """Remarks about the whole file.

        Raises:
            InputError: it holds no header or no row.
        """
        if self._round < 0:
            raise InputError(
                "no row of values was found" if self._columns else "no header was found",
                where=str(self._path),
                expected="a line that begins with #Entity, and rows such as GPU 0  97  0.913",
            )
        found = [
            Finding(
                "times_counted",
                "info",
                f"{self._round + 1} rounds were timed by --start and --interval",
                count=self._round + 1,
                action="a pause of dmon between them cannot be seen: load each run by itself",
            )
        ]
        if self._missing:
            text = f"{self._missing} cells hold no value (N/A)"
            found.append(
                Finding("missing_cells", "info", text, self._missing, action="left missing")
            )
        found += [text_cells(name, count) for name, count in sorted(self._texts.items())]
        if self._instances:
            found.append(
                Finding(
                    "mig_instances",
                    "info",
                    f"{self._instances} rows are of MIG instances, in the numbering of DCGM",
                    count=self._instances,
                    action="kept apart from their GPU, which is listed too",
                )
            )
        return tuple(found)


def _column(name: str, unit: str, begin: int) -> _Column:
    known = match(name, {"gpu": "0"}, "") is not None
    return _Column(name, "" if known else known_unit(unit), known, begin)


DCGMI_DMON = Source(
    name="dcgmi-dmon",
    title="dcgmi dmon",
    suffixes=(".txt", ".log", ".txt.gz"),
    detect=_detect,
    read=_read,
    open_end="warning",
    example="#Entity   GPUTL     SMACT     POWER",
    export="`dcgmi dmon -e 203,252,155,1001,1002,1003,1004,1005 -d 1000 > dmon.txt`",
    load="--start TIME --interval DURATION",
    traps=(
        "It prints no times: they are counted from --start in steps of --interval (the -d of dmon).",
        "A pause or a restart inside one file shifts all later times, so load each run by itself.",
        "Columns are read by the header, which repeats; N/A is missing and counted.",
        "GPU utilisation (GPUTL) is in percent, the profiling fields (SMACT, TENSO, DRAMA) are ratios.",
        "It names no host: load each host as its own --service, or its GPU 0 is everybody's.",
    ),
)
