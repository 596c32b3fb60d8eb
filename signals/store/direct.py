"""Rows of a table that has samples side by side, straight into the rows of a family's table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from signals.store.cleaning import TIMES_US, is_plain
from signals.store.deposit import Deposit
from signals.store.extents import Portion, describe_times, describe_values
from signals.store.registry import FAMILIES, Resolved
from signals.store.tally import SourceTally

__all__ = ["Owners", "owners_of", "take_directly"]

Int = NDArray[np.int64]
Float = NDArray[np.float64]


@dataclass(frozen=True)
class _Order:
    """Rows by target, in each by time.

    Attributes:
        rows: int64[n], numbers of rows.
        starts: int64[k + 1], where each target begins.
        groups: int64[k], index of a group of series of each target.
        ts_us: int64[n], in this order.
        times: what follows from them.
    """

    rows: Int
    starts: Int
    groups: Int
    ts_us: Int
    times: Portion


@dataclass(frozen=True)
class Owners:
    """What the columns of rows are, group by group of their series.

    Attributes:
        targets: int32[groups], the target that the first column of each group is of.
        series: int64[groups, columns], numbers of stored series.
        columns: what all series of a column are; None if they are not one column of a family's table, of the
            target of their group, or an earlier column is the same one.
    """

    targets: NDArray[np.int32]
    series: Int
    columns: tuple[Resolved | None, ...]


def owners_of(groups: Sequence[Sequence[Resolved]]) -> Owners:
    """Look over the series of rows, which groups of rows share."""
    columns: list[Resolved | None] = []
    for column in zip(*groups, strict=True):
        # an old and a new name may be columns beside each other, of one measurement
        taken = {(one.stored_in, one.measurement) for one in columns if one is not None}
        first = column[0]
        is_free = (first.stored_in, first.measurement) not in taken
        columns.append(first if is_free and _is_column(column, groups) else None)
    return Owners(
        targets=np.array([group[0].target_id for group in groups], dtype=np.int32),
        series=np.array([[one.series_id for one in group] for group in groups], dtype=np.int64),
        columns=tuple(columns),
    )


def take_directly(
    deposit: Deposit, tally: SourceTally, rows: pl.DataFrame, owners: Owners, newest_us: Int
) -> list[int]:
    """Store the columns of rows that can go as they are.

    A column can if all its series have the same column of a family's table, its values need no cleaning, and
    none of them is older than, or as old as, another one of its series.

    Args:
        deposit: where they go.
        tally: of their source.
        rows: `group` UInt32 (row of `owners`), `ts`, and the columns.
        owners: what the columns are.
        newest_us: int64[groups, columns], time of the last sample read of each series before these; changed to
            that of the rows where they are stored.

    Returns:
        Numbers of the columns that have to take the long way.
    """
    names = rows.columns[2:]
    order = _order(rows, owners.targets)
    if order is None:
        return list(range(len(names)))
    left: list[int] = []
    ready: dict[str, list[pl.Series]] = {}
    for number, name in enumerate(names):
        meaning = owners.columns[number]
        if meaning is None or not _note(
            (deposit, tally),
            rows[name],
            meaning,
            order,
            (owners.series[:, number], newest_us[:, number]),
        ):
            left.append(number)
            continue
        value = rows[name] if meaning.factor == 1.0 else rows[name] * meaning.factor
        ready.setdefault(meaning.stored_in, []).append(value.alias(meaning.measurement))
    targets = pl.Series("target_id", owners.targets[rows["group"].to_numpy()])
    source = pl.repeat(tally.source_id, rows.height, dtype=pl.Int32, eager=True)
    for table, columns in ready.items():
        frame = pl.DataFrame([rows["ts"], targets, source.alias("source_id"), *columns])
        deposit.add_rows(tally, table.removeprefix("sample_"), frame)
    return left


def _order(rows: pl.DataFrame, targets: NDArray[np.int32]) -> _Order | None:
    """Rows by target; None if a time is out of any calendar, or the rows of a target do not rise in time."""
    ts_us = rows["ts"].to_physical().to_numpy()
    if ts_us.min() < TIMES_US[0] or ts_us.max() > TIMES_US[1]:
        return None
    found, first, code = np.unique(targets, return_index=True, return_inverse=True)
    # narrow codes are sorted by radix
    narrow = code.astype(np.uint16) if found.size < 2**16 else code
    per_row = narrow[rows["group"].to_numpy()]
    order = np.argsort(per_row, kind="stable")
    counts = np.bincount(per_row, minlength=found.size)
    some = counts > 0
    starts = np.concatenate(([0], np.cumsum(counts[some])))
    by_target = ts_us[order]
    step = np.diff(by_target)
    step[starts[1:-1] - 1] = 1
    if (step <= 0).any():
        return None
    return _Order(order, starts, first[some], by_target, describe_times(by_target, starts))


def _is_column(owners: Sequence[Resolved], series: Sequence[Sequence[Resolved]]) -> bool:
    """Whether all series of a column are the same measurement, of the target that their group is of."""
    first = owners[0]
    place = (first.stored_in, first.measurement, first.factor, first.low, first.high)
    return first.stored_in.removeprefix("sample_") in FAMILIES and all(
        (one.stored_in, one.measurement, one.factor, one.low, one.high) == place
        and one.target_id == group[0].target_id
        for one, group in zip(owners, series, strict=True)
    )


def _note(
    place: tuple[Deposit, SourceTally],
    column: pl.Series,
    meaning: Resolved,
    order: _Order,
    series: tuple[Int, Int],
) -> bool:
    """Note the extents of a column's series; False if its values need cleaning or may be known already.

    Args:
        place: where they go, and the tally of their source.
        column: values by row.
        meaning: what they are.
        order: of the rows.
        series: by group, numbers of the series, and the time of the last sample read of each.
    """
    deposit, tally = place
    groups, newest_us = order.groups, series[1]
    ids = series[0][groups]
    values, ts_us, starts, times = column.to_numpy(), order.ts_us, order.starts, order.times
    rows = order.rows
    if column.null_count():
        if column.is_nan().any():
            return False
        there = column.is_not_null().to_numpy()[rows]
        lengths = np.add.reduceat(there, starts[:-1], dtype=np.int64)
        some = lengths > 0
        rows, ts_us = rows[there], ts_us[there]
        groups, ids, lengths = groups[some], ids[some], lengths[some]
        if not rows.size:
            return True
        starts = np.concatenate(([0], np.cumsum(lengths)))
        times = describe_times(ts_us, starts)
    if deposit.extents.meeting(ids, times).any():
        return False
    ordered = values[rows] if meaning.factor == 1.0 else values[rows] * meaning.factor
    portion = {**times, **describe_values(ordered, starts)}
    if not is_plain(meaning, float(portion["lowest"].min()), float(portion["highest"].max())):
        return False
    deposit.extents.add(ids, portion)
    tally.series.update(ids.tolist())
    tally.count("out_of_order", int(np.count_nonzero(times["first_us"] < newest_us[groups])))
    newest_us[groups] = times["last_us"]
    tally.extend(int(times["first_us"].min()), int(times["last_us"].max()))
    return True
