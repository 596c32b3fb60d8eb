"""Samples of one source into the tables: each value once, families side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import duckdb
import numpy as np
import polars as pl
from numpy.typing import NDArray

from signals.schema import Finding
from signals.store.batch import Distinct
from signals.store.extents import Extents, describe
from signals.store.families import side_by_side, times_of
from signals.store.registry import FAMILIES, Resolved
from signals.store.sql import execute, run
from signals.store.tally import SourceTally

__all__ = ["Deposit", "ask_with", "hand_over"]

Int = NDArray[np.int64]
_KEY_COLUMNS = 3
# spans of steps back that fit into the rows of a part of a table
_ORDERLY = 50
# targets that are compared at once
_TARGETS = 64


def hand_over(
    connection: duckdb.DuckDBPyConnection,
    name: str,
    frame: pl.DataFrame,
    params: Mapping[str, object] | None = None,
) -> None:
    """Run a statement that reads a frame as the table `chunk`."""
    with _lent(connection, frame):
        execute(connection, name, params)


def ask_with(connection: duckdb.DuckDBPyConnection, name: str, frame: pl.DataFrame) -> pl.DataFrame:
    """Ask a question that reads a frame as the table `chunk`."""
    with _lent(connection, frame):
        return run(connection, name)


@contextmanager
def _lent(connection: duckdb.DuckDBPyConnection, frame: pl.DataFrame) -> Iterator[None]:
    """Have a frame stand for the table `chunk`.

    What was registered is held to the end of the transaction, so that a load would pile up in memory all that it
    stores: DuckDB gets a handle, from which the frame is taken back.
    """
    handle = _Handle(frame)
    connection.register("chunk", handle)
    try:
        yield
    finally:
        connection.unregister("chunk")
        handle.frame = None


@dataclass
class _Handle:
    """Reads as a frame for as long as it has one."""

    frame: pl.DataFrame | None

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        if self.frame is None:
            raise ValueError("the frame was taken back")
        return self.frame.__arrow_c_stream__(requested_schema)


@dataclass
class _Waiting:
    """Rows of a family that are not in its table yet.

    Attributes:
        rows: the newest part; the others, if any, are in `staged_sample`.
        staged: True if parts may hold the same moments of a target, and are merged in the end.
    """

    rows: pl.DataFrame
    staged: bool = False


@dataclass
class Deposit:
    """Puts samples of a load where they belong, source by source.

    Attributes:
        connection: of the running load.
        extents: of all series.
        register: stores series that were met but are not in their table yet.
    """

    connection: duckdb.DuckDBPyConnection
    extents: Extents
    register: Callable[[], None]
    _waiting: dict[str, _Waiting] = field(default_factory=dict)
    _buckets: Extents = field(default_factory=Extents)
    _bucket_parts: int = 0
    _buckets_meet: bool = False
    _bucket_metrics: dict[int, str] = field(default_factory=dict)

    def start(self) -> None:
        """Make the tables that hold a source until it is read."""
        for name in ("create_staged", "create_staged_bucket"):
            execute(self.connection, f"load/{name}")

    def add(self, tally: SourceTally, samples: Distinct, keys: Sequence[Resolved]) -> None:
        """Take samples.

        Args:
            tally: of their source.
            samples: of k keys.
            keys: by the numbers in `samples.keys`, what each is.
        """
        tally.count("duplicate", samples.duplicates)
        tally.count("conflict", samples.conflicts)
        tally.count("out_of_order", samples.disordered)
        tally.returns.extend(map(tuple, samples.returns.tolist()))
        tally.extend(int(samples.ts_us.min()), int(samples.ts_us.max()))
        found = [keys[number] for number in samples.keys]
        tally.series.update(one.series_id for one in found)
        is_bucket = np.array([one.le is not None for one in found])
        if is_bucket.any():
            self._add_buckets(samples.take(is_bucket), [one for one in found if one.le is not None])
        if not is_bucket.all():
            plain = [one for one in found if one.le is None]
            self._add_plain(tally, samples.take(~is_bucket), plain)

    def add_rows(self, tally: SourceTally, family: str, rows: pl.DataFrame) -> None:
        """Take rows of a family's table: ts, target_id, source_id and measurements.

        None of their values may be in the store, none may come twice; their extents are noted by the caller.
        """
        tally.rows_kept += sum(
            rows.height - column.null_count() for column in rows.iter_columns()
        ) - (_KEY_COLUMNS * rows.height)
        self._wait(family, rows, _share_moments)

    def close(self, tally: SourceTally) -> None:
        """Store what is left of a source."""
        self._empty_waiting()
        if self._bucket_parts:
            self._store_buckets(tally)

    def _add_plain(self, tally: SourceTally, samples: Distinct, keys: list[Resolved]) -> None:
        series = np.array([one.series_id for one in keys], dtype=np.int64)
        portion = describe(samples.ts_us, samples.values, samples.starts)
        meets = self.extents.meeting(series, portion)
        if meets.any():
            lost = self._stored_already(tally, samples, series, meets)
            if lost.all():
                return
            kept = samples.without(lost)
            some = np.add.reduceat(~lost, samples.starts[:-1], dtype=np.int64) > 0
            samples = Distinct(np.arange(kept.keys.size), kept.starts, kept.ts_us, kept.values)
            keys = [one for one, is_left in zip(keys, some, strict=True) if is_left]
            series = series[some]
            portion = describe(samples.ts_us, samples.values, samples.starts)
        self.extents.add(series, portion)
        tally.rows_kept += samples.ts_us.size
        tables = np.array([one.stored_in for one in keys])
        for table in np.unique(tables):
            chosen = tables == table
            part = samples.take(chosen)
            owners = [one for one, is_in in zip(keys, chosen, strict=True) if is_in]
            if table == "sample_other":
                self._store_other(tally, part, series[chosen])
            else:
                targets = np.array([one.target_id for one in owners], dtype=np.int64)
                names = [one.measurement for one in owners]
                rows = side_by_side(part, targets, names, source_id=tally.source_id)
                # a later part may bring more measurements of these moments
                self._wait(table.removeprefix("sample_"), rows, _overlap)

    def _stored_already(
        self, tally: SourceTally, samples: Distinct, series: Int, meets: NDArray[np.bool_]
    ) -> NDArray[np.bool_]:
        """Which samples the store holds, as such or with another value; bool[n]."""
        self._empty_waiting()
        self.register()
        lengths = np.diff(samples.starts)
        rows = np.flatnonzero(np.repeat(meets, lengths))
        asked = pl.DataFrame(
            {
                "row_no": rows,
                "series_id": np.repeat(series, lengths)[rows].astype(np.int32),
                "ts": times_of(samples.ts_us[rows]),
                "value": samples.values[rows],
            }
        )
        stored = ask_with(self.connection, "load/stored_samples", asked)
        own = stored["source_id"] == tally.source_id
        same = stored["is_same"]
        tally.count("duplicate", int((own & same).sum()))
        tally.count("conflict", int((~same).sum()))
        tally.count("overlap", int((~own & same).sum()))
        tally.overlapping += int((~own).sum())
        lost = np.zeros(samples.ts_us.size, dtype=bool)
        lost[stored["row_no"].to_numpy()] = True
        return lost

    def _store_other(self, tally: SourceTally, samples: Distinct, series: Int) -> None:
        rows = pl.DataFrame(
            {
                "ts": times_of(samples.ts_us),
                "series_id": np.repeat(series, np.diff(samples.starts)).astype(np.int32),
                "value": samples.values,
                "source_id": np.full(samples.ts_us.size, tally.source_id, dtype=np.int32),
            }
        )
        hand_over(self.connection, "load/insert_other", rows)

    def _wait(
        self, family: str, rows: pl.DataFrame, meet: Callable[[pl.DataFrame, pl.DataFrame], bool]
    ) -> None:
        """Keep rows back: a later part may have other measurements of the same moments."""
        before = self._waiting.get(family)
        if before is None:
            self._waiting[family] = _Waiting(rows)
            return
        if not before.staged and not meet(before.rows, rows):
            self._insert(family, before.rows)
            before.rows = rows
            return
        hand_over(self.connection, "load/stage_sample", before.rows, {"family": family})
        before.rows, before.staged = rows, True

    def _insert(self, family: str, rows: pl.DataFrame) -> None:
        """Store rows in the order of time, as questions ask for spans."""
        ordered = rows if _is_in_order(rows["ts"]) else rows.sort("ts", "target_id")
        hand_over(self.connection, f"load/insert_{family}", ordered)

    def _empty_waiting(self) -> None:
        merged = False
        for family in FAMILIES:
            waiting = self._waiting.pop(family, None)
            if waiting is None:
                continue
            if waiting.staged:
                hand_over(self.connection, "load/stage_sample", waiting.rows, {"family": family})
                execute(self.connection, f"load/merge_{family}")
                merged = True
            else:
                self._insert(family, waiting.rows)
        if merged:
            execute(self.connection, "load/create_staged")

    def _add_buckets(self, samples: Distinct, keys: list[Resolved]) -> None:
        self._bucket_parts += 1
        portion = describe(samples.ts_us, samples.values, samples.starts)
        self._buckets_meet |= bool(self._buckets.meeting(samples.keys, portion).any())
        self._buckets.add(samples.keys, portion)
        self._bucket_metrics.update((one.series_id, one.metric) for one in keys)
        lengths = np.diff(samples.starts)
        series = np.array([one.series_id for one in keys], dtype=np.int32)
        bounds = np.array([one.le for one in keys], dtype=np.float64)
        rows = pl.DataFrame(
            {
                "series_id": np.repeat(series, lengths),
                "le": np.repeat(bounds, lengths),
                "ts": times_of(samples.ts_us),
                "value": samples.values,
                "part": np.full(samples.ts_us.size, self._bucket_parts, dtype=np.int32),
            }
        )
        hand_over(self.connection, "load/stage_buckets", rows)

    def _store_buckets(self, tally: SourceTally) -> None:
        if self._buckets_meet:
            copies = run(self.connection, "load/count_bucket_copies").row(0, named=True)
            tally.count("duplicate", copies["duplicates"])
            tally.count("conflict", copies["conflicts"])
            execute(self.connection, "load/settle_buckets")
        source = {"source_id": tally.source_id}
        execute(self.connection, "load/judge_histograms")
        judged = run(self.connection, "load/count_judged").row(0, named=True)
        tally.rows_kept += judged["fresh"]
        tally.overlapping += judged["overlapping"] + judged["conflicts"]
        tally.count("overlap", judged["overlapping"])
        tally.count("conflict", judged["conflicts"])
        self._remark_falling(tally)
        execute(self.connection, "load/insert_bounds")
        execute(self.connection, "load/insert_histograms", source)
        self.register()
        execute(self.connection, "load/refresh_histograms")
        execute(self.connection, "load/create_staged_bucket")
        self._buckets = Extents()
        self._bucket_parts, self._buckets_meet = 0, False
        self._bucket_metrics.clear()

    def _remark_falling(self, tally: SourceTally) -> None:
        """Say of which metrics new histograms count fewer up to a bound than up to a lower one."""
        falling = run(self.connection, "load/count_falling_buckets")
        for series_id, moments in falling.iter_rows():
            tally.remark(
                Finding(
                    "falling_buckets",
                    "warning",
                    "histograms count fewer observations up to a bound than up to a lower one, which cannot be",
                    moments,
                    self._bucket_metrics[series_id],
                    "stored as they are; a quantile is taken from the lowest bound that reaches its share, so it may"
                    " be wrong in the windows that begin or end at these moments",
                )
            )


def _is_in_order(times: pl.Series) -> bool:
    """Whether times rise, but for little steps back as between targets that are scraped one after the other."""
    ts_us = times.to_physical().to_numpy()
    back = int((np.maximum.accumulate(ts_us) - ts_us).max())
    return back * _ORDERLY <= int(ts_us.max() - ts_us.min())


def _overlap(earlier: pl.DataFrame, later: pl.DataFrame) -> bool:
    """Whether the later rows begin before the earlier ones end."""
    ends = pl.concat([earlier.select(pl.col("ts").max()), later.select(pl.col("ts").min())])["ts"]
    return not ends[0] < ends[1]


def _share_moments(earlier: pl.DataFrame, later: pl.DataFrame) -> bool:
    """Whether a target has rows of the same moment in both."""
    met = _spans(earlier).join(_spans(later), on="target_id")
    met = met.filter(
        pl.col("first") <= pl.col("last_right"), pl.col("last") >= pl.col("first_right")
    )
    # all at once would take as much memory again as the rows themselves
    for targets in met["target_id"].sort().to_frame().iter_slices(_TARGETS):
        chosen = pl.col("target_id").is_in(targets["target_id"].implode())
        one, other = (
            rows.lazy().filter(chosen).select("ts", "target_id") for rows in (earlier, later)
        )
        shared = one.join(other, on=["ts", "target_id"], how="semi").head(1)
        if not shared.collect().is_empty():
            return True
    return False


def _spans(rows: pl.DataFrame) -> pl.DataFrame:
    first, last = pl.col("ts").min().alias("first"), pl.col("ts").max().alias("last")
    return rows.group_by("target_id").agg(first, last)
