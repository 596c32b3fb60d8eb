"""Samples on their way into the store: gathered by key, in order of time, one per moment."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

__all__ = ["Batch", "Distinct", "distinct"]

Int = NDArray[np.int64]
Float = NDArray[np.float64]
_HOUR_US = 3_600_000_000
_MOST_HOURS = 3
# no export has an hour twice more often than this
_MOST_RETURNS = 2
_NEVER = np.iinfo(np.int64).min


@dataclass
class Batch:
    """Samples in the order of reading, as runs of one exported series each.

    Attributes:
        keys: per part int64[runs], where the samples of a run go.
        inputs: per part int64[runs], which exported series they are of.
        lengths: per part int64[runs], samples of a run.
        ts_us: per part int64[n], microseconds since the epoch.
        values: per part float64[n].
        size: samples in all.
    """

    keys: list[Int] = field(default_factory=list)
    inputs: list[Int] = field(default_factory=list)
    lengths: list[Int] = field(default_factory=list)
    ts_us: list[Int] = field(default_factory=list)
    values: list[Float] = field(default_factory=list)
    size: int = 0

    def add(self, keys: Int, inputs: Int, lengths: Int, ts_us: Int, values: Float) -> None:
        """Take the runs of a chunk."""
        self.keys.append(keys)
        self.inputs.append(inputs)
        self.lengths.append(lengths)
        self.ts_us.append(ts_us)
        self.values.append(values)
        self.size += ts_us.size

    def holds(self, keys: Set[int]) -> bool:
        """Whether any of these keys has samples in the batch."""
        return any(not keys.isdisjoint(np.unique(part).tolist()) for part in self.keys)


@dataclass(frozen=True)
class Distinct:
    """Samples by key, in each by time, one per moment.

    Attributes:
        keys: int64[k], ascending.
        starts: int64[k + 1], where the samples of each key begin; the last is n.
        ts_us: int64[n], microseconds since the epoch.
        values: float64[n].
        duplicates: samples left out that repeat the kept one.
        conflicts: samples left out whose value differs from the kept one.
        disordered: samples older than the one before them in their exported series.
        returns: int64[m, 2], of exported series that go through one to three hours again: the last time before,
            and the hours.
    """

    keys: Int
    starts: Int
    ts_us: Int
    values: Float
    duplicates: int = 0
    conflicts: int = 0
    disordered: int = 0
    returns: Int = field(default_factory=lambda: np.zeros((0, 2), np.int64))

    def take(self, chosen: NDArray[np.bool_]) -> Distinct:
        """The samples of some keys, bool[k]."""
        if chosen.all():
            return self
        lengths = np.diff(self.starts)
        kept = np.repeat(chosen, lengths)
        starts = np.concatenate(([0], np.cumsum(lengths[chosen])))
        return Distinct(self.keys[chosen], starts, self.ts_us[kept], self.values[kept])

    def without(self, lost: NDArray[np.bool_]) -> Distinct:
        """Leave out some samples, bool[n]; keys without any go too."""
        kept = ~lost
        lengths = np.add.reduceat(kept, self.starts[:-1], dtype=np.int64)
        some = lengths > 0
        starts = np.concatenate(([0], np.cumsum(lengths[some])))
        return Distinct(self.keys[some], starts, self.ts_us[kept], self.values[kept])


def distinct(batch: Batch, newest_us: Int) -> Distinct:
    """Order a batch by key and time and leave out copies; of samples at one moment the first read is kept.

    Args:
        batch: not empty.
        newest_us: int64[inputs], time of the last sample read of each exported series before this batch;
            changed to that of the batch.
    """
    keys, inputs, lengths = (
        np.concatenate(parts) for parts in (batch.keys, batch.inputs, batch.lengths)
    )
    ts_us, values = np.concatenate(batch.ts_us), np.concatenate(batch.values)
    keys, inputs, lengths = _joined(keys, inputs, lengths)
    disordered, returns = _disorder(inputs, lengths, ts_us, newest_us)
    if np.unique(keys).size == keys.size:
        order = np.argsort(keys, kind="stable")
        if (order[1:] > order[:-1]).all():
            starts = np.concatenate(([0], np.cumsum(lengths)))
        else:
            ts_us, values, starts = _reordered_runs(order, lengths, ts_us, values)
        keys = keys[order]
    else:
        keys, starts, ts_us, values = _by_key(keys, lengths, ts_us, values)
    if _is_within(np.less(ts_us[1:], ts_us[:-1]), starts).any():
        by_time = np.lexsort((ts_us, np.repeat(np.arange(keys.size), np.diff(starts))))
        ts_us, values = ts_us[by_time], values[by_time]
    same = _is_within(np.equal(ts_us[1:], ts_us[:-1]), starts)
    if not same.any():
        return Distinct(keys, starts, ts_us, values, disordered=disordered, returns=returns)
    kept = _without_copies(keys, starts, ts_us, values, same)
    return replace(kept, disordered=disordered, returns=returns)


def _joined(keys: Int, inputs: Int, lengths: Int) -> tuple[Int, Int, Int]:
    """Runs of one input that follow each other, as at the seam of two chunks, as one."""
    begins = np.concatenate(([True], (keys[1:] != keys[:-1]) | (inputs[1:] != inputs[:-1])))
    if begins.all():
        return keys, inputs, lengths
    at = np.flatnonzero(begins)
    return keys[at], inputs[at], np.add.reduceat(lengths, at)


def _disorder(inputs: Int, lengths: Int, ts_us: Int, newest_us: Int) -> tuple[int, Int]:
    """Count samples older than the one before them in their exported series, and find hours that come again."""
    if np.unique(inputs).size < inputs.size:
        order, starts, inputs = _sample_order(inputs, lengths)
        ts_us = ts_us[order]
    else:
        starts = np.concatenate(([0], np.cumsum(lengths)))
    back = np.flatnonzero(_is_within(np.less(ts_us[1:], ts_us[:-1]), starts))
    returns = _returns(ts_us, starts, back, newest_us[inputs] != _NEVER)
    count = back.size + np.count_nonzero(ts_us[starts[:-1]] < newest_us[inputs])
    newest_us[inputs] = ts_us[starts[1:] - 1]
    return int(count), returns


def _returns(ts_us: Int, starts: Int, back: Int, is_known: NDArray[np.bool_]) -> Int:
    """Steps back by whole hours into a time that the same series has just been through.

    Args:
        ts_us: int64[n], by exported series, in the order of reading.
        starts: int64[k + 1], where each series begins.
        back: samples whose next one is older.
        is_known: bool[k], whether a series has samples before these.
    """
    begins = np.union1d(starts[:-1], back + 1)
    run = begins[np.searchsorted(begins, back, side="right") - 1]
    series = np.searchsorted(starts, back, side="right") - 1
    spacing = ts_us[back] - ts_us[np.maximum(back - 1, run)]
    early = ts_us[back] + spacing - ts_us[back + 1]
    hours = np.rint(early / _HOUR_US).astype(np.int64)
    is_whole = (hours >= 1) & (hours <= _MOST_HOURS)
    is_whole &= (spacing > 0) & (np.abs(early - hours * _HOUR_US) <= spacing / 2)
    been_there = (ts_us[run] <= ts_us[back + 1]) | ((run == starts[series]) & is_known[series])
    found = is_whole & been_there
    often = np.bincount(series[found], minlength=starts.size) > _MOST_RETURNS
    found &= ~often[series]
    return np.column_stack((ts_us[back[found]], hours[found]))


def _sample_order(groups: Int, lengths: Int) -> tuple[Int, Int, Int]:
    """A stable order of samples by the group of their run, where each group begins, and the groups."""
    found, code = np.unique(groups, return_inverse=True)
    # narrow codes are sorted by radix
    narrow = code.astype(np.uint16) if found.size < 2**16 else code
    per_sample = np.repeat(narrow, lengths)
    counts = np.bincount(code, weights=lengths, minlength=found.size).astype(np.int64)
    order = np.argsort(per_sample, kind="stable")
    return order, np.concatenate(([0], np.cumsum(counts))), found


def _by_key(keys: Int, lengths: Int, ts_us: Int, values: Float) -> tuple[Int, Int, Int, Float]:
    order, starts, found = _sample_order(keys, lengths)
    return found, starts, ts_us[order], values[order]


def _reordered_runs(order: Int, lengths: Int, ts_us: Int, values: Float) -> tuple[Int, Float, Int]:
    begins = np.concatenate(([0], np.cumsum(lengths)))
    pieces = [slice(begins[run], begins[run + 1]) for run in order]
    starts = np.concatenate(([0], np.cumsum(lengths[order])))
    return (
        np.concatenate([ts_us[piece] for piece in pieces]),
        np.concatenate([values[piece] for piece in pieces]),
        starts,
    )


def _is_within(told: NDArray[np.bool_], starts: Int) -> NDArray[np.bool_]:
    """What is told of each sample and the one before it, bool[n - 1], where both are of one key; changed in place."""
    told[starts[1:-1] - 1] = False
    return told


def _without_copies(
    keys: Int,
    starts: Int,
    ts_us: Int,
    values: Float,
    same: NDArray[np.bool_],
) -> Distinct:
    copy = np.concatenate(([False], same))
    kept_one = np.maximum.accumulate(np.where(copy, 0, np.arange(copy.size)))
    differs = copy & (values != values[kept_one])
    conflicts = int(np.count_nonzero(differs))
    kept = Distinct(keys, starts, ts_us, values).without(copy)
    return Distinct(
        kept.keys,
        kept.starts,
        kept.ts_us,
        kept.values,
        duplicates=int(np.count_nonzero(copy)) - conflicts,
        conflicts=conflicts,
    )
