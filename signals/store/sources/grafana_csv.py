"""Tables that Grafana's panel inspector writes as CSV."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from signals.errors import InputError
from signals.store.parsed import Chunk, ReadOptions, Source
from signals.store.sources.legend import name_legends, read_legend
from signals.store.sources.preface import head_lines, spreadsheet_delimiter, take_preface
from signals.store.sources.printed_table import PrintedTable
from signals.store.sources.table import clip, csv_parts

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
    table = PrintedTable(path, options, legends, series)
    for part in csv_parts(blocks, [time, *legends], delimiter, path):
        yield table.chunk(part)
    yield table.end(findings)


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


GRAFANA_CSV = Source(
    name="grafana-csv",
    title="Grafana panel data (CSV)",
    suffixes=(".csv", ".csv.gz"),
    detect=_detect,
    read=_read,
    example='"Time","{__name__=""DCGM_FI_DEV_GPU_UTIL"", pod=""decode-0""}","TTFT p99"',
    export="Panel menu, Inspect, Data: Series joined by time, Formatted data off, Download CSV.",
    load="[--tz ZONE] [--map 'LEGEND=NAME[unit]'] [--map 'FILE=NAME[unit]']",
    traps=(
        "Formatted times are local and have no zone: --tz names it, and the hour that happens "
        "twice in autumn is told by the order of the rows.",
        "Formatted cells carry a unit each (`412 ms`, `1.02 s` in one column) and few digits: "
        "every cell is converted by its own unit, and the digits lost are reported.",
        "A legend is no metric: name it with --map, or one value column with --as; what stays "
        "without a name is kept and reported, but is no signal.",
        "With --as and several legends, each legend is taken for an instance. In a folder of panels, "
        "--map 'FILE=NAME[unit]' names each file, FILE up to its first dot.",
        "A lone `B` is bytes, or billions if the column counts in K and M; commas are read as "
        "between thousands.",
        "Download for Excel writes UTF-16 with tabs, older versions `sep=,`: both are read.",
        "Points are aggregates at the panel's step, not samples: short spikes and short lags "
        "are lost.",
    ),
)
