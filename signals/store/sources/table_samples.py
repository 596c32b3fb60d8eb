"""Rows of tables to samples: which series a row's cells belong to, and their values and times."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Literal

import polars as pl

from signals.catalog.naming import match
from signals.errors import InputError
from signals.schema import Finding
from signals.store.parsed import Chunk, ReadOptions, Reject, Series
from signals.store.sources.bound import has_bad_bound
from signals.store.sources.cells import numbers_of, rejects_of, stamps_of, texts_of
from signals.store.sources.header import TimeHeader
from signals.store.sources.sample_chunks import check_series
from signals.store.sources.stamps import StampReader
from signals.store.sources.stray import are_strays
from signals.store.sources.table import TablePart, clip

__all__ = ["SeriesBook", "TableForm", "samples_of", "time_reader"]

_CHUNK_SAMPLES = 1_000_000
_SHOWN = 10
_WHOLE = 2.0**53
# a century; the calendar ends where longer ones are taken off it
_MOST_CLOCK_S = 3.2e9
Cells = Mapping[str, str | None]


@dataclass(frozen=True)
class TableForm:
    """How a table's cells make series: rows of equal keys belong together, and each value column is one series of theirs.

    Attributes:
        path: the table, for errors.
        time: the time column.
        keys: columns whose cells tell series apart; none if the header alone does.
        values: columns of numbers.
        series: the series of some keys' cells and a value column.
        subject: what a finding about a series names: its `metric`, or the `column` it stands in.
        named: whether the user gave a column its name, so that a name of their own is no mistake.
    """

    path: Path
    time: str
    keys: tuple[str, ...]
    values: tuple[str, ...]
    series: Callable[[Cells, str], Series]
    subject: Literal["metric", "column"] = "metric"
    named: bool = False


class SeriesBook:
    """Numbers the distinct series of a table, part by part, and knows which names the catalog lacks."""

    def __init__(self, form: TableForm) -> None:
        """Start at the head of a table."""
        self._form = form
        self._groups: dict[tuple[str | None, ...], tuple[Series, ...]] = {}
        self._troubles: list[InputError] = []
        self._known = 0
        self._unknown: dict[str, int] = {}

    def number(self, frame: pl.DataFrame) -> tuple[tuple[Series, ...], pl.Series]:
        """Series of a part, and where those of a row begin.

        Args:
            frame: the part's rows.

        Returns:
            The series, and UInt32[rows]: the index of the row's first value column, the others following it; null
            where the row names no sound series.

        Raises:
            InputError: the table has more series than any fleet, or more than a few cells name an unknown unit or
                labels that cannot be read.
        """
        width = len(self._form.values)
        if not self._form.keys:
            index = pl.repeat(0, frame.height, dtype=pl.UInt32, eager=True)
            return self._group(()), index
        names = list(self._form.keys)
        # numbers are compared faster than texts
        coded = frame.select(_codes(frame[name]).alias(name) for name in names)
        distinct = coded.with_row_index("\0row").unique(
            subset=names, keep="first", maintain_order=True
        )
        first_rows = frame.select(names)[distinct["\0row"]]
        cells = pl.DataFrame([_key_of(column) for column in first_rows.iter_columns()])
        found = [self._group(row) for row in cells.iter_rows()]
        if self._troubles and not are_strays(len(self._troubles), len(self._groups)):
            raise self._troubles[0]
        sound = pl.Series([bool(group) for group in found], dtype=pl.Boolean)
        before = (sound.cast(pl.UInt32).cum_sum() - 1) * width
        numbered = distinct.drop("\0row").with_columns(
            before.cast(pl.UInt32).set(~sound, None).alias("\0first")
        )
        index = coded.join(numbered, on=names, how="left", nulls_equal=True, maintain_order="left")[
            "\0first"
        ]
        return tuple(one for group in found for one in group), index

    def _group(self, key: tuple[str | None, ...]) -> tuple[Series, ...]:
        known = self._groups.get(key)
        if known is not None:
            return known
        form = self._form
        check_series((len(self._groups) + 1) * len(form.values), form.path)
        cells = dict(zip(form.keys, key, strict=True))
        made = self._describe(cells)
        for one, column in zip(made, form.values, strict=bool(made)):
            self._note(one, column)
        self._groups[key] = made
        return made

    def _describe(self, cells: Cells) -> tuple[Series, ...]:
        """The series of a row's cells; none if one of them is unsound."""
        form = self._form
        try:
            made = tuple(form.series(cells, column) for column in form.values)
        except InputError as error:
            if not form.keys:
                raise
            self._troubles.append(error)
            return ()
        return () if form.keys and any(map(has_bad_bound, made)) else made

    def _note(self, series: Series, column: str) -> None:
        if match(series.metric, series.labels, "") is not None:
            self._known += 1
            return
        subject = series.metric if self._form.subject == "metric" else column
        self._unknown[subject] = self._unknown.get(subject, 0) + 1

    def findings(self) -> list[Finding]:
        """One for each name that the catalog lacks, once the table has been read.

        Raises:
            InputError: it knows none of them, and the user named none.
        """
        columns = self._form.subject == "column"
        hint = "name columns with --map 'COLUMN=NAME[unit]'"
        long = "; a table with a metric's name in each row is the long form: --format own-long"
        if self._unknown and not self._known and not self._form.named:
            raise InputError(
                "no column is a known signal, measurement or metric"
                if columns
                else "no metric of the file is a known signal, measurement or metric",
                where=f"{self._form.path}: {clip(', '.join(list(self._unknown)[:_SHOWN]))}",
                expected="columns such as `decode:decode_tps [tokens/s]` (signals catalog)"
                if columns
                else "names of the catalog or of a known exporter (signals catalog)",
                hint=hint + long if columns else "",
            )
        return [
            Finding(
                "unknown_name",
                "warning",
                f"{self._form.subject} '{clip(subject)}' is not in the catalog",
                count=count,
                subject=clip(subject),
                action="kept under its own name" + (f"; {hint}" if columns else ""),
            )
            for subject, count in self._unknown.items()
        ]


def _codes(column: pl.Series) -> pl.Series:
    """Numbers that are equal where cells are."""
    if column.dtype.is_integer():
        return column
    text = column if column.dtype == pl.String else column.cast(pl.String, strict=False)
    return text.cast(pl.Categorical).to_physical()


def _key_of(column: pl.Series) -> pl.Series:
    """Cells that name things, as text: `0` for a whole number that a data frame made `0.0`."""
    if column.dtype.is_float():
        known = column.drop_nulls().drop_nans()
        if ((known == known.floor()) & (known.abs() < _WHOLE)).all():
            column = column.fill_nan(None).cast(pl.Int64)
    return texts_of(column)


def time_reader(
    path: Path,
    time: TimeHeader,
    options: ReadOptions,
    head: pl.Series,
    *,
    rising: Literal["strictly", "loosely"],
) -> StampReader:
    """Reader of a table's time column.

    Args:
        path: the table, for errors.
        time: the column.
        options: zone and time zero.
        head: the first cells of the column: those of a clock without a zero begin at `--start`.
        rising: as in StampReader.
    """
    if time.clock and options.start is not None:
        known = head.cast(pl.Float64, strict=False).drop_nulls()
        sane = known.filter(known.is_between(-_MOST_CLOCK_S, _MOST_CLOCK_S))
        # cut off below a microsecond, as the times are
        zero = options.start - timedelta(microseconds=int(sane[0] * 1e6) if len(sane) else 0)
        options = replace(options, start=zero)
    return StampReader(
        f"{path}, column '{time.column}'",
        options,
        unit=time.unit,
        relative="start" if time.relative else "",
        rising=rising,
    )


def samples_of(
    part: TablePart, form: TableForm, book: SeriesBook, reader: StampReader
) -> Iterator[Chunk]:
    """Chunks of one part of a table.

    Args:
        part: rows.
        form: which columns are what.
        book: the table's series.
        reader: of the time column.

    Yields:
        At most about a million samples each; the rejects of times come with the first.
    """
    series, first = book.number(part.frame)
    if first.null_count():
        part, first = _sound_rows(part, form, first)
    times = part.frame[form.time]
    stamps = stamps_of(times, part.lines, reader, first if form.keys else None)
    lost = stamps.is_null()
    waiting: Sequence[Reject] = [
        *part.rejects,
        *rejects_of(lost, times, part.lines, "bad_time"),
    ]
    rows = max(1, _CHUNK_SAMPLES // max(1, len(form.values)))
    if form.keys and len(form.values) > 1:
        yield _side_by_side(part, form, (series, first, stamps), waiting)
        return
    columns = {"first": first, "ts": stamps, "lost": lost, "line": part.lines}
    for start in range(0, max(part.frame.height, 1), rows):
        piece = pl.DataFrame({name: one.slice(start, rows) for name, one in columns.items()})
        yield _melt(part.frame.slice(start, rows), piece, form.values, series, waiting)
        waiting = ()


def _sound_rows(part: TablePart, form: TableForm, first: pl.Series) -> tuple[TablePart, pl.Series]:
    """The rows that name a sound series, and its index; the others are rejects."""
    lost = first.is_null()
    cells = [texts_of(part.frame[name]).fill_null("") for name in form.keys]
    named = pl.DataFrame(cells).select(pl.concat_str(pl.all(), separator=", ").alias("series"))
    rejects = rejects_of(lost, named["series"], part.lines, "bad_series")
    kept = TablePart(part.frame.filter(~lost), part.lines.filter(~lost), (*part.rejects, *rejects))
    return kept, first.drop_nulls()


def _side_by_side(
    part: TablePart,
    form: TableForm,
    numbered: tuple[tuple[Series, ...], pl.Series, pl.Series],
    waiting: Sequence[Reject],
) -> Chunk:
    """Rows of a table as they are.

    Args:
        part: rows.
        form: which columns are what.
        numbered: series, index of each row's first one, and times.
        waiting: rejects to go along.
    """
    series, first, stamps = numbered
    lost = stamps.is_null()
    rejects = list(waiting)
    columns = [first.alias("series"), stamps.alias("ts")]
    samples = 0
    for offset, name in enumerate(form.values):
        values, bad = numbers_of(part.frame[name])
        rejects += rejects_of(bad & ~lost, part.frame[name], part.lines, "bad_number")
        columns.append(values.alias(str(offset)))
    rows = pl.DataFrame(columns)
    if lost.any():
        rows = rows.filter(~lost)
    samples = sum(len(one) - one.null_count() for one in rows.iter_columns()) - 2 * rows.height
    return Chunk(
        series=series,
        rows=rows,
        rows_read=samples + len(rejects),
        rejects=tuple(sorted(rejects, key=lambda reject: reject.line)),
    )


def _melt(
    cells: pl.DataFrame,
    rows: pl.DataFrame,
    columns: Sequence[str],
    series: tuple[Series, ...],
    waiting: Sequence[Reject],
) -> Chunk:
    """Samples of some rows, column after column.

    Args:
        cells: the table's rows.
        rows: their `first` series, `ts`, `lost` time and `line`.
        columns: of values.
        series: of the part.
        waiting: rejects to go along.
    """
    rejects = list(waiting)
    frames = []
    for offset, name in enumerate(columns):
        values, bad = numbers_of(cells[name])
        rejects += rejects_of(bad & ~rows["lost"], cells[name], rows["line"], "bad_number")
        frames.append(
            rows.select(pl.col("first") + pl.lit(offset, pl.UInt32), "ts", values.alias("value"))
            .rename({"first": "series"})
            .filter(values.is_not_null() & ~rows["lost"])
        )
    samples = pl.concat(frames)
    return Chunk(
        series=series,
        samples=samples,
        rows_read=samples.height + len(rejects),
        rejects=tuple(sorted(rejects, key=lambda reject: reject.line)),
    )
