"""Samples of one scrape side by side: from one series after the other to a row per target and moment."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from signals.schema import TIMESTAMP
from signals.store.batch import Distinct

__all__ = ["side_by_side", "table_of", "times_of"]

Int = NDArray[np.int64]
Float = NDArray[np.float64]
_PREFIX = "sample_"


def table_of(family: str) -> str:
    """The table of a family."""
    return _PREFIX + family


def side_by_side(
    samples: Distinct, targets: Int, measurements: Sequence[str], *, source_id: int
) -> pl.DataFrame:
    """Arrange samples as rows of a family's table.

    Args:
        samples: of k keys, each a measurement of a target; no target has a measurement twice.
        targets: int64[k], number of each key's target.
        measurements: k names.
        source_id: the source they came from.

    Returns:
        Columns ts, target_id, source_id and one per measurement that occurs; null where a target has no
        value of it at that moment. Rows are ordered by target and time.
    """
    order = np.argsort(targets, kind="stable")
    borders = np.flatnonzero(np.diff(targets[order])) + 1
    groups = np.split(order, borders)
    moments = [_moments(samples, group) for group in groups]
    sizes = np.array([len(ts) for ts in moments], dtype=np.int64)
    starts = np.concatenate(([0], np.cumsum(sizes)))
    names = sorted(set(measurements))
    held = dict.fromkeys(names, 0)
    columns = {name: np.full(starts[-1], np.nan) for name in names}
    for number, group in enumerate(groups):
        room = slice(starts[number], starts[number + 1])
        for key in group:
            part = slice(samples.starts[key], samples.starts[key + 1])
            held[measurements[key]] += part.stop - part.start
            _fill(columns[measurements[key]][room], moments[number], samples, part)
    frame = pl.DataFrame(
        {
            "ts": times_of(np.concatenate(moments)),
            "target_id": np.repeat(targets[order][np.concatenate(([0], borders))], sizes).astype(
                np.int32
            ),
            "source_id": np.full(starts[-1], source_id, dtype=np.int32),
            **columns,
        }
    )
    # NaN marks the holes: staleness markers were dropped before
    holed = [name for name in names if held[name] < starts[-1]]
    return frame.with_columns(pl.col(holed).fill_nan(None)) if holed else frame


def times_of(ts_us: Int) -> pl.Series:
    """Microseconds since the epoch as times."""
    return pl.Series(ts_us).cast(pl.Datetime("us")).dt.replace_time_zone("UTC").cast(TIMESTAMP)


def _moments(samples: Distinct, group: Int) -> Int:
    """The moments of a target: those of its first series if all agree."""
    pieces = [samples.ts_us[samples.starts[key] : samples.starts[key + 1]] for key in group]
    first = pieces[0]
    if all(np.array_equal(first, other) for other in pieces[1:]):
        return first
    return np.unique(np.concatenate(pieces))


def _fill(room: Float, moments: Int, samples: Distinct, part: slice) -> None:
    if part.stop - part.start == moments.size:
        room[:] = samples.values[part]
    else:
        room[np.searchsorted(moments, samples.ts_us[part])] = samples.values[part]
