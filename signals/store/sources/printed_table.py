"""Tables of a time column and one column per series of a chart, to samples."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import polars as pl

from signals.errors import InputError
from signals.schema import Finding
from signals.store.parsed import Chunk, ReadOptions, Reject, Series
from signals.store.sources.cells import epoch_unit_of, rejects_of, stamps_of
from signals.store.sources.printed import PrintedColumn
from signals.store.sources.rollup import StepWatch
from signals.store.sources.stamps import StampReader
from signals.store.sources.table import TablePart

__all__ = ["PrintedTable"]


class PrintedTable:
    """Reads the rows of one file, part by part, and remembers what it met."""

    def __init__(
        self, path: Path, options: ReadOptions, legends: Sequence[str], series: Sequence[Series]
    ) -> None:
        """Start behind the header.

        Args:
            path: the file, for errors.
            options: zone of local times.
            legends: what the value columns are called.
            series: what each of them is.
        """
        self._path = path
        self._options = options
        self._stamps: StampReader | None = None
        self._series = series
        self._columns = [
            PrintedColumn(text, one.unit) for text, one in zip(legends, series, strict=True)
        ]
        self._steps = StepWatch()
        self._rows = 0

    def chunk(self, part: TablePart) -> Chunk:
        """One part's samples, column by column.

        Args:
            part: times as text in the first column, then a column for each series.
        """
        self._rows += part.frame.height + len(part.rejects)
        times, *columns = part.frame.get_columns()
        stamps = stamps_of(times, part.lines, self._reader(times))
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
            series=self._described(),
            samples=samples,
            rows_read=samples.height + len(rejects),
            rejects=tuple(sorted(rejects, key=lambda reject: reject.line)),
        )

    def end(self, findings: Iterable[Finding]) -> Chunk:
        """All series, and remarks about the whole file, once it has been read.

        Args:
            findings: what was known before the first row.

        Raises:
            InputError: there was no row.
        """
        if self._rows == 0:
            raise InputError(
                "the table has a header but no row",
                where=str(self._path),
                expected="rows of values",
            )
        found = [*findings]
        for column in self._columns:
            found += column.findings()
        found += self._stamps.findings() if self._stamps is not None else ()
        return Chunk(series=self._described(), findings=(*found, *self._steps.findings()))

    def _reader(self, times: pl.Series) -> StampReader:
        if self._stamps is None:
            self._stamps = StampReader(
                f"{self._path}, column '{times.name}'",
                self._options,
                unit=epoch_unit_of(times),
                rising="strictly",
            )
        return self._stamps

    def _described(self) -> tuple[Series, ...]:
        """The series, each in the unit that its cells have shown so far."""
        pairs = zip(self._series, self._columns, strict=True)
        return tuple(replace(one, unit=column.unit) for one, column in pairs)
