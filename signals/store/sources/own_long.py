"""The project's long table: one sample per row, every further column a label."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import polars as pl

from signals.catalog.naming import match
from signals.errors import InputError
from signals.schema import Finding
from signals.store.parsed import Chunk, ReadOptions, Reject, Series, Source
from signals.store.sources.cells import numbers_of, rejects_of, stamps_of, texts_of
from signals.store.sources.header import parse_series_header, parse_time_header
from signals.store.sources.stamps import StampReader
from signals.store.sources.table import (
    TablePart,
    clip,
    head_names,
    is_row_number,
    open_table,
    require_columns,
    row_number_findings,
)

__all__ = ["OWN_LONG"]

_FORM = "the long form"
_MAX_SERIES = 2_000_000
_SHOWN = 10


def _detect(head: bytes, path: Path) -> float:
    names = head_names(head, path)
    found = sum((parse_time_header(names) is not None, "metric" in names, "value" in names))
    # two of three are enough to recognise it by, so that the error can name what is missing
    return {3: 0.95, 2: 0.5}.get(found, 0.0) if "metric" in names else 0.0


def _read(path: Path, options: ReadOptions) -> Iterator[Chunk]:
    names, parts = open_table(path, options.columns)
    time = parse_time_header(names)
    if time is None:
        require_columns(names, ["ts", "metric", "value"], path, _FORM)
        raise AssertionError(names)  # a column `ts` that is no time header cannot be
    require_columns(names, ["metric", "value"], path, _FORM)
    taken = {time.column, "metric", "value"}
    labels = [name for name in names if name not in taken and not is_row_number(name)]
    reader = StampReader(
        f"{path}, column '{time.column}'",
        options,
        unit=time.unit,
        relative="start" if time.relative else "",
    )
    table = _SeriesTable(path, labels)
    rows = 0
    for part in parts:
        rows += part.frame.height + len(part.rejects)
        yield _chunk(part, time.column, table, reader)
    if rows == 0:
        raise InputError(
            "the table has a header but no row", where=str(path), expected="rows of values"
        )
    notes = row_number_findings(names)
    yield Chunk(findings=(*notes, *table.findings(), *reader.findings()))


class _SeriesTable:
    """Numbers the distinct series of a file, and knows which names the catalog lacks."""

    def __init__(self, path: Path, labels: list[str]) -> None:
        self._path = path
        self._labels = labels
        self._known: dict[str, int] = {}
        self._unknown: dict[str, int] = {}
        self._seen = 0

    def number(self, frame: pl.DataFrame) -> tuple[tuple[Series, ...], pl.Series]:
        """Series of one part, and for each row the index of its series."""
        keys = frame.select("metric", *(texts_of(frame[name]).alias(name) for name in self._labels))
        distinct = keys.unique(maintain_order=True).with_row_index("series")
        self._seen += distinct.height
        if self._seen > _MAX_SERIES:
            raise InputError(
                f"the file holds more than {_MAX_SERIES} series",
                where=str(self._path),
                expected="labels that name things, not values that change with every row",
            )
        indexed = keys.join(
            distinct,
            on=["metric", *self._labels],
            how="left",
            nulls_equal=True,
            maintain_order="left",
        )
        series = tuple(self._series(row) for row in distinct.iter_rows(named=True))
        return series, indexed["series"]

    def _series(self, row: dict[str, str]) -> Series:
        labels = {name: row[name] for name in self._labels if row[name] is not None}
        header = parse_series_header(row["metric"], where=str(self._path))
        counts = self._known if match(header.name, labels, "") else self._unknown
        counts[header.name] = counts.get(header.name, 0) + 1
        labels.update(
            {
                name: value
                for name, value in (
                    ("pool", header.pool),
                    ("instance", header.instance),
                    ("gpu", header.gpu),
                )
                if value
            }
        )
        return Series(header.name, labels, unit=header.unit, pool=labels.get("pool", ""))

    def findings(self) -> list[Finding]:
        """Unknown names; an error if there is no known one."""
        if self._unknown and not self._known:
            raise InputError(
                "no metric of the file is a known signal, measurement or metric",
                where=f"{self._path}: {clip(', '.join(list(self._unknown)[:_SHOWN]))}",
                expected="names of the catalog or of a known exporter (signals catalog)",
            )
        return [
            Finding(
                "unknown_name",
                "warning",
                f"metric '{clip(name)}' is not in the catalog",
                count=count,
                subject=clip(name),
                action="kept under its own name",
            )
            for name, count in self._unknown.items()
        ]


def _chunk(part: TablePart, time: str, table: _SeriesTable, reader: StampReader) -> Chunk:
    frame = part.frame.with_columns(texts_of(part.frame["metric"]).alias("metric"))
    rejects: list[Reject] = [*part.rejects]
    nameless = frame["metric"].is_null()
    rejects += rejects_of(nameless, frame["metric"], part.lines, "no_metric")
    frame, lines = frame.filter(~nameless), part.lines.filter(~nameless)
    series, index = table.number(frame)
    stamps = stamps_of(frame[time], lines, reader, index)
    values, bad = numbers_of(frame["value"])
    lost = stamps.is_null()
    rejects += rejects_of(lost, frame[time], lines, "bad_time")
    rejects += rejects_of(bad & ~lost, frame["value"], lines, "bad_number")
    samples = (
        pl.DataFrame({"series": index.cast(pl.UInt32), "ts": stamps, "value": values})
        .filter(~lost & ~bad)
        .drop_nulls("value")
    )
    return Chunk(
        series=series,
        samples=samples,
        rows_read=samples.height + len(rejects),
        rejects=tuple(sorted(rejects, key=lambda reject: reject.line)),
    )


OWN_LONG = Source(
    name="own-long",
    title="own long table",
    suffixes=(".csv", ".csv.gz", ".parquet"),
    detect=_detect,
    read=_read,
    example="ts,metric,value,pool,instance,gpu,le",
)
