"""What extents are made of in tests: runs of samples, described fast and slowly."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from itertools import groupby, pairwise

import numpy as np
import polars as pl

from signals.schema import TIMESTAMP
from signals.store.extents import Extents, Portion, describe
from tests.sql.hand import at

SECOND = 1_000_000
Points = Sequence[tuple[float, float]]


def portion_of(*runs: Points) -> Portion:
    """Runs of (seconds, value) points, described."""
    starts = np.concatenate(([0], np.cumsum([len(run) for run in runs])))
    ts_us = np.array([round(s * SECOND) for run in runs for s, _ in run], dtype=np.int64)
    values = np.array([value for run in runs for _, value in run], dtype=np.float64)
    return describe(ts_us, values, starts)


def slowly(points: Points) -> dict[str, float]:
    """The same, one obvious line after the other."""
    times = [round(second * SECOND) for second, _ in points]
    values = [float(value) for _, value in points]
    spacings = [b - a for a, b in pairwise(times)]
    median = statistics.median(spacings) if spacings else float("nan")
    stills = [len(list(run)) for _, run in groupby(values)]
    return {
        "samples": len(points),
        "first_us": times[0],
        "last_us": times[-1],
        "spacing_us": median,
        "least_spacing_us": min(spacings, default=0),
        "most_spacing_us": max(spacings, default=0),
        "gaps": sum(spacing > 2.5 * median for spacing in spacings),
        "falls": sum(b < a for a, b in pairwise(values)),
        "lowest": min(values),
        "highest": max(values),
        "longest_still": max(stills),
        "first_still": stills[0],
        "last_still": stills[-1],
        "first_value": values[0],
        "last_value": values[-1],
    }


def every(
    step_s: float, values: Sequence[float], start_s: float = 0.0
) -> list[tuple[float, float]]:
    return [(start_s + step_s * number, value) for number, value in enumerate(values)]


def added(*portions: Points, series: int = 3) -> Extents:
    """An empty store's extents after portions of one series."""
    extents = Extents()
    for points in portions:
        extents.add(np.array([series]), portion_of(points))
    return extents


def stored(points: Points, series: int = 3) -> Extents:
    """The extents of a store that holds these samples of one series."""
    known = slowly(points)
    spacing = known["spacing_us"]
    frame = pl.DataFrame(
        {
            "series_id": [series],
            "first_at": [at(points[0][0])],
            "last_at": [at(points[-1][0])],
            "samples": [len(points)],
            "resets": [int(known["falls"])],
            "resolution_s": [None if np.isnan(spacing) else spacing / 1e6],
        },
        schema_overrides={
            "series_id": pl.Int32,
            "first_at": TIMESTAMP,
            "last_at": TIMESTAMP,
            "resolution_s": pl.Float64,
        },
    )
    extents = Extents()
    extents.know(frame)
    return extents


def shifted(points: Points) -> list[tuple[float, float]]:
    """Points whose seconds count from START, as those of `stored`, in seconds since the epoch."""
    return [(at(second).timestamp(), value) for second, value in points]
