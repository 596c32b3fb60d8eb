"""The project's wide table: a time column and one column per series."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import polars as pl

from signals.catalog.naming import match
from signals.catalog.pools import POOLS
from signals.errors import InputError
from signals.schema import Finding
from signals.store.parsed import Chunk, ReadOptions, Reject, Series, Source
from signals.store.sources.cells import numbers_of, rejects_of, stamps_of
from signals.store.sources.header import SeriesHeader, parse_series_header, parse_time_header
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

__all__ = ["OWN_WIDE"]

_FORM = "the wide form"


def _detect(head: bytes, path: Path) -> float:
    names = head_names(head, path)
    if parse_time_header(names) is None or {"metric", "value"} <= set(names):
        return 0.0
    known = sum(_is_known(_lenient_header(name)) for name in names)
    return 0.9 if known else 0.4 if len(names) > 1 else 0.0


def _lenient_header(text: str) -> SeriesHeader:
    """A column's header, an unknown unit being no error yet."""
    try:
        return parse_series_header(text, where="")
    except InputError:
        return SeriesHeader(text)


def _is_known(header: SeriesHeader) -> bool:
    return match(header.name, _labels(header), "") is not None


def _labels(header: SeriesHeader) -> dict[str, str]:
    pairs = {"pool": header.pool, "instance": header.instance, "gpu": header.gpu}
    return {name: value for name, value in pairs.items() if value}


def _read(path: Path, options: ReadOptions) -> Iterator[Chunk]:
    names, parts = open_table(path, options.columns)
    time = parse_time_header(names)
    if time is None:
        require_columns(names, ["ts"], path, _FORM)
        raise AssertionError(names)  # a column `ts` that is no time header cannot be
    columns = [name for name in names if name != time.column and not is_row_number(name)]
    headers = {name: parse_series_header(name, where=str(path)) for name in columns}
    findings = [*row_number_findings(names), *_check_names(headers, path)]
    _refuse_same_series(headers, path)
    series = tuple(
        Series(header.name, _labels(header), unit=header.unit, pool=header.pool)
        for header in headers.values()
    )
    reader = StampReader(
        f"{path}, column '{time.column}'",
        options,
        unit=time.unit,
        relative="start" if time.relative else "",
        rising="strictly",
    )
    rows = 0
    for part in parts:
        rows += part.frame.height + len(part.rejects)
        yield _chunk(part, time.column, list(headers), series, reader)
    if rows == 0:
        raise InputError(
            "the table has a header but no row", where=str(path), expected="rows of values"
        )
    yield Chunk(series=series, findings=(*findings, *reader.findings()))


def _refuse_same_series(headers: Mapping[str, SeriesHeader], path: Path) -> None:
    columns: dict[SeriesHeader, str] = {}
    for column, header in headers.items():
        first = columns.setdefault(replace(header, unit=""), column)
        if first != column:
            raise InputError(
                f"columns '{clip(first)}' and '{clip(column)}' name the same series",
                where=f"{path}, header",
                expected="every series once",
                hint="tell them apart by their instance: pool/instance#gpu:name",
            )


def _check_names(headers: Mapping[str, SeriesHeader], path: Path) -> list[Finding]:
    unknown = [column for column, header in headers.items() if not _is_known(header)]
    if len(unknown) == len(headers):
        raise InputError(
            "no column is a known signal, measurement or metric",
            where=f"{path}, header: {clip(', '.join(headers))}",
            expected="columns such as `decode:decode_tps [tokens/s]` (signals catalog)",
            hint="name columns with --map 'COLUMN=NAME[unit]'",
        )
    findings = [
        Finding(
            "unknown_name",
            "warning",
            f"column '{clip(column)}' is not in the catalog",
            subject=clip(column),
            action="kept under its own name; name it with --map 'COLUMN=NAME[unit]'",
        )
        for column in unknown
    ]
    findings += [
        Finding(
            "unknown_pool",
            "warning",
            f"pool '{header.pool}' of column '{clip(column)}' is none of {', '.join(POOLS)}",
            subject=clip(column),
            action="kept; signals are computed for the pools named",
        )
        for column, header in headers.items()
        if header.pool and header.pool not in POOLS
    ]
    return findings


def _chunk(
    part: TablePart,
    time: str,
    columns: list[str],
    series: tuple[Series, ...],
    reader: StampReader,
) -> Chunk:
    stamps = stamps_of(part.frame[time], part.lines, reader)
    lost = stamps.is_null()
    rejects: list[Reject] = [*part.rejects]
    rejects += rejects_of(lost, part.frame[time], part.lines, "bad_time")
    frames = []
    for index, name in enumerate(columns):
        column = part.frame[name]
        values, bad = numbers_of(column)
        rejects += rejects_of(bad & ~lost, column, part.lines, "bad_number")
        frame = pl.DataFrame({"ts": stamps, "value": values}).filter(~lost & ~bad)
        frames.append(
            frame.drop_nulls("value").select(
                pl.lit(index, dtype=pl.UInt32).alias("series"), "ts", "value"
            )
        )
    samples = pl.concat(frames)
    return Chunk(
        series=series,
        samples=samples,
        rows_read=samples.height + len(rejects),
        rejects=tuple(sorted(rejects, key=lambda reject: reject.line)),
    )


OWN_WIDE = Source(
    name="own-wide",
    title="own wide table",
    suffixes=(".csv", ".csv.gz", ".parquet"),
    detect=_detect,
    read=_read,
    example="ts,prefill:prefill_tps [tokens/s],decode/pod-a#0:gpu_util [%]",
)
