"""Fewer points that look the same: long series are thinned before they are drawn."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import numpy as np
import polars as pl

__all__ = ["MAX_POINTS", "downsample", "downsample_steps"]

MAX_POINTS = 2000
"""More points than this cannot be told apart on a screen."""

Window = tuple[datetime, datetime]


def downsample(
    frame: pl.DataFrame,
    x: str,
    y: str,
    *,
    max_points: int = MAX_POINTS,
    window: Window | None = None,
) -> pl.DataFrame:
    """Keep the rows that carry the look of a line: extremes of every stretch, and its gaps.

    Args:
        frame: sorted by `x`, n rows.
        x: name of a time or number column without nulls.
        y: name of a number column; null and NaN are gaps.
        max_points: largest number of rows returned, at least 16.
        window: draw only this time range; one row beyond each end is kept so that lines reach the edge.

    Returns:
        Columns `x` and `y`, at most `max_points` rows of the frame in order; gaps too narrow to be seen are
        closed, wider ones keep a null.

    Source: MinMaxLTTB, Van Der Donckt et al. 2023.
    """
    part = frame.select(x, pl.col(y).cast(pl.Float64).fill_nan(None))
    if window is not None:
        part = _cut(part, x, window)
    if part.height <= max_points:
        return part
    keep = np.zeros(part.height, dtype=bool)
    valid = part[y].is_not_null().to_numpy()
    gaps = _visible_gaps(valid, max_points)
    keep[gaps] = True
    rows = np.flatnonzero(valid)
    left = max(max_points - gaps.size, 4)
    keep[rows[_pick(part, x, y, rows, left)]] = True
    return part.filter(pl.Series(keep))


def downsample_steps(
    frame: pl.DataFrame,
    x: str,
    y: str,
    *,
    max_points: int = MAX_POINTS,
    window: Window | None = None,
) -> pl.DataFrame:
    """Keep the rows at which a step curve changes, its ends, and evenly spaced rows for the cursor to find.

    Args:
        frame: sorted by `x`.
        x: name of a time column without nulls.
        y: name of a number column that holds its value until the next row.
        max_points: largest number of rows returned, at least 16.
        window: as in `downsample`.

    Returns:
        Columns `x` and `y`; drawn as steps they look exactly like the input, unless it was thinned.
    """
    part = frame.select(x, y)
    if window is not None:
        part = _cut(part, x, window)
    if part.is_empty():
        return part
    row = pl.int_range(pl.len())
    changed = pl.col(y).ne_missing(pl.col(y).shift(1))
    regular = row % max(1, -(-part.height // (max_points // 4))) == 0
    kept = part.filter(changed | regular | (row == pl.len() - 1))
    return downsample(kept, x, y, max_points=max_points)


def _cut(part: pl.DataFrame, x: str, window: Window) -> pl.DataFrame:
    inside = ((part[x] >= window[0]) & (part[x] <= window[1])).to_numpy()
    rows = np.flatnonzero(inside)
    if rows.size == 0:
        return part.clear()
    first, last = max(int(rows[0]) - 1, 0), min(int(rows[-1]) + 1, part.height - 1)
    return part.slice(first, last - first + 1)


def _visible_gaps(valid: np.ndarray, max_points: int) -> np.ndarray:
    """Rows that draw the gaps wide enough to be seen, shape (k,), k at most three quarters of max_points."""
    edges = np.diff(np.concatenate([[1], valid.astype(np.int8), [1]]))
    starts, ends = np.flatnonzero(edges == -1), np.flatnonzero(edges == 1)
    wide = ends - starts > 4 * valid.size / max_points
    starts, ends = starts[wide], ends[wide]
    rows = np.concatenate([starts - 1, starts, ends])
    return np.unique(rows[(rows >= 0) & (rows < valid.size)])


def _pick(part: pl.DataFrame, x: str, y: str, rows: np.ndarray, n_out: int) -> np.ndarray:
    if rows.size <= n_out:
        return np.arange(rows.size)
    from tsdownsample import MinMaxLTTBDownsampler

    xs = part[x].to_physical().to_numpy()[rows]
    ys = np.ascontiguousarray(part[y].to_numpy()[rows])
    xs = xs.astype(np.float64) if xs.dtype.kind == "f" else xs.astype(np.int64)
    sampler: Any = MinMaxLTTBDownsampler
    picked: np.ndarray = sampler().downsample(np.ascontiguousarray(xs), ys, n_out=n_out)
    return picked
