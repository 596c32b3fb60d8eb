"""The project's long table: one sample per row, every further column a label."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from signals.errors import InputError
from signals.store.parsed import Chunk, ReadOptions, Reject, Series, Source
from signals.store.sources.cells import rejects_of, texts_of
from signals.store.sources.exposition import parse_labels
from signals.store.sources.header import label_of_header, parse_series_header, parse_time_header
from signals.store.sources.table import (
    TablePart,
    clip,
    head_names,
    is_row_number,
    open_table,
    require_columns,
    row_number_findings,
)
from signals.store.sources.table_samples import (
    Cells,
    SeriesBook,
    TableForm,
    samples_of,
    time_reader,
)
from signals.store.sources.wide_layout import no_time_column

__all__ = ["OWN_LONG"]

_FORM = "the long form"
_LABEL_SET = "labels"


def _detect(head: bytes, path: Path) -> float:
    names = head_names(head, path)
    found = sum((parse_time_header(names) is not None, "metric" in names, "value" in names))
    # two of three are enough to recognise it by, so that the error can name what is missing
    return {3: 0.95, 2: 0.5}.get(found, 0.0) if "metric" in names else 0.0


def _read(path: Path, options: ReadOptions) -> Iterator[Chunk]:
    names, parts = open_table(path, options.columns)
    time = parse_time_header(names)
    if time is None:
        raise no_time_column(names, path, f"{_FORM}: columns ts, metric, value")
    require_columns(names, ["metric", "value"], path, _FORM, mapped=True)
    taken = {time.column, "metric", "value"}
    labels = [name for name in names if name not in taken and not is_row_number(name)]
    form = TableForm(
        path=path,
        time=time.column,
        keys=("metric", *labels),
        values=("value",),
        series=_Rows(path, labels).series,
    )
    book = SeriesBook(form)
    first = next(parts, None)
    if first is None:
        raise _no_row(path)
    reader = time_reader(path, time, options, first.frame[time.column], rising="loosely")
    rows = 0
    for part in itertools.chain([first], parts):
        rows += part.frame.height + len(part.rejects)
        yield from samples_of(_with_metric(part), form, book, reader)
    if rows == 0:
        raise _no_row(path)
    notes = row_number_findings(names)
    yield Chunk(findings=(*notes, *book.findings(), *reader.findings()))


def _no_row(path: Path) -> InputError:
    return InputError(
        "the table has a header but no row", where=str(path), expected="rows of values"
    )


def _with_metric(part: TablePart) -> TablePart:
    """The part without rows that name no metric, which become rejects."""
    metric = texts_of(part.frame["metric"])
    nameless = metric.is_null()
    if not nameless.any():
        return part
    rejects: list[Reject] = [
        *part.rejects,
        *rejects_of(nameless, metric.alias("metric"), part.lines, "no_metric"),
    ]
    return TablePart(part.frame.filter(~nameless), part.lines.filter(~nameless), tuple(rejects))


@dataclass(frozen=True)
class _Rows:
    """Rows of a file: what their label columns are."""

    path: Path
    labels: Sequence[str]

    def series(self, cells: Cells, column: str) -> Series:
        """The series of a row; a label of its own column comes before one of a set of labels."""
        del column  # there is one column of values
        header = parse_series_header(cells["metric"] or "", where=str(self.path))
        labels = self._label_set(cells.get(_LABEL_SET))
        for name in self.labels:
            cell = cells[name]
            if cell is not None and name != _LABEL_SET:
                labels[label_of_header(name) or name] = cell
        labels |= header.labels()
        return Series(header.name, labels, unit=header.unit, pool=labels.get("pool", ""))

    def _label_set(self, cell: str | None) -> dict[str, str]:
        """Labels of a cell such as `{pod="a",gpu="0"}`, with or without braces."""
        if cell is None:
            return {}
        text = cell if cell.startswith("{") else f"{{{cell}}}"
        found = parse_labels(f"x{text}")
        if found is None:
            raise InputError(
                f"the labels of a row cannot be read: {clip(cell)}",
                where=f"{self.path}, column '{_LABEL_SET}'",
                expected='labels as Prometheus writes them, such as pod="a",gpu="0"',
                hint=f"--map '{_LABEL_SET}=label:NAME' keeps the cell as one label",
            )
        return found[1]


OWN_LONG = Source(
    name="own-long",
    title="own long table",
    suffixes=(".csv", ".csv.gz", ".json", ".parquet"),
    detect=_detect,
    read=_read,
    marks=("ts", "metric", "value"),
    example="ts,metric,value,pool,instance,gpu,le",
    export="Any query that returns one sample per row: a time, a metric's name, a value, and its "
    "labels.",
    load="[--map 'COLUMN=ts'] [--map 'COLUMN=metric'] [--map 'COLUMN=value']",
    traps=(
        "Where headers are called something else, say `--format own-long` beside each `--map`: nothing else tells the form.",
        "Every column beside ts, metric and value is a label; a column that changes with every row makes "
        "as many series as rows.",
        "A column `labels` holds whole label sets as Prometheus writes them.",
        "A metric keeps the exporter's name (DCGM_FI_DEV_GPU_UTIL, vllm:num_requests_running), or is one of "
        "the project's names with a unit, such as `gpu_util [%]`.",
        "A distribution (metric, value, share) has no times, so there is nothing to load.",
    ),
)
