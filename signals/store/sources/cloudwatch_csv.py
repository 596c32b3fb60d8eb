"""Graphs downloaded as CSV from CloudWatch's console."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import polars as pl

from signals.errors import InputError
from signals.schema import Finding
from signals.store.parsed import Chunk, ReadOptions, Source
from signals.store.sources.cloudwatch_label import note_statistic, read_label, read_unit_name
from signals.store.sources.legend import Legend, name_legends
from signals.store.sources.preface import head_lines, take_preface
from signals.store.sources.printed_table import PrintedTable
from signals.store.sources.table import TablePart, clip, csv_parts

__all__ = ["CLOUDWATCH_CSV"]

_KEYS = frozenset({"label", "full label", "id", "metric name", "statistic", "period", "unit"})
_TIMED = re.compile(r'^"?\d{4}[-/]\d{2}[-/]\d{2}|^"?\d{10,13}\b')
_SLASHES = r"^(\d{4})/(\d{2})/(\d{2})"


def _detect(head: bytes, path: Path) -> float:  # noqa: ARG001 - the content tells
    keys = []
    timed = False
    for line in head_lines(head):
        timed = bool(_TIMED.match(line))
        if timed:
            break
        keys.append(_cells(line)[0].lower())
    if not keys or keys[0] not in _KEYS:
        return 0.0
    if len(_KEYS.intersection(keys)) > 1:
        return 1.0
    # one such line may be the header of any table
    return 0.6 if timed and keys[0].endswith("label") else 0.0


def _cells(line: str) -> list[str]:
    try:
        cells = next(csv.reader([line.lstrip("\ufeff")]), [])
    except csv.Error:  # a cell beyond the module's limit
        cells = line.split(",")
    return [cell.strip() for cell in cells] or [""]


def _read(path: Path, options: ReadOptions) -> Iterator[Chunk]:
    lines, blocks = take_preface(path, lambda _, line: not _TIMED.match(line))
    about = {cells[0].lower(): cells[1:] for cells in map(_cells, lines)}
    width = max((len(cells) for cells in about.values()), default=0)
    if not about.keys() & _KEYS or width == 0:
        raise InputError(
            "there are no lines that describe the columns before the first time",
            where=f"{path}, which begins {clip(repr(lines[0] if lines else ''))}",
            expected="lines such as Label, ID, Metric name, Statistic, Period",
            hint="download the graph again, or name another form with --format",
        )
    described = [_legend(about, number) for number in range(width)]
    legends = [legend for legend, _ in described]
    series, findings = name_legends(legends, options, str(path))
    findings += [
        one for _, found in described for one in found if one.subject not in options.columns
    ]
    table = PrintedTable(path, options, [legend.text for legend in legends], series)
    names = ["Time", *_distinct([legend.text for legend in legends])]
    for part in csv_parts(blocks, names, ",", path):
        yield table.chunk(_with_dashes(part))
    yield table.end(findings)


def _legend(about: Mapping[str, Sequence[str]], number: int) -> tuple[Legend, list[Finding]]:
    """What the lines before the rows say about a column."""

    def told(key: str) -> str:
        cells = about.get(key, ())
        return cells[number] if number < len(cells) else ""

    full, metric, short = told("full label"), told("metric name"), told("id")
    label = told("label") or full or metric or short or f"column {number + 2}"
    aliases = tuple(text for text in (short, full) if text)
    unit = read_unit_name(told("unit"))
    legend, findings = read_label(label, metric=metric, full=full, unit=unit, aliases=aliases)
    return legend, [*findings, *note_statistic(told("statistic"), label)]


def _distinct(texts: Sequence[str]) -> list[str]:
    """Column names that may stand in one frame."""
    seen: dict[str, int] = {"Time": 1}
    names = []
    for text in texts:
        seen[text] = seen.get(text, 0) + 1
        names.append(text if seen[text] == 1 else f"{text} #{seen[text]}")
    return (
        names if len(set(names)) == len(names) else [f"column {n + 2}" for n in range(len(texts))]
    )


def _with_dashes(part: TablePart) -> TablePart:
    """Times of the form 2026/06/01 08:00:00 as other tools write them."""
    dashed = pl.col("Time").str.replace(_SLASHES, "$1-$2-$3")
    return replace(part, frame=part.frame.with_columns(dashed))


CLOUDWATCH_CSV = Source(
    name="cloudwatch-csv",
    title="CloudWatch graph (CSV)",
    suffixes=(".csv", ".csv.gz"),
    detect=_detect,
    read=_read,
    example="Label,vllm-decode GPUUtilization",
    export="Console, Metrics, a graph's Actions menu: Download as .csv.",
    load="--tz ZONE [--map 'LABEL=NAME[unit]']",
    traps=(
        "Times have no zone: they are in the one chosen in the console, so say --tz UTC or the "
        "local one.",
        "Only names that the catalog or the CloudWatch agent has are recognised; others take "
        "--map, or --as for a single one.",
        "A Sum, Maximum or Minimum per period is no sample of a gauge: it is kept and reported.",
        "The layout of the download is not documented: lines before the first time are read as "
        "descriptions (Label, Full label, ID, Metric name, Statistic, Period), in any order.",
    ),
)
