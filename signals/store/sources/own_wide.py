"""The project's wide table: a time column, one column per series or metric, and columns of labels."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from pathlib import Path

from signals.errors import InputError
from signals.store.parsed import Chunk, NameChoice, ReadOptions, Source
from signals.store.sources.header import SeriesHeader, parse_series_header, parse_time_header
from signals.store.sources.table import head_names, open_table
from signals.store.sources.table_samples import SeriesBook, TableForm, samples_of, time_reader
from signals.store.sources.wide_layout import (
    is_known,
    label_of_column,
    time_like,
    wide_layout,
)

__all__ = ["OWN_WIDE", "read_wide"]


def _detect(head: bytes, path: Path) -> float:
    names = head_names(head, path)
    if {"metric", "value"} <= set(names) or len(names) < 2:
        return 0.0
    if parse_time_header(names) is None:
        # some other table; its error says how to name the time
        return 0.3 if time_like(names) else 0.0
    known = any(is_known(_lenient_header(name)) for name in names if not label_of_column(name))
    return 0.9 if known else 0.4


def _lenient_header(text: str) -> SeriesHeader:
    """A column's header, an unknown unit being no error yet."""
    try:
        return parse_series_header(text, where="")
    except InputError:
        return SeriesHeader(text)


def _read(path: Path, options: ReadOptions) -> Iterator[Chunk]:
    return read_wide(path, options, options.columns)


def read_wide(
    path: Path, options: ReadOptions, columns: Mapping[str, NameChoice]
) -> Iterator[Chunk]:
    """Read a table of the wide form.

    Args:
        path: CSV, JSON or Parquet.
        options: zone, time zero, and what the user named.
        columns: names and units of columns by the file's header, the user's and those that a format knows.

    Raises:
        InputError: the table is broken as a whole, or has no column that means anything.
    """
    names, parts = open_table(path, columns)
    first = next(parts, None)
    if first is None:
        raise _no_row(path)
    layout = wide_layout(names, first.frame, path)
    form = TableForm(
        path=path,
        time=layout.time.column,
        keys=tuple(layout.labels),
        values=tuple(layout.numbers),
        series=layout.series,
        subject="column",
        named=not _headers(options.columns).isdisjoint(layout.numbers),
    )
    book = SeriesBook(form)
    reader = time_reader(
        path,
        layout.time,
        options,
        first.frame[layout.time.column],
        # rows of many things share their times
        rising="loosely" if layout.labels else "strictly",
    )
    rows = 0
    for part in itertools.chain([first], parts):
        rows += part.frame.height + len(part.rejects)
        yield from samples_of(part, form, book, reader)
    if rows == 0:
        raise _no_row(path)
    yield Chunk(findings=(*layout.findings, *book.findings(), *reader.findings()))


def _headers(columns: Mapping[str, NameChoice]) -> set[str]:
    """The headers that the user's names make."""
    return {f"{one.name} [{one.unit}]" if one.unit else one.name for one in columns.values()}


def _no_row(path: Path) -> InputError:
    return InputError(
        "the table has a header but no row", where=str(path), expected="rows of values"
    )


OWN_WIDE = Source(
    name="own-wide",
    title="own wide table",
    suffixes=(".csv", ".csv.gz", ".json", ".parquet"),
    detect=_detect,
    read=_read,
    example="ts,prefill:prefill_tps [tokens/s],decode/pod-a#0:gpu_util [%]",
    export="Any table with a time column, such as `frame.to_parquet('gpus.parquet')` of ts, host, "
    "gpu, gpu_util.",
    load="[--map 'COLUMN=ts[s]'] [--map 'COLUMN=NAME[unit]'] [--map 'COLUMN=label:NAME']",
    traps=(
        "Where the time column is called something else, say `--format own-wide` beside each `--map`: nothing else tells the form.",
        "Columns of labels (pod, instance, host, gpu, UUID, pool, role ...) say what a row is about; others "
        "become labels with --map 'COLUMN=label:NAME'.",
        "A column of text that is no label is left out, with the finding text_column.",
        "Units are read from the header or --map; they are never guessed from values.",
        "Times without a zone need --tz. `ts_s` counts seconds from --start; `clock_s` counts them on a clock "
        "without a zero (monotonic): its first row is at --start.",
        "A bare epoch column is read by its size, with the finding epoch_unit_inferred.",
        "A JSON table (records, or a data frame's index of records) needs --format own-wide.",
    ),
)
