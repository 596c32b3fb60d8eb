"""When targets were scraped: times without any sample, and intervals that change."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial

import polars as pl

from signals.schema import Finding
from signals.store.quality.figures import SECOND, most, span, times

__all__ = ["Scrapes", "gap_findings", "scrapes_of", "uneven_targets"]

_GAP = 2.5
_SLOWER = 1.5
_AROUND = 20
"""Spacings before and after one that it is held against."""
_GAPS: dict[str, type[pl.DataType]] = {
    "target_id": pl.Int32,
    "begin_us": pl.Int64,
    "end_us": pl.Int64,
}
_CHANGES: dict[str, type[pl.DataType]] = {
    "target_id": pl.Int32,
    "since_us": pl.Int64,
    "before_us": pl.Float64,
    "after_us": pl.Float64,
}
_POOLS: dict[str, type[pl.DataType]] = {
    "target_id": pl.Int32,
    "pool": pl.String,
    "outside": pl.Boolean,
}


@dataclass(frozen=True)
class Scrapes:
    """What the moments of scrapes say.

    Attributes:
        gaps: target_id, begin_us, end_us: the samples between which one or more are missing.
        changes: target_id, since_us, before_us, after_us: moments from which on the spacing is another one.
        pools: target_id, pool, outside: where all targets of the load belong.
    """

    gaps: pl.DataFrame
    changes: pl.DataFrame
    pools: pl.DataFrame = field(default_factory=partial(pl.DataFrame, schema=_POOLS))

    @classmethod
    def even(cls, pools: pl.DataFrame | None = None) -> Scrapes:
        """Of targets whose scrapes follow each other evenly."""
        known = pl.DataFrame(schema=_POOLS) if pools is None else pools
        return cls(pl.DataFrame(schema=_GAPS), pl.DataFrame(schema=_CHANGES), known)

    def joined(self, other: Scrapes) -> Scrapes:
        """Together with those of other targets, whose pools are known here."""
        return Scrapes(
            pl.concat([self.gaps, other.gaps]),
            pl.concat([self.changes, other.changes]),
            self.pools,
        )


def uneven_targets(stats: pl.DataFrame) -> pl.DataFrame:
    """Targets with a series of uneven spacing, whose moments are worth a look: target_id, ascending."""
    uneven = (pl.col("gaps") > 0) | (
        (pl.col("least_spacing_us") > 0) & (pl.col("least_spacing_us") < 0.6 * pl.col("spacing_us"))
    )
    return stats.filter(uneven).select("target_id").unique().sort("target_id")


def scrapes_of(moments: pl.DataFrame, since_us: int = 0) -> Scrapes:
    """Find times without samples, and changes of the interval.

    A spacing is a gap if it is above 2.5 times the upper quartile of the 20 before it, and of the 20 after it.
    Two replicas of a collector make short and long spacings take turns, and an interval may change: neither is
    a gap, as the long spacings have their like on one side at least.

    Args:
        moments: target_id, ts_us: at which any series of the target has a sample; ordered, each once.
        since_us: gaps and changes before are left out; at that moment an interval may change.

    Returns:
        Gaps and changes in the order of targets and times.
    """
    spacing = pl.col("ts_us").diff().over("target_id").cast(pl.Float64)
    spaced = moments.select(
        pl.col("target_id").cast(pl.Int32),
        begin_us=pl.col("ts_us").shift(1).over("target_id"),
        end_us="ts_us",
        spacing=spacing,
    ).drop_nulls("spacing")
    before, after = _sides(0.75, 3)
    paced = spaced.with_columns(before=before, after=after)
    pace = pl.max_horizontal("before", "after")
    judged = paced.with_columns(
        is_gap=(pl.col("spacing") > _GAP * pace).fill_null(value=False),
        differs=_differ(pl.col("before"), pl.col("after")),
    )
    gaps = judged.filter("is_gap", pl.col("begin_us") >= since_us).select(list(_GAPS))
    # few targets have sides that differ anywhere, and only they are worth a closer look
    changing = judged.filter(pl.col("differs").any().over("target_id"), ~pl.col("is_gap"))
    changes = _changes(changing)
    # a load may begin one spacing after the stored samples end
    lasts = pl.col("since_us") + 2 * pl.max_horizontal("before_us", "after_us") >= since_us
    return Scrapes(gaps, changes.filter(lasts))


def _sides(quantile: float, least: int) -> tuple[pl.Expr, pl.Expr]:
    """A quantile of the spacings before each one of its target, and of those after it."""

    def rolled(spacing: pl.Expr) -> pl.Expr:
        return spacing.rolling_quantile(
            quantile, interpolation="lower", window_size=_AROUND, min_samples=least
        )

    spacing = pl.col("spacing")
    before = rolled(spacing).shift(1).over("target_id")
    after = rolled(spacing.reverse()).reverse().shift(-1).over("target_id")
    return before, after


def _differ(before: pl.Expr, after: pl.Expr) -> pl.Expr:
    return ((after > _SLOWER * before) | (before > _SLOWER * after)).fill_null(value=False)


def _changes(spaced: pl.DataFrame) -> pl.DataFrame:
    """Moments between two lasting spacings, each of which hardly differs in itself."""
    low, high = _sides(0.25, _AROUND // 2), _sides(0.75, _AROUND // 2)
    sides = spaced.with_columns(
        before_us=high[0],
        after_us=high[1],
        is_even=(high[0] <= _SLOWER * low[0]) & (high[1] <= _SLOWER * low[1]),
        step=(pl.col("spacing").log().diff().abs()).over("target_id"),
    )
    differs = pl.col("is_even").fill_null(value=False) & _differ(
        pl.col("before_us"), pl.col("after_us")
    )
    # around a change several positions have it between their sides: the one where the spacing steps is it
    marked = sides.with_columns(differs=differs).with_columns(
        run=pl.struct("target_id", "differs").rle_id()
    )
    return (
        marked.filter("differs")
        .sort("step", descending=True, nulls_last=True, maintain_order=True)
        .group_by("run", maintain_order=True)
        .first()
        .sort("run")
        .select(
            "target_id",
            pl.col("begin_us").alias("since_us"),
            "before_us",
            "after_us",
        )
    )


def gap_findings(stats: pl.DataFrame, scrapes: Scrapes) -> Iterator[Finding]:
    """Say what the moments of scrapes tell.

    Args:
        stats: STATISTICS of the load.
        scrapes: of its uneven targets.
    """
    count = stats["target_id"].n_unique()
    yield from _holes(scrapes.gaps, count)
    yield from _changed_intervals(scrapes.changes, count)


def _holes(gaps: pl.DataFrame, targets: int) -> Iterator[Finding]:
    if gaps.is_empty():
        return
    longest = most(gaps.select(length=pl.col("end_us") - pl.col("begin_us")), "length")
    yield Finding(
        "sampling_gap",
        "info",
        f"{gaps['target_id'].n_unique()} of {targets} targets have no samples {times(gaps.height)},"
        f" for up to {span(longest)}",
        gaps.height,
        "",
        "missing, never zero",
    )


def _changed_intervals(changes: pl.DataFrame, targets: int) -> Iterator[Finding]:
    if changes.is_empty():
        return
    first = changes.sort("since_us", maintain_order=True).row(0, named=True)
    changed = changes["target_id"].n_unique()
    since = datetime.fromtimestamp(first["since_us"] // SECOND, UTC)
    yield Finding(
        "mixed_intervals",
        "info",
        f"{changed} of {targets} targets are sampled every {span(first['before_us'])}, and every"
        f" {span(first['after_us'])} since {since:%Y-%m-%d %H:%M:%S} UTC",
        changed,
        "",
        "no scrape is missing; ticks shorter than the longer interval may hold no sample",
    )
