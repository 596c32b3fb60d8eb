"""Rows of figures, computed slowly and plainly from points."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from itertools import pairwise

import polars as pl

from signals.store.quality import STATISTICS

Points = Sequence[tuple[float, float]]


def figures_of(
    *series: tuple[str, Points],
    target: int | Sequence[int] = 1,
    measurement: str = "running",
    part: str = "value",
    kind: str = "gauge",
    family: str = "engine",
    unit: str = "count",
) -> pl.DataFrame:
    """STATISTICS of series, each of a metric and (seconds, value) points."""
    targets = [target] * len(series) if isinstance(target, int) else target
    rows = [
        {
            "series_id": number,
            "target_id": targets[number],
            "metric": metric,
            "measurement": measurement,
            "part": part,
            "kind": kind,
            "family": family,
            "unit_stored": unit,
            **_figures(points),
        }
        for number, (metric, points) in enumerate(series)
    ]
    return pl.DataFrame(rows, schema=pl.Schema(STATISTICS))


def every(
    step_s: float, values: Sequence[float], start_s: float = 0.0
) -> list[tuple[float, float]]:
    """Points at a constant interval."""
    return [(start_s + step_s * number, value) for number, value in enumerate(values)]


def _figures(points: Points) -> dict[str, object]:
    times = [round(second * 1e6) for second, _ in points]
    values = [value for _, value in points]
    spacings = [b - a for a, b in pairwise(times)]
    median = statistics.median(spacings) if spacings else None
    still = longest = 1
    for before, after in pairwise(values):
        still = still + 1 if before == after else 1
        longest = max(longest, still)
    return {
        "samples": len(points),
        "first_us": times[0],
        "last_us": times[-1],
        "falls": sum(b < a for a, b in pairwise(values)),
        "spacing_us": median,
        "least_spacing_us": min(spacings, default=0),
        "most_spacing_us": max(spacings, default=0),
        "gaps": sum(s > 2.5 * median for s in spacings) if median else 0,
        "lowest": min(values),
        "highest": max(values),
        "longest_still": longest,
        "last_still": still,
        "last_value": values[-1],
        "nans": 0,
    }
