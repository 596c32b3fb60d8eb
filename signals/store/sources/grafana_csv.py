"""Tables that Grafana's panel inspector writes as CSV."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import polars as pl

from signals.errors import InputError
from signals.schema import Finding
from signals.store.parsed import Chunk, ReadOptions, Reject, Series, Source
from signals.store.sources.cells import epoch_unit_of, rejects_of, stamps_of
from signals.store.sources.legend import name_legends, read_legend
from signals.store.sources.preface import head_lines, spreadsheet_delimiter, take_preface
from signals.store.sources.printed import PrintedColumn
from signals.store.sources.rollup import StepWatch
from signals.store.sources.stamps import StampReader
from signals.store.sources.table import TablePart, clip, csv_parts

__all__ = ["GRAFANA_CSV"]

_TIME = "time"
_DELIMITERS = (",", ";", "\t")
_LOCAL = re.compile(r"\d{4}-\d{2}-\d{2} \d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?")
_EPOCH_MS = re.compile(r"\d{12,13}")


def _detect(head: bytes, path: Path) -> float:  # noqa: ARG001 - the content tells
    lines = head_lines(head)
    marked = bool(lines) and spreadsheet_delimiter(lines[0]) != ""
    lines = lines[marked:]
    header = _split(lines[0]) if lines else None
    if header is None or len(header[0]) < 2:
        return 0.0
    cells = _cells(lines[1], header[1]) if len(lines) > 1 else []
    stamp = cells[0].strip() if cells else ""
    timed = bool(_LOCAL.fullmatch(stamp) or _EPOCH_MS.fullmatch(stamp))
    if header[0][0] == "Time":
        return 0.95 if timed or marked else 0.8
    return 0.6 if timed else 0.0


def _split(line: str, delimiter: str = "") -> tuple[list[str], str] | None:
    """Cells and delimiter of a header whose first column is the time; None if it is another one."""
    for mark in delimiter or _DELIMITERS:
        cells = [cell.strip() for cell in _cells(line, mark)]
        if len(cells) > 1 and cells[0].lower() == _TIME:
            return cells, mark
    return None


def _cells(line: str, delimiter: str) -> list[str]:
    try:
        return next(csv.reader([line], delimiter=delimiter), [])
    except csv.Error:  # a cell beyond the module's limit
        return line.split(delimiter)


def _read(path: Path, options: ReadOptions) -> Iterator[Chunk]:
    def is_head(taken: Sequence[str], _line: str) -> bool:
        return not taken or (len(taken) == 1 and spreadsheet_delimiter(taken[0]) != "")

    lines, blocks = take_preface(path, is_head)
    header = _split(lines[-1], spreadsheet_delimiter(lines[0]) if len(lines) > 1 else "")
    if header is None:
        raise InputError(
            "the header does not begin with Time",
            where=f"{path}, header: {clip(lines[-1])}",
            expected="a table as Grafana's panel inspector writes it: Time, then one column per series",
            hint="check the file, or name another form with --format",
        )
    (time, *legends), delimiter = header
    _refuse_repeats([time, *legends], path)
    series, findings = name_legends([read_legend(text) for text in legends], options, str(path))
    reader = _Reader(path, options, legends, series)
    rows = 0
    for part in csv_parts(blocks, [time, *legends], delimiter, path):
        rows += part.frame.height + len(part.rejects)
        yield reader.chunk(part)
    if rows == 0:
        raise InputError(
            "the table has a header but no row", where=str(path), expected="rows of values"
        )
    yield Chunk(series=reader.series(), findings=(*findings, *reader.findings()))


def _refuse_repeats(names: Sequence[str], path: Path) -> None:
    repeated = sorted(name for name, count in Counter(names).items() if count > 1)
    if not all(names) or repeated:
        what = f"column '{clip(repeated[0])}' appears more than once" if repeated else ""
        raise InputError(
            what or "a column has no name",
            where=f"{path}, header",
            expected="every series with a legend of its own",
            hint="give the panel's queries different legends, or export its series one by one",
        )


class _Reader:
    """Reads the rows, and remembers what it met."""

    def __init__(
        self, path: Path, options: ReadOptions, legends: Sequence[str], series: Sequence[Series]
    ) -> None:
        self._source = f"{path}, column 'Time'"
        self._options = options
        self._stamps: StampReader | None = None
        self._series = series
        self._columns = [
            PrintedColumn(text, one.unit) for text, one in zip(legends, series, strict=True)
        ]
        self._steps = StepWatch()

    def chunk(self, part: TablePart) -> Chunk:
        """One part's samples, column by column."""
        times, *columns = part.frame.get_columns()
        stamps = stamps_of(times, part.lines, self._stamp_reader(times))
        lost = stamps.is_null()
        self._steps.take(stamps)
        rejects: list[Reject] = [*part.rejects, *rejects_of(lost, times, part.lines, "bad_time")]
        frames = []
        for number, (column, printed) in enumerate(zip(columns, self._columns, strict=True)):
            values, reasons = printed.read(column)
            bad = reasons.is_not_null() & ~lost
            for reason in reasons.filter(bad).unique(maintain_order=True):
                rejects += rejects_of(bad & (reasons == reason), column, part.lines, reason)
            frames.append(
                pl.DataFrame({"ts": stamps, "value": values})
                .filter(~lost & values.is_not_null())
                .select(pl.lit(number, dtype=pl.UInt32).alias("series"), "ts", "value")
            )
        samples = pl.concat(frames)
        return Chunk(
            series=self.series(),
            samples=samples,
            rows_read=samples.height + len(rejects),
            rejects=tuple(sorted(rejects, key=lambda reject: reject.line)),
        )

    def _stamp_reader(self, times: pl.Series) -> StampReader:
        if self._stamps is None:
            unit = epoch_unit_of(times)
            self._stamps = StampReader(self._source, self._options, unit=unit, rising="strictly")
        return self._stamps

    def series(self) -> tuple[Series, ...]:
        """The columns' series, each in the unit that its cells have shown so far."""
        pairs = zip(self._series, self._columns, strict=True)
        return tuple(replace(one, unit=column.unit) for one, column in pairs)

    def findings(self) -> list[Finding]:
        """Remarks about the whole file, once it has been read."""
        found = [finding for column in self._columns for finding in column.findings()]
        if self._stamps is not None:
            found += self._stamps.findings()
        return [*found, *self._steps.findings()]


GRAFANA_CSV = Source(
    name="grafana-csv",
    title="Grafana panel data (CSV)",
    suffixes=(".csv", ".csv.gz"),
    detect=_detect,
    read=_read,
    example='"Time","{__name__=""DCGM_FI_DEV_GPU_UTIL"", pod=""decode-0""}","TTFT p99"',
    export="panel menu, Inspect, Data: Series joined by time, Formatted data off, Download CSV",
    load="--tz ZONE for formatted times; --map 'LEGEND=NAME[unit]' or --as NAME[unit] for legends",
    traps=(
        "Formatted times are local and have no zone: --tz names it, and the hour that happens twice in autumn is told "
        "by the order of the rows.",
        "Formatted cells carry a unit each (`412 ms`, `1.02 s` in one column) and few digits: every cell is converted "
        "by its own unit, and the digits lost are reported.",
        "A legend is no metric: name it with --map, or one value column with --as; what stays without a name is kept "
        "and reported, but is no signal.",
        "With --as and several legends, each legend is taken for an instance.",
        "A lone `B` is bytes, or billions if the column counts in K and M; commas are read as between thousands.",
        "Download for Excel writes UTF-16 with tabs, older versions `sep=,`: both are read.",
        "Points are aggregates at the panel's step, not samples: short spikes and short lags are lost.",
    ),
)
