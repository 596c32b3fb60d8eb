"""When series have samples: intervals, short lives."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from signals.schema import Finding
from signals.store.quality.figures import (
    Judge,
    by_metric,
    least,
    most,
    span,
)

__all__ = ["TIMING"]


def _intervals(frame: pl.DataFrame) -> Iterator[Finding]:
    known = frame.filter(
        pl.col("spacing_us").is_not_null()
        & (pl.col("samples") >= 5)
        & (pl.col("measurement") != "")
    )
    for metric, rows in by_metric(known):
        low, high = least(rows, "spacing_us"), most(rows, "spacing_us")
        if high > 1.5 * low:
            yield Finding(
                "mixed_intervals",
                "info",
                f"series of {metric} are sampled every {span(low)} to {span(high)}",
                rows.height,
                metric,
                "each is read at its own interval",
            )


def _churn(frame: pl.DataFrame) -> Iterator[Finding]:
    mapped = frame.filter((pl.col("measurement") != "") & (pl.col("part") != "bucket"))
    for metric, rows in by_metric(mapped):
        whole = most(rows, "last_us") - least(rows, "first_us")
        life = float((rows["last_us"] - rows["first_us"]).median() or 0)  # type: ignore[arg-type]
        if rows.height >= 10 and whole > 0 and life <= 0.2 * whole:
            yield Finding(
                "label_churn",
                "info",
                f"{metric} has {rows.height} series, of which half live less than {span(life)} of {span(whole)}",
                rows.height,
                metric,
                "each counts from its first to its last sample; rates come before sums",
            )


TIMING: tuple[Judge, ...] = (
    _intervals,
    _churn,
)
