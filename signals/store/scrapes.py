"""When the targets of a load were scraped, asked of the samples where the spacing of series is uneven."""

from __future__ import annotations

from collections.abc import Sequence

import duckdb
import polars as pl

from signals.schema import TIMESTAMP
from signals.store.deposit import ask_with
from signals.store.quality import Scrapes, scrapes_of, uneven_targets
from signals.store.tally import SourceTally

__all__ = ["ask_scrapes"]

# targets that are asked for at once: their moments are held in memory
_TARGETS = 64


def ask_scrapes(
    connection: duckdb.DuckDBPyConnection,
    stats: pl.DataFrame,
    resumed: pl.DataFrame,
    tallies: Sequence[SourceTally],
) -> Scrapes:
    """Look for gaps in the span of a load, and for intervals that are not those of earlier loads; and for pools.

    Args:
        connection: of the running load.
        stats: STATISTICS of the series of one service.
        resumed: target_id: targets whose samples of this load came at another pace than the stored ones.
        tallies: of the sources of that service.
    """
    spans = [(one.first_us, one.last_us) for one in tallies]
    first_us = min((first for first, _ in spans if first is not None), default=None)
    last_us = max((last for _, last in spans if last is not None), default=None)
    targets = stats.select("target_id").unique().sort("target_id")
    found = Scrapes.even(ask_with(connection, "load/pools_of_targets", targets))
    if first_us is None or last_us is None:
        return found
    begin = pl.when(pl.col("target_id").is_in(resumed["target_id"].implode()))
    asked = pl.concat([uneven_targets(stats), resumed]).unique().sort("target_id")
    asked = asked.with_columns(
        first_at=begin.then(pl.lit(0)).otherwise(first_us).cast(TIMESTAMP),
        last_at=pl.lit(last_us).cast(TIMESTAMP),
    )
    for some in asked.iter_slices(_TARGETS):
        moments = ask_with(connection, "load/scrape_moments", some)
        found = found.joined(scrapes_of(moments, first_us))
    return found
