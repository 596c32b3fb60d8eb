"""Time series that Datadog's graphs download as CSV."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import polars as pl

from signals.errors import InputError
from signals.schema import Finding
from signals.store.parsed import Chunk, ReadOptions, Reject, Series, Source
from signals.store.sources.cells import epoch_unit_of, numbers_of, rejects_of, stamps_of, texts_of
from signals.store.sources.datadog_query import Remarks, name_query, read_query, read_tags
from signals.store.sources.legend import Legend, name_legends
from signals.store.sources.rollup import StepWatch
from signals.store.sources.stamps import StampReader
from signals.store.sources.table import TablePart, head_names, open_table, require_columns

__all__ = ["DATADOG_CSV"]

_HEADER = ("time", "timestamp", "metric", "group", "value")
# the epoch first: the other column is the same time, as text
_TIMES = ("timestamp", "time")
_KEYS = ("metric", "group")
_MAX_SERIES = 100_000


def _detect(head: bytes, path: Path) -> float:
    names = set(head_names(head, path))
    if set(_HEADER) <= names:
        return 1.0
    return 0.7 if {"metric", "group", "value"} <= names and names & set(_TIMES) else 0.0


def _read(path: Path, options: ReadOptions) -> Iterator[Chunk]:
    names, parts = open_table(path)
    time = next((name for name in _TIMES if name in names), _TIMES[0])
    require_columns(names, [time, *_KEYS, "value"], path, "Datadog's download")
    keys = _keys(parts, path)
    remarks = Remarks()
    legends = [_legend(metric, group, remarks) for metric, group in keys.iter_rows()]
    series, findings = name_legends(legends, options, str(path))
    rows = _Rows(path, time, options, keys)
    for part in open_table(path)[1]:
        yield rows.chunk(part, series)
    yield Chunk(findings=(*findings, *remarks.findings(options.columns), *rows.findings()))


def _keys(parts: Iterator[TablePart], path: Path) -> pl.DataFrame:
    """Distinct `metric` and `group`, String, in the file's order.

    Raises:
        InputError: there is none, or more than any graph has.
    """
    keys = pl.DataFrame(schema=dict.fromkeys(_KEYS, pl.String))
    rows = 0
    for part in parts:
        rows += part.frame.height + len(part.rejects)
        keys = pl.concat([keys, _texts(part.frame)]).unique(maintain_order=True)
        if keys.height > _MAX_SERIES:
            raise InputError(
                f"the table names more than {_MAX_SERIES} series",
                where=str(path),
                expected="the series of a graph",
            )
    if rows == 0 or not keys.height:
        raise InputError(
            "the table has a header but no row", where=str(path), expected="rows of values"
        )
    return keys


def _texts(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.select(texts_of(frame[name]).fill_null("").alias(name) for name in _KEYS)


def _legend(metric: str, group: str, remarks: Remarks) -> Legend:
    labels = read_tags(group.strip("{}").split(","))
    query = read_query(metric)
    if query is None:
        return Legend(metric or "value", labels=labels, nameless=True)
    return name_query(query, labels, ("", ""), remarks, text=metric)


class _Rows:
    """Reads the rows of series that are named by now."""

    def __init__(self, path: Path, time: str, options: ReadOptions, keys: pl.DataFrame) -> None:
        self._source = f"{path}, column '{time}'"
        self._time = time
        self._options = options
        self._keys = keys.with_row_index("series")
        self._stamps: StampReader | None = None
        self._steps = StepWatch()

    def chunk(self, part: TablePart, series: Sequence[Series]) -> Chunk:
        """One part's samples, in the file's order."""
        frame, lines = part.frame, part.lines
        numbers = _texts(frame).join(self._keys, on=list(_KEYS), how="left", maintain_order="left")[
            "series"
        ]
        times = frame[self._time]
        stamps = stamps_of(times, lines, self._reader(times), numbers)
        values, bad = numbers_of(frame["value"])
        lost = stamps.is_null()
        rejects: list[Reject] = [*part.rejects, *rejects_of(lost, times, lines, "bad_time")]
        rejects += rejects_of(bad & ~lost, frame["value"], lines, "bad_number")
        samples = pl.DataFrame({"series": numbers, "ts": stamps, "value": values}).filter(
            ~lost & values.is_not_null()
        )
        for _, one in samples.group_by("series", maintain_order=True):
            self._steps.take(one["ts"])
        return Chunk(
            series=tuple(series),
            samples=samples,
            rows_read=samples.height + len(rejects),
            rejects=tuple(sorted(rejects, key=lambda reject: reject.line)),
        )

    def _reader(self, times: pl.Series) -> StampReader:
        if self._stamps is None:
            self._stamps = StampReader(self._source, self._options, unit=epoch_unit_of(times))
        return self._stamps

    def findings(self) -> tuple[Finding, ...]:
        """Remarks about the whole file, once it has been read."""
        stamps = self._stamps.findings() if self._stamps is not None else ()
        return (*stamps, *self._steps.findings())


DATADOG_CSV = Source(
    name="datadog-csv",
    title="Datadog graph (CSV)",
    suffixes=(".csv", ".csv.gz"),
    detect=_detect,
    read=_read,
    marks=("timestamp", *_KEYS, "value"),
    example="time,timestamp,metric,group,value",
    export="A graph's export menu: Download as CSV.",
    load="[--map 'FORMULA=NAME[unit]']",
    traps=(
        "Formulas have no name: give each one with --map, or a single one with --as.",
        "Units are not in the file: the exporter's are taken; name others with --map "
        "'METRIC=NAME[unit]'.",
        "Counters (names that end in .count) are what was added per interval: graph them with "
        ".as_rate().",
        "avg over all sources is no total: graph sum, or group by pod_name.",
        "The layout of the download is not documented: time, timestamp (milliseconds), metric, "
        "group and value are looked for by name, other columns are passed over.",
    ),
)
