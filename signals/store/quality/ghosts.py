"""Values that go on although their target is gone."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from signals.schema import Finding
from signals.store.quality.figures import SECOND, Judge, by_metric, most, some, span

__all__ = ["GHOSTS"]

_LOOK_BACK_US = 300 * SECOND
"""For so long a query takes the last sample of a series that got no mark of its end."""
_HELD = 3
_IN_FLIGHT = ("running", "queue_depth")


def _outlived_counters(frame: pl.DataFrame) -> Iterator[Finding]:
    """Values that go on, unchanged, after the counters of their target have ended."""
    counters = frame.filter((pl.col("kind") == "counter") & (pl.col("measurement") != ""))
    ends = counters.group_by("target_id").agg(end=pl.col("last_us").max())
    tail = (pl.col("last_us") - pl.col("end")) / pl.col("spacing_us")
    stale = frame.join(ends, on="target_id").filter(
        (tail > 10) & (pl.col("longest_still") >= tail) & (pl.col("part") != "unmapped")
    )
    for metric, rows in by_metric(stale):
        yield Finding(
            "staleness_ghost",
            "warning",
            f"{some(rows, 'series')} of {metric} repeat a value after the counters of their target ended",
            rows.height,
            metric,
            "kept; cut the window where the target ends if it was gone",
        )


def _held_to_the_end(frame: pl.DataFrame) -> Iterator[Finding]:
    """Targets all of whose values stand still for up to the look-back of a query, and then end before others.

    An instance that is drained rests before it ends, too. What tells them apart are requests in flight that no
    counter moves for; where none are counted, that the counters never rested for so long before.
    """
    ends = frame.group_by("target_id").agg(end_us=pl.col("last_us").max())
    if ends.height < 2:
        return
    known = frame.join(ends, on="target_id").filter(
        (pl.col("end_us") - pl.col("last_us") <= pl.col("spacing_us"))
        & (pl.col("highest") > pl.col("lowest"))
    )
    counters = pl.col("kind") == "counter"
    stood = pl.col("longest_still").filter(counters)
    held = known.group_by("target_id").agg(
        pl.col("end_us").first(),
        pl.col("spacing_us").median(),
        held=pl.col("last_still").min(),
        held_counter=pl.col("last_still").filter(counters).min(),
        # of the counter that moved last
        stood_before=stood.sort_by(pl.col("last_still").filter(counters)).first(),
    )
    at_work = (
        frame.filter(pl.col("measurement").is_in(_IN_FLIGHT) & (pl.col("family") == "engine"))
        .group_by("target_id")
        .agg(in_flight=pl.col("last_value").sum())
    )
    is_unlike_before = pl.col("held_counter") >= pl.col("stood_before")
    last_us = frame["last_us"].max()
    ghosts = (
        held.join(at_work, on="target_id", how="left")
        .with_columns(length_us=(pl.col("held") - 1) * pl.col("spacing_us"))
        .filter(
            (pl.col("held") >= _HELD)
            & (pl.col("length_us") <= _LOOK_BACK_US + pl.col("spacing_us"))
            & pl.col("held_counter").is_not_null()
            & (pl.col("end_us") + 2.5 * pl.col("spacing_us") < last_us)
            & pl.when(pl.col("in_flight").is_null())
            .then(is_unlike_before)
            .otherwise(pl.col("in_flight") > 0)
        )
    )
    if not ghosts.is_empty():
        yield Finding(
            "staleness_ghost",
            "warning",
            f"{ghosts.height} of {ends.height} targets repeat all their values, counters too, for up to"
            f" {span(most(ghosts, 'length_us'))} before they end",
            ghosts.height,
            "",
            "kept; a query repeats the last sample for 5 min after a target is gone: export raw samples, or cut"
            " the window there, unless the instance hung",
        )


GHOSTS: tuple[Judge, ...] = (_outlived_counters, _held_to_the_end)
