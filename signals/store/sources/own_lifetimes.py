"""The project's table of instances: when each was ordered, ready and gone, and so how many there were."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl

from signals.errors import InputError
from signals.schema import TIMESTAMP, Finding
from signals.store.parsed import Chunk, ReadOptions, Reject, Series, Source
from signals.store.sources.cells import rejects_of, stamps_of, texts_of
from signals.store.sources.header import TimeHeader, parse_time_header, split_unit
from signals.store.sources.stamps import StampReader
from signals.store.sources.table import TablePart, clip, head_names, is_row_number, open_table
from signals.store.sources.wide_layout import label_of_column

__all__ = ["OWN_LIFETIMES"]

_MOMENTS = ("ordered", "ready", "ended")
_INTERVAL_S = 60.0
_MAX_ROWS = 20_000_000
_MAX_SAMPLES = 50_000_000
# almost four years of minutes
_MAX_TIMES = 2_000_000
_CHUNK_SAMPLES = 1_000_000
# labels of one instance: those who count do not tell them apart
_ONE_BY_ONE = frozenset(
    {
        "Hostname",
        "UUID",
        "container",
        "device",
        "exported_container",
        "exported_instance",
        "exported_pod",
        "gpu",
        "gpu_index",
        "gpu_uuid",
        "host",
        "host_name",
        "hostname",
        "instance",
        "k8s_node_name",
        "k8s_pod_name",
        "kubernetes_node",
        "kubernetes_pod_name",
        "node",
        "pci_bus_id",
        "pod",
        "pod_name",
        "replica",
        "uuid",
        "worker_id",
    }
)
Micros = npt.NDArray[np.int64]
Counts = npt.NDArray[np.float64]
# before and after all times
_BEFORE, _AFTER = -(2**62), 2**62


def _detect(head: bytes, path: Path) -> float:
    found = {split_unit(name)[0] for name in head_names(head, path)}
    return 0.95 if found & {"ended_at", "ended_s"} and found & {"ready_at", "ready_s"} else 0.0


def _read(path: Path, options: ReadOptions) -> Iterator[Chunk]:
    names, parts = open_table(path, options.columns)
    times = {moment: _time_header(names, moment) for moment in _MOMENTS}
    missing = [moment for moment in ("ready", "ended") if times[moment] is None]
    if missing:
        raise InputError(
            f"column {', '.join(f'{moment}_at' for moment in missing)} is missing",
            where=f"{path}, header: {clip(', '.join(names))}",
            expected="the instance form: columns ready_at, ended_at, and perhaps ordered_at and labels",
            hint="name the columns with --map 'COLUMN=ready_at'; seconds from --start are ready_s",
        )
    known = {moment: header for moment, header in times.items() if header is not None}
    used = {header.column for header in known.values()}
    rest = [name for name in names if name not in used and not is_row_number(name)]
    labels = _labels(rest)
    readers = {moment: _reader(path, header, options) for moment, header in known.items()}
    rejects: list[Reject] = []
    frames = [_instances(part, known, labels, readers, rejects) for part in _few(parts, path)]
    yield Chunk(rows_read=len(rejects), rejects=tuple(rejects))
    lives = pl.concat(frames) if frames else pl.DataFrame()
    if lives.is_empty():
        raise InputError(
            "the table names no instance", where=str(path), expected="a row per instance"
        )
    grid = _grid(lives, options.interval_s or _INTERVAL_S, path)
    lives = _bounded_lives(lives)
    what = ("ready", "desired", "starting") if "ordered" in known else ("ready",)
    yield from _counts(lives, list(labels.values()), what, grid, path)
    told = {(note.code, note.text): note for one in readers.values() for note in one.findings()}
    unused = [name for name in rest if name not in labels]
    yield Chunk(findings=(*_remarks(lives, grid, unused), *told.values()))


def _time_header(names: Sequence[str], moment: str) -> TimeHeader | None:
    """`ready_at`, `ready_at [ms]`, or `ready_s` in seconds from `--start`."""
    header = parse_time_header(list(names), f"{moment}_at")
    if header is not None:
        return header
    for name in names:
        base, unit = split_unit(name)
        if base == f"{moment}_s" and unit in {"", "s"}:
            return TimeHeader(name, "s", relative=True)
    return None


def _labels(names: Sequence[str]) -> dict[str, str]:
    """Label by column, as far as it stands for a group of instances."""
    found = {name: label_of_column(name) for name in names}
    return {name: label for name, label in found.items() if label and label not in _ONE_BY_ONE}


def _reader(path: Path, header: TimeHeader, options: ReadOptions) -> StampReader:
    return StampReader(
        f"{path}, column '{header.column}'",
        options,
        unit=header.unit,
        relative="start" if header.relative else "",
    )


def _few(parts: Iterator[TablePart], path: Path) -> Iterator[TablePart]:
    rows = 0
    for part in parts:
        rows += part.frame.height
        if rows > _MAX_ROWS:
            raise InputError(
                f"the table holds more than {_MAX_ROWS} rows",
                where=str(path),
                expected="a row per instance",
            )
        yield part


def _instances(
    part: TablePart,
    times: Mapping[str, TimeHeader],
    labels: Mapping[str, str],
    readers: Mapping[str, StampReader],
    rejects: list[Reject],
) -> pl.DataFrame:
    """Microseconds of each moment, null where unknown, and labels; rows that make no sense are rejects."""
    rejects += part.rejects
    columns: dict[str, pl.Series] = {}
    lost = pl.repeat(value=False, n=part.frame.height, dtype=pl.Boolean, eager=True)
    for moment, header in times.items():
        cells = texts_of(part.frame[header.column])
        # how data frames write a time that is not known
        cells = cells.set(cells.str.to_lowercase().is_in(["nan", "nat", "none"]), None)
        stamps = stamps_of(cells, part.lines, readers[moment])
        bad = stamps.is_null() & cells.is_not_null()
        rejects += rejects_of(bad & ~lost, part.frame[header.column], part.lines, "bad_time")
        lost |= bad
        columns[moment] = stamps.dt.timestamp("us")
    ordered = columns.setdefault("ordered", pl.Series([None] * part.frame.height, dtype=pl.Int64))
    ready, ended = columns["ready"], columns["ended"]
    steps = ((ready, ordered), (ended, ready), (ended, ordered))
    wrong = pl.repeat(value=False, n=part.frame.height, dtype=pl.Boolean, eager=True)
    for late, early in steps:
        wrong |= (late < early).fill_null(value=False)
    wrong &= ~lost
    rejects += rejects_of(wrong, part.frame[times["ended"].column], part.lines, "wrong_order")
    columns |= {f"label {label}": texts_of(part.frame[name]) for name, label in labels.items()}
    return pl.DataFrame(columns).filter(~(lost | wrong))


def _bounded_lives(lives: pl.DataFrame) -> pl.DataFrame:
    """Lives with both ends: what has no beginning was there before all times, what has no end stays."""
    never = pl.col("ready").is_null() & pl.col("ordered").is_not_null()
    return lives.with_columns(
        ready=pl.when(never).then(_AFTER).otherwise(pl.col("ready").fill_null(_BEFORE)),
        ordered=pl.coalesce("ordered", "ready", pl.lit(_BEFORE)),
        ended=pl.col("ended").fill_null(_AFTER),
    )


def _grid(lives: pl.DataFrame, interval_s: float, path: Path) -> Micros:
    """Times of the counts, microseconds: whole intervals from the first moment of any instance to the last."""
    known = pl.concat([lives[moment] for moment in _MOMENTS]).drop_nulls().to_numpy()
    if not len(known):
        raise InputError(
            "no instance has a time",
            where=str(path),
            expected="a moment at which one became ready or ended",
        )
    step = max(round(interval_s * 1e6), 1)
    first, last = int(known.min()) // step, int(known.max()) // step
    if last - first >= _MAX_TIMES:
        raise InputError(
            f"counts every {interval_s:g} s would be {last - first + 1} times",
            where=f"{path}, moments from {_day(known.min())} to {_day(known.max())}",
            expected=f"at most {_MAX_TIMES}",
            hint="one far-off moment is enough for this; else give a longer --interval, or check the unit of the times",
        )
    return np.arange(first, last + 1, dtype=np.int64) * step


def _day(moment_us: float) -> str:
    return f"{datetime.fromtimestamp(int(moment_us) // 1_000_000, UTC):%Y-%m-%d}"


def _counts(
    lives: pl.DataFrame, labels: Sequence[str], what: Sequence[str], grid: Micros, path: Path
) -> Iterator[Chunk]:
    """The counts of each group of instances with equal labels."""
    keys = [f"label {label}" for label in labels]
    groups = lives.partition_by(keys, as_dict=True, maintain_order=True) if keys else {(): lives}
    if len(groups) * len(what) * len(grid) > _MAX_SAMPLES:
        raise InputError(
            f"{len(groups)} groups of instances make more than {_MAX_SAMPLES} samples",
            where=str(path),
            expected="labels that stand for many instances",
            hint="give a longer --interval",
        )
    stamps = pl.Series("ts", grid, dtype=pl.Int64).cast(TIMESTAMP)
    for key, group in groups.items():
        cells = zip(labels, key, strict=True)
        told = {name: str(cell) for name, cell in cells if cell is not None}
        if told:
            # labels such as a role are notes to the catalog; this one keeps the counts apart, to be added up
            told["group"] = ",".join(told.values())
        ready = _count(group.filter(pl.col("ready") < _AFTER), "ready", grid)
        wanted = _count(group, "ordered", grid)
        curves = {"ready": ready, "desired": wanted, "starting": wanted - ready}
        for name in what:
            one = Series(name, told, kind="gauge", unit="count", pool=told.get("pool", ""))
            yield from _chunks(one, stamps, curves[name])


def _count(lives: pl.DataFrame, begin: str, grid: Micros) -> Counts:
    """How many have begun and not ended at each time."""
    begun, ended = (np.sort(lives[name].to_numpy()) for name in (begin, "ended"))
    past = np.searchsorted(begun, grid, side="right") - np.searchsorted(ended, grid, side="right")
    return past.astype(np.float64)


def _chunks(series: Series, stamps: pl.Series, counts: Counts) -> Iterator[Chunk]:
    frame = pl.DataFrame({"ts": stamps, "value": counts}).select(
        pl.lit(0, dtype=pl.UInt32).alias("series"), "ts", "value"
    )
    for piece in frame.iter_slices(_CHUNK_SAMPLES):
        yield Chunk(series=(series,), samples=piece, rows_read=piece.height)


def _remarks(lives: pl.DataFrame, grid: Micros, unused: Sequence[str]) -> Iterator[Finding]:
    for name in unused:
        yield Finding(
            "unused_column",
            "info",
            f"column '{clip(name)}' tells no group of instances",
            subject=clip(name),
            action=f"left out; as a label: --map '{clip(name)}=label:NAME'",
        )
    edges = (np.searchsorted(grid, lives[name].to_numpy()) for name in ("ordered", "ended"))
    unseen = int(np.equal(*edges).sum())
    if unseen:
        yield Finding(
            "between_counts",
            "info",
            f"{unseen} instances came and went between two counts",
            count=unseen,
            action="not counted; --interval makes counts more often",
        )


OWN_LIFETIMES = Source(
    name="own-lifetimes",
    title="own table of instances",
    suffixes=(".csv", ".csv.gz", ".json", ".parquet"),
    detect=_detect,
    read=_read,
    marks=("ready_at", "ended_at"),
    example="pool,ordered_at,ready_at,ended_at",
    export="One row per instance from the cluster's events: created, ready (or scheduled), deleted.",
    load="[--map 'COLUMN=ready_at'] [--map 'COLUMN=label:NAME'] [--interval DURATION]",
    traps=(
        "Columns with other names take --map: ordered_at, ready_at, ended_at, or ready_s and "
        "ended_s for seconds from --start.",
        "Counts are taken every --interval (60 s): ready, and with ordered_at also desired and "
        "starting.",
        "An empty time is outside of what was recorded: without beginning an instance was "
        "there before, without end it stays.",
        "One that was ordered and never became ready counts as starting until it ends.",
        "Instances with equal labels are counted together; labels of one instance (pod, host) "
        "are left out.",
    ),
)
