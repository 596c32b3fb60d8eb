"""What is odd about loaded data, told as findings: nothing is changed because of it.

`series_findings` tells from one row of figures per series, so it costs nothing beside the load itself,
and from the moments of scrapes where figures are uneven.
`stock_findings` asks the store about everything that is loaded of a service. `FINDINGS` lists all codes.
"""

from __future__ import annotations

import polars as pl

from signals.schema import Finding
from signals.store.quality.clocks import clock_findings, returned_clock
from signals.store.quality.codes import FINDINGS, FindingCode
from signals.store.quality.figures import STATISTICS
from signals.store.quality.gaps import Scrapes, scrapes_of, uneven_targets
from signals.store.quality.ghosts import GHOSTS
from signals.store.quality.silence import silence_findings
from signals.store.quality.stock import stock_findings
from signals.store.quality.timing import TIMING
from signals.store.quality.values import VALUES

__all__ = [
    "FINDINGS",
    "STATISTICS",
    "FindingCode",
    "Scrapes",
    "returned_clock",
    "scrapes_of",
    "series_findings",
    "stock_findings",
    "uneven_targets",
]


def series_findings(stats: pl.DataFrame, scrapes: Scrapes | None = None) -> list[Finding]:
    """Say what is odd about the series of a load.

    Args:
        stats: STATISTICS, one row per series, samples in order of time and without copies; `spacing_us` is
            null for fewer than two samples.
        scrapes: of the targets with a series of uneven spacing; without, all are taken for even.

    Returns:
        One finding per code and metric, in a fixed order. Nothing is changed because of them.
    """
    frame = stats.select(pl.col(name).cast(dtype) for name, dtype in STATISTICS.items())
    frame = frame.filter(pl.col("samples") > 0).sort("series_id")
    if frame.is_empty():
        return []
    found = [finding for judge in (*VALUES, *TIMING, *GHOSTS) for finding in judge(frame)]
    seen = scrapes or Scrapes.even()
    return [*found, *clock_findings(frame, seen), *silence_findings(frame, seen)]
