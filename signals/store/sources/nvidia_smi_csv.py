"""What `nvidia-smi --query-gpu=... --format=csv` prints."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from signals.catalog.naming import match
from signals.errors import InputError
from signals.schema import Finding
from signals.store.parsed import Chunk, ReadOptions, Series, Source
from signals.store.sources.cells import rejects_of, text_cells
from signals.store.sources.header import known_unit, split_unit
from signals.store.sources.stamps import StampReader
from signals.store.sources.table import TablePart, clip, open_table, parse_header

__all__ = ["NVIDIA_SMI_CSV"]

_TIME = "timestamp"
# surest first; older drivers have other spellings of the same query
_GPU_NAMES = ("uuid", "gpu_uuid", "pci.bus_id", "gpu_bus_id", "serial", "gpu_serial", "index")
_LABELS = {
    "uuid": "UUID",
    "gpu_uuid": "UUID",
    "pci.bus_id": "pci_bus_id",
    "gpu_bus_id": "pci_bus_id",
    "index": "gpu",
    "name": "modelName",
    "gpu_name": "modelName",
}
# what the query calls things, by which the output is recognised
_FAMILIES = ("clocks.", "memory.", "power.", "temperature.", "utilization.", "fan.", "pcie.")
_HEADLESS = rb"^\d{4}/\d{2}/\d{2} \d{2}:\d{2}:\d{2}\.\d{3},"
_NUMBER = r"^([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)(?:\s*([^\s\d]\S*))?$"
_MISSING = r"^(?:\[.*\]|N/A|Not Supported|Unknown Error|ERR!)$"
_MAX_COLUMNS = 1000
_SLASHES = r"^(\d{4})/(\d{2})/(\d{2})"


def _detect(head: bytes, path: Path) -> float:  # noqa: ARG001 - the content tells
    line = head.lstrip().split(b"\n", 1)[0].decode("utf-8", errors="replace").strip()
    names = {split_unit(cell)[0] for cell in parse_header(line)[0]}
    known = any(name.startswith(_FAMILIES) for name in names)
    if known and names & {_TIME, *_GPU_NAMES}:
        return 1.0
    headless = pl.Series([line]).str.contains(_HEADLESS.decode())[0]
    return 0.5 if headless else 0.0


def _read(path: Path, options: ReadOptions) -> Iterator[Chunk]:
    names, parts = open_table(path, options.columns)
    if len(names) > _MAX_COLUMNS:
        raise InputError(
            f"the header has more than {_MAX_COLUMNS} columns",
            where=f"{path}, header: {clip(', '.join(names[:20]))}",
            expected="the properties of one query",
        )
    query = _Query(path, names, options)
    rows = 0
    for part in parts:
        rows += part.frame.height + len(part.rejects)
        yield query.read(part)
    if rows == 0:
        raise InputError(
            "the table has a header but no row", where=str(path), expected="rows of values"
        )
    yield Chunk(findings=query.findings())


@dataclass(frozen=True, slots=True)
class _Column:
    """A queried property.

    Attributes:
        header: as written.
        metric: its name.
        written: the unit that its cells may repeat.
        unit: that unit as we know it; empty if we do not.
        known: whether the catalog knows the name.
    """

    header: str
    metric: str
    written: str
    unit: str
    known: bool


class _Query:
    """Reads parts of the table; remembers what was missing."""

    def __init__(self, path: Path, names: Sequence[str], options: ReadOptions) -> None:
        self._path = path
        self._names = list(names)
        self._bare = {split_unit(name)[0]: name for name in reversed(names)}
        if _TIME not in self._bare:
            raise _no_time(path, names)
        self._stamps = StampReader(f"{path}, column '{_TIME}'", options)
        self._keys = [name for name in _GPU_NAMES if name in self._bare]
        labels = [name for name in _LABELS if name in self._bare]
        self._labels = list(dict.fromkeys([*self._keys, *labels]))
        taken = {_TIME, *self._labels}
        self._columns = [_column(name) for name in names if split_unit(name)[0] not in taken]
        self._missing: Counter[str] = Counter()
        self._texts: Counter[str] = Counter()
        self._repeats = 0

    def read(self, part: TablePart) -> Chunk:
        """Samples of some rows."""
        frame, lines = self._without_headers(part)
        if frame.is_empty():
            return Chunk(rows_read=len(part.rejects), rejects=part.rejects)
        series, gpus = self._gpus(frame)
        times = frame[self._bare[_TIME]]
        dashed = times.str.replace(_SLASHES, "$1-$2-$3")
        stamps = self._stamps.read(dashed, lines, gpus)
        lost = stamps.is_null()
        rejects = [*part.rejects, *rejects_of(lost, times, lines, "bad_time")]
        samples = []
        for number, column in enumerate(self._columns):
            values, bad = self._values(column, frame[column.header].set(lost, None), ~lost)
            rejects += rejects_of(bad, frame[column.header], lines, "bad_number")
            index = gpus.cast(pl.UInt32) * len(self._columns) + number
            samples.append(pl.DataFrame({"series": index, "ts": stamps, "value": values}))
        samples.append(
            pl.DataFrame(schema={"series": pl.UInt32, "ts": stamps.dtype, "value": float})
        )
        kept = pl.concat(samples).drop_nulls("value")
        return Chunk(
            series=series,
            samples=kept,
            rows_read=kept.height + len(rejects),
            rejects=tuple(sorted(rejects, key=lambda reject: reject.line)),
        )

    def _without_headers(self, part: TablePart) -> tuple[pl.DataFrame, pl.Series]:
        """A loop that is started again into the same file prints its header again."""
        again = part.frame[self._bare[_TIME]] == self._bare[_TIME]
        again = again.fill_null(value=False)
        if not again.any():
            return part.frame, part.lines
        headers = part.frame.filter(again)
        for line, cells in zip(part.lines.filter(again), headers.iter_rows(), strict=True):
            if list(cells) != self._names:
                raise InputError(
                    "the columns change within the file",
                    where=f"{self._path}, line {line}: {clip(', '.join(map(str, cells)))}",
                    expected=clip(", ".join(self._names)),
                    hint="split the file there and load both parts",
                )
        self._repeats += headers.height
        return part.frame.filter(~again), part.lines.filter(~again)

    def _gpus(self, frame: pl.DataFrame) -> tuple[tuple[Series, ...], pl.Series]:
        """Series of every GPU and column, and the number of each row's GPU."""
        named = {name: frame[self._bare[name]] for name in self._labels}
        rows = pl.DataFrame({**named, "key": self._key(frame)})
        distinct = rows.unique("key", keep="first", maintain_order=True)
        numbered = distinct.select("key").with_row_index("gpu")
        index = rows.join(numbered, on="key", how="left", nulls_equal=True, maintain_order="left")
        series = tuple(
            Series(column.metric, _gpu_labels(row), unit=column.unit)
            for row in distinct.iter_rows(named=True)
            for column in self._columns
        )
        return series, index["gpu"]

    def _key(self, frame: pl.DataFrame) -> pl.Series:
        """What tells a row's GPU: the surest of its names that is not missing."""
        names = [
            pl.when(~pl.col(self._bare[name]).str.contains(_MISSING)).then(pl.col(self._bare[name]))
            for name in self._keys
        ]
        return frame.with_columns(pl.coalesce([*names, pl.lit("")]).alias("key"))["key"]

    def _values(
        self, column: _Column, cells: pl.Series, wanted: pl.Series
    ) -> tuple[pl.Series, pl.Series]:
        """Numbers of a column, and which of its cells should be one and are not."""
        missing = (cells.is_null() | cells.str.contains(_MISSING)) & wanted
        groups = cells.str.extract_groups(_NUMBER).struct.unnest()
        number, unit = groups.columns
        fits = (groups[unit].is_null() | (groups[unit] == column.written)).fill_null(value=False)
        values = groups[number].cast(pl.Float64, strict=False).set(~fits, None)
        odd = values.is_null() & ~missing & wanted
        self._missing[column.metric] += int(missing.sum()) if column.unit or column.known else 0
        if column.unit or column.known:
            return values, odd
        self._texts[column.metric] += int(odd.sum())
        return values, pl.repeat(value=False, n=len(cells), eager=True)

    def findings(self) -> tuple[Finding, ...]:
        """Remarks about the whole file."""
        found = list(self._stamps.findings())
        found += [_missing_cells(name, count) for name, count in self._missing.items() if count]
        found += [text_cells(name, count) for name, count in self._texts.items() if count]
        if self._repeats:
            text = f"the header is repeated {self._repeats} times"
            found.append(Finding("repeated_header", "info", text, self._repeats, action="left out"))
        if not self._keys:
            found.append(
                Finding(
                    "gpu_unknown",
                    "warning",
                    "no column tells the GPUs apart",
                    action="taken for one GPU; add uuid and index to the query",
                )
            )
        return tuple(found)


def _column(header: str) -> _Column:
    name, unit = split_unit(header)
    known = match(name, {"UUID": "x"}, "") is not None
    return _Column(header, name, unit, known_unit(unit), known)


def _gpu_labels(row: Mapping[str, str | None]) -> dict[str, str]:
    """Labels as GPU exporters call them; what tells the GPU stands in for an unknown UUID."""
    labels = {
        label: value
        for name, label in _LABELS.items()
        if (value := row.get(name)) and not value.startswith("[")
    }
    key = row["key"]
    if key and "UUID" not in labels and key != row.get("index"):
        labels["UUID"] = key
    return labels


def _no_time(path: Path, names: Sequence[str]) -> InputError:
    return InputError(
        "there is no column 'timestamp'",
        where=f"{path}, header: {clip(', '.join(names))}",
        expected="the header that nvidia-smi prints with --format=csv, timestamp among its columns",
        hint="query timestamp,index,uuid,... and leave noheader out of --format",
    )


def _missing_cells(name: str, count: int) -> Finding:
    return Finding(
        "missing_cells",
        "info",
        f"{count} cells of {clip(name)} hold no value ([N/A], [Not Supported] and the like)",
        count=count,
        subject=clip(name),
        action="left missing",
    )


NVIDIA_SMI_CSV = Source(
    name="nvidia-smi-csv",
    title="nvidia-smi query (CSV)",
    suffixes=(".csv", ".csv.gz"),
    detect=_detect,
    read=_read,
    open_end="warning",
    marks=(_TIME, "index", "utilization.gpu"),
    example="timestamp, index, uuid, utilization.gpu [%], memory.used [MiB], power.draw [W]",
    export="`nvidia-smi --query-gpu=timestamp,index,uuid,utilization.gpu,memory.used,power.draw "
    "--format=csv -l 1 > gpu.csv`",
    load="--tz ZONE",
    traps=(
        "Times are the host's local ones without a zone, so give it with --tz.",
        "[N/A], [Not Supported] and [Unknown Error] are missing values, counted, never 0.",
        "With MIG on, utilization.gpu is [N/A]: use DCGM's profiling fields there.",
        "A GPU is told by its uuid, else its PCI bus id, else its index; the host is not named.",
        "With noheader nothing tells what the columns are, and the file is refused.",
    ),
)
