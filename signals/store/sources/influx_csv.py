"""InfluxDB's annotated CSV: results of Flux queries, several tables in one file."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path

import polars as pl

from signals.errors import InputError
from signals.schema import Finding
from signals.store.parsed import Chunk, ReadOptions, Reject, Series, Source
from signals.store.sources.bound import has_bad_bound
from signals.store.sources.cells import rejects_of, texts_of
from signals.store.sources.influx_names import is_bound, name_series
from signals.store.sources.influx_table import ANNOTATIONS, InfluxTable, looks_like_header
from signals.store.sources.sample_chunks import check_series
from signals.store.sources.stamps import StampReader
from signals.store.sources.stray import are_strays
from signals.store.sources.stream import LineBlock, line_blocks
from signals.store.sources.table import TablePart, clip, csv_parts

__all__ = ["INFLUX_CSV"]

_ORIGIN = ("_measurement", "_field")
_TEXTS = frozenset({"string", "duration", "base64Binary"})


def _detect(head: bytes, path: Path) -> float:  # noqa: ARG001 - the content tells
    line = head.lstrip().split(b"\n", 1)[0].decode("utf-8", errors="replace")
    if line.startswith(ANNOTATIONS):
        return 1.0
    cells = _cells(line)
    return 0.95 if {"_time", "_value"} <= set(cells) or cells[:2] == ["", "error"] else 0.0


def _cells(line: str) -> list[str]:
    try:
        cells = next(csv.reader([line.rstrip("\r")]), [])
    except csv.Error:  # a carriage return inside, or a cell beyond the module's limit
        cells = line.split(",")
    return [cell.strip() for cell in cells]


def _read(path: Path, options: ReadOptions) -> Iterator[Chunk]:
    result = _Result(path, options)
    for block in line_blocks(path):
        yield from result.read(block)
    yield Chunk(findings=result.findings())


class _Result:
    """Reads blocks of lines; remembers the table that they belong to."""

    def __init__(self, path: Path, options: ReadOptions) -> None:
        self._path = path
        self._options = options
        self._stamps = StampReader(f"{path}, column '_time'", options)
        self._notes: dict[str, list[str]] = {}
        self._table: InfluxTable | None = None
        self._awaits = (
            "perhaps"  # a header: `surely` below annotations, `perhaps` below a blank line
        )
        self._histograms: set[str] = set()
        self._results: set[str] = set()
        self._rows_seen = 0
        self._series_seen = 0
        self._texts = 0

    def read(self, block: LineBlock) -> Iterator[Chunk]:
        """Samples of one block of lines, table by table."""
        lines = block.data.split(b"\n")
        first = 0
        for number, line in enumerate(lines):
            text = line.strip()
            if not text and self._awaits and first == number:
                # one of many blank lines says no more than the first
                first = number + 1
                continue
            if text and not line.startswith(b"#") and not self._is_header(line):
                continue
            yield from self._rows(lines[first:number], block.first_line + first)
            first = number + 1
            self._take(line.decode("utf-8").strip(), block.first_line + number)
        yield from self._rows(lines[first:], block.first_line + first)

    def _is_header(self, line: bytes) -> bool:
        if self._awaits == "perhaps":
            found = looks_like_header(_cells(line.decode("utf-8")))
            self._awaits = "" if not found else "surely"
        return self._awaits == "surely"

    def _take(self, text: str, line: int) -> None:
        """Take a blank line, an annotation or a header."""
        if not text:
            self._awaits = self._awaits or "perhaps"
        elif text.startswith("#"):
            if self._awaits != "surely":
                self._notes = {}
            cells = _cells(text)
            self._notes[cells[0]] = cells
            self._awaits = "surely"
        else:
            self._table = InfluxTable.of(_cells(text), self._notes, f"{self._path}, line {line}")
            self._awaits = ""

    def _rows(self, lines: Sequence[bytes], first_line: int) -> Iterator[Chunk]:
        if not any(lines):
            return
        if self._table is None:
            raise InputError(
                "rows come before any header",
                where=f"{self._path}, line {first_line}",
                expected="a header with _time and _value",
            )
        block = LineBlock(first_line, b"\n".join(lines))
        for part in csv_parts(iter([block]), self._table.names, ",", self._path):
            yield self._chunk(part, self._table)

    def _chunk(self, part: TablePart, table: InfluxTable) -> Chunk:
        frame = part.frame.with_columns(
            pl.col(name).fill_null(value) for name, value in table.defaults.items()
        )
        if "error" in table.names and "_time" not in table.names:
            raise _server_error(frame, part.lines, self._path)
        self._rows_seen += frame.height + len(part.rejects)
        stamps = self._stamps.read(frame["_time"], part.lines)
        lost = stamps.is_null()
        rejects: list[Reject] = [*part.rejects]
        rejects += rejects_of(lost, frame["_time"], part.lines, "bad_time")
        series: list[Series] = []
        samples = []
        for column in table.fields:
            values, bad = self._values(frame[column], table.datatypes.get(column, ""))
            rejects += rejects_of(bad & ~lost, frame[column], part.lines, "bad_number")
            found, index = self._series(frame, table, column)
            unnamed = index.is_null() & values.is_not_null() & ~lost
            rejects += rejects_of(unnamed, _named_by(frame, table), part.lines, "bad_series")
            one = pl.DataFrame({"series": index + len(series), "ts": stamps, "value": values})
            samples.append(one.filter(~lost).drop_nulls(["series", "value"]))
            series += found
        kept = pl.concat(samples).with_columns(pl.col("series").cast(pl.UInt32))
        return Chunk(
            series=tuple(series),
            samples=kept,
            rows_read=kept.height + len(rejects),
            rejects=tuple(sorted(rejects, key=lambda reject: reject.line)),
        )

    def _values(self, column: pl.Series, datatype: str) -> tuple[pl.Series, pl.Series]:
        """Numbers of a column, and which of its cells should be one and are not."""
        if datatype in _TEXTS:
            self._texts += len(column) - column.null_count()
            column = pl.Series(column.name, [None], dtype=pl.String).new_from_index(0, len(column))
        values = column.cast(pl.Float64, strict=False)
        if datatype in {"", "boolean"}:
            values = values.set((column == "true").fill_null(value=False), 1.0)
            values = values.set((column == "false").fill_null(value=False), 0.0)
        return values, values.is_null() & column.is_not_null()

    def _series(
        self, frame: pl.DataFrame, table: InfluxTable, column: str
    ) -> tuple[list[Series], pl.Series]:
        """Series of one column of values, and for each row the index of its series, null if it has no sound one."""
        origin = [name for name in _ORIGIN if name in table.names]
        keys = frame.select(texts_of(frame[name]) for name in (*origin, *table.labels))
        if keys.width == 0:
            keys = pl.DataFrame({"all": pl.repeat("", frame.height, eager=True)})
        distinct = keys.unique(maintain_order=True).with_row_index("series")
        index = keys.join(
            distinct, on=keys.columns, how="left", nulls_equal=True, maintain_order="left"
        )
        rows = list(distinct.iter_rows(named=True))
        self._note(rows)
        made = [self._describe(row, table, column) for row in rows]
        nameless = [row for row, one in zip(rows, made, strict=True) if one is None]
        if nameless and not are_strays(len(nameless), len(rows)):
            raise self._no_name(nameless[0])
        sound = [one is not None and not has_bad_bound(one) for one in made]
        if all(sound):
            return [one for one in made if one is not None], index["series"]
        before = pl.Series(sound, dtype=pl.Boolean).cast(pl.UInt32).cum_sum() - 1
        numbers = before.cast(pl.UInt32).set(~pl.Series(sound), None)
        kept = [one for one, is_sound in zip(made, sound, strict=True) if one and is_sound]
        return kept, numbers.gather(index["series"])

    def _note(self, rows: Sequence[dict[str, str]]) -> None:
        self._series_seen += len(rows)
        check_series(self._series_seen, self._path)
        self._histograms.update(
            row["_measurement"] or "" for row in rows if row.get("_field") == "+Inf"
        )
        self._results.update(row["result"] for row in rows if row.get("result"))

    def _describe(self, row: dict[str, str], table: InfluxTable, column: str) -> Series | None:
        tags = {name: row[name] for name in table.labels if row[name] and row[name] != "_result"}
        measurement = row.get("_measurement") or ""
        field = row.get("_field") or ("" if column == "_value" else column)
        if not field and (self._options.as_name or not measurement):
            return self._nameless(tags)
        above_one = is_bound(field) and abs(float(field)) > 1  # no quantile
        return name_series(
            measurement,
            field or "value",
            tags,
            histogram=above_one or measurement in self._histograms,
            choices=self._options.columns,
        )

    def _nameless(self, tags: dict[str, str]) -> Series | None:
        chosen = self._options.as_name
        if chosen is None:
            return None
        pool, _, bare = chosen.name.rpartition(":")
        return Series(bare, tags, unit=chosen.unit, pool=pool)

    def _no_name(self, row: dict[str, str]) -> InputError:
        return InputError(
            "a series has no name: neither _measurement nor _field",
            where=f"{self._path}: {clip(str({name: cell for name, cell in row.items() if cell}))}",
            expected="the columns _measurement and _field",
            hint="say what it is with --as NAME[unit], for example --as 'decode_tps[tokens/s]'",
        )

    def findings(self) -> tuple[Finding, ...]:
        """Remarks about the whole file.

        Raises:
            InputError: it holds no row.
        """
        if self._rows_seen == 0:
            raise InputError(
                "the result holds no row",
                where=str(self._path),
                expected="rows below a header with _time",
            )
        found = list(self._stamps.findings())
        if self._texts:
            text = f"{self._texts} values are texts"
            found.append(Finding("text_cells", "info", text, self._texts, action="left out"))
        if len(self._results) > 1:
            listed = clip(", ".join(sorted(self._results)))
            found.append(
                Finding(
                    "several_results",
                    "warning",
                    f"the file holds {len(self._results)} results of one query: {listed}",
                    count=len(self._results),
                    action="kept apart by the label result; export one, or they add up",
                )
            )
        return tuple(found)


def _named_by(frame: pl.DataFrame, table: InfluxTable) -> pl.Series:
    """The cells that name the series of each row, as one text."""
    cells = [
        texts_of(frame[name]).fill_null("")
        for name in (*_ORIGIN, *table.labels)
        if name in frame.columns
    ]
    if not cells:
        return pl.repeat("", frame.height, eager=True).alias("series")
    return (
        pl.DataFrame(cells)
        .select(pl.concat_str(pl.all(), separator=", ").alias("series"))
        .to_series()
    )


def _server_error(frame: pl.DataFrame, lines: pl.Series, path: Path) -> InputError:
    text = str(frame["error"][0]) if frame.height else "no text"
    line = f", line {lines[0]}" if frame.height else ""
    return InputError(
        f"the server answered with an error: {clip(text)}",
        where=f"{path}{line}",
        expected="the result of a query",
        hint="repeat the query",
    )


INFLUX_CSV = Source(
    name="influx-csv",
    title="InfluxDB annotated CSV",
    suffixes=(".csv", ".csv.gz"),
    detect=_detect,
    read=_read,
    open_end="warning",
    marks=("_time", "_value", *_ORIGIN),
    example="#datatype,string,long,dateTime:RFC3339,double,string,string,string",
    export="`influx query --raw 'from(bucket: \"b\") |> range(start: -7d)' > result.csv`",
    load="[--as 'NAME[unit]']",
    traps=(
        "One file holds several tables, each with its own header; empty cells stand for the #default.",
        "_measurement and _field make the name as in line protocol; a result without both needs --as.",
        "Pivoted results have a column per field, which only their annotations tell from tags.",
        "An aggregate over the whole range has no _time and is refused: use aggregateWindow().",
        "Aggregated windows carry the time of their end, so that lags seem longer by up to a window.",
    ),
)
