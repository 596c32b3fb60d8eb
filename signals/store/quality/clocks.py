"""Times that jump by whole hours, as when local times are read in another zone than their own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta

import polars as pl

from signals.schema import Finding
from signals.store.quality.figures import ENOUGH, SECOND, most, span, times
from signals.store.quality.gaps import Scrapes

__all__ = ["clock_findings", "returned_clock"]

_HOUR = 3600 * SECOND
_SUNDAY = 7
# months in which some country changes its clocks, and hours at which they do, by themselves
_MONTHS = (3, 4, 9, 10, 11)
_FIRST_HOUR, _LAST_HOUR = timedelta(hours=1), timedelta(hours=3)


def clock_findings(stats: pl.DataFrame, scrapes: Scrapes) -> Iterator[Finding]:
    """Say when a pause looks like clocks that go forward.

    Args:
        stats: STATISTICS of the load.
        scrapes: of its uneven targets.
    """
    known = stats.filter(pl.col("spacing_us").is_not_null() & (pl.col("samples") >= ENOUGH))
    if known.height == 1:
        yield from _one_pause(known, scrapes.gaps)
    elif known.height > 1:
        yield from _common_pause(known)


def _common_pause(known: pl.DataFrame) -> Iterator[Finding]:
    """A pause of whole hours in all series at once is a change of clocks more often than an outage."""
    pause = pl.col("most_spacing_us") - pl.col("spacing_us")
    hours = (pause / _HOUR).round()
    off = (pause - hours * _HOUR).abs()
    jumps = known.filter((hours >= 1) & (hours <= 3) & (off <= 0.1 * pl.col("spacing_us")))
    if jumps.height >= 0.8 * known.height:
        yield Finding(
            "clock_change",
            "warning",
            f"all series pause for {span(most(jumps, 'most_spacing_us'))}, a whole number of hours and one"
            " interval, as when clocks go forward",
            jumps.height,
            "",
            "times are kept as they are; name the zone with --tz if they are local",
        )


def _one_pause(known: pl.DataFrame, gaps: pl.DataFrame) -> Iterator[Finding]:
    """The only pause of a single series, if it is an hour at a time at which clocks are changed."""
    if gaps.height != 1:
        return
    begin_us, end_us = gaps.row(0)[1:]
    spacing_us = float(known["spacing_us"][0])
    # the first time that is missing
    at = _moment(begin_us + round(spacing_us))
    of_day = at - at.replace(hour=0, minute=0, second=0, microsecond=0)
    is_hour = abs(end_us - begin_us - _HOUR - spacing_us) <= 0.1 * spacing_us
    is_time = at.isoweekday() == _SUNDAY and at.month in _MONTHS
    if is_hour and is_time and _FIRST_HOUR <= of_day <= _LAST_HOUR:
        yield Finding(
            "clock_change",
            "info",
            f"the only pause is one hour and one interval, from {at:%Y-%m-%d %H:%M:%S} on, a Sunday: possibly"
            " clocks that go forward, if times are local",
            1,
            "",
            "times are kept as they are; name the zone with --tz if they are local",
        )


def returned_clock(
    returns: Sequence[tuple[int, int]], counts: Mapping[str, int]
) -> Iterator[Finding]:
    """Say when times of a source go through an hour again.

    Args:
        returns: per exported series that does, its last time before, microseconds since the epoch, and by how
            many hours the next one is early.
        counts: findings of the source; rows that were copied leave copies of equal values, a clock does not.
    """
    copies, others = counts.get("duplicate", 0), counts.get("conflict", 0)
    if not returns or len(returns) < 0.8 * counts.get("out_of_order", 0) or others < 0.05 * copies:
        return
    first_us, hours = min(returns)
    yield Finding(
        "clock_change",
        "warning",
        f"times go back by {hours} h after {_moment(first_us):%Y-%m-%d %H:%M:%S} UTC and through that time again,"
        f" {times(len(returns))} over all series, as when clocks go back",
        len(returns),
        "",
        "of two values at one time the first was kept; name the zone with --tz if times are local, else cut the"
        " window there",
    )


def _moment(micros: int) -> datetime:
    return datetime.fromtimestamp(micros // SECOND, UTC)
