"""Times at which no instance of a fleet, or of one of its pools, reports."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from signals.schema import Finding
from signals.store.quality.figures import SECOND, most, span, times
from signals.store.quality.gaps import Scrapes, gap_findings

__all__ = ["silence_findings"]


def silence_findings(stats: pl.DataFrame, scrapes: Scrapes) -> Iterator[Finding]:
    """Say when all instances are silent at once, and which gaps of targets are left beside that of a pool.

    Args:
        stats: STATISTICS of the load.
        scrapes: of its uneven targets, with the pools of all.
    """
    engine = stats.filter((pl.col("family") == "engine") & pl.col("spacing_us").is_not_null())
    if engine.is_empty():
        yield from gap_findings(stats, scrapes)
        return
    patience_us = max(5 * most(engine, "spacing_us"), 60.0 * SECOND)
    lives = _lives(engine, scrapes.gaps)
    fleet = _holes(lives, patience_us)
    if not fleet.is_empty():
        yield _told(fleet, "", "no instance reports", "a fleet")
    inside = lives.join(scrapes.pools.filter(~pl.col("outside")), on="target_id")
    pools = inside["pool"].unique().sort().to_list()
    gaps = scrapes.gaps
    for pool in pools if len(pools) > 1 else []:
        holes = _outside(_holes(inside.filter(pool=pool), patience_us), fleet, patience_us)
        if not holes.is_empty():
            yield _told(holes, pool, f"no {pool} instance reports while others do,", "a pool")
            members = scrapes.pools.filter(pool=pool)["target_id"].implode()
            of_pool = pl.col("target_id").is_in(members)
            left = _outside(gaps.filter(of_pool), holes, patience_us)
            gaps = pl.concat([gaps.filter(~of_pool), left])
    yield from gap_findings(stats, Scrapes(gaps, scrapes.changes, scrapes.pools))


def _lives(engine: pl.DataFrame, gaps: pl.DataFrame) -> pl.DataFrame:
    """Spans in which a target reports: target_id, begin_us, end_us."""
    ends = engine.group_by("target_id").agg(pl.col("first_us").min(), pl.col("last_us").max())
    own = gaps.join(ends, on="target_id", how="semi")
    begins = pl.concat(
        [
            ends.select("target_id", at="first_us"),
            own.select("target_id", at="end_us"),
        ]
    ).sort("target_id", "at")
    stops = pl.concat(
        [
            ends.select("target_id", at="last_us"),
            own.select("target_id", at="begin_us"),
        ]
    ).sort("target_id", "at")
    return begins.rename({"at": "begin_us"}).with_columns(end_us=stops["at"])


def _holes(lives: pl.DataFrame, patience_us: float) -> pl.DataFrame:
    """Times between lives that none of them covers: begin_us, end_us."""
    ordered = lives.sort("begin_us")
    holes = ordered.select(begin_us=pl.col("end_us").cum_max().shift(1), end_us="begin_us")
    return holes.filter(pl.col("end_us") - pl.col("begin_us") > patience_us)


def _outside(spans: pl.DataFrame, holes: pl.DataFrame, patience_us: float) -> pl.DataFrame:
    """Those spans that are not within one of the holes, give or take."""
    within = pl.lit(value=False)
    for begin_us, end_us in holes.select("begin_us", "end_us").iter_rows():
        within |= (pl.col("begin_us") >= begin_us - patience_us) & (
            pl.col("end_us") <= end_us + patience_us
        )
    return spans.filter(~within)


def _told(holes: pl.DataFrame, subject: str, said: str, what: str) -> Finding:
    longest = most(holes.select(length=pl.col("end_us") - pl.col("begin_us")), "length")
    return Finding(
        "scale_to_zero_gap",
        "info",
        f"{said} {times(holes.height)}, for up to {span(longest)}",
        holes.height,
        subject,
        f"missing, never zero: {what} at zero and a collector that is down look the same",
    )
