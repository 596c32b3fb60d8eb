"""The tick grid of a panel: how wide, where it starts, and in step with the scrapes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import polars as pl

from signals.errors import AnalysisError, UsageError

__all__ = ["Grid", "best_phase", "check_size", "check_tick", "default_tick", "place_grid"]

_LEAST_TICK_S = 15.0
_MOST_TICK_S = 366 * 86400.0
_WINDOW_S = 60.0
_GAP_S = 300.0
_GAP_TICKS = 5
_MAX_TICKS = 5_000_000
# a value takes 8 bytes in the panel, but some 450 while it is computed (measured): 5 GB in all
_MAX_VALUES = 12_000_000
_SECOND = 1_000_000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Grid:
    """Ticks of a panel: `number * tick_us + phase_us`, first_us < tick <= last_us.

    Attributes:
        tick_us: width, microseconds.
        phase_us: offset of the ticks from whole widths since the epoch, microseconds.
        first_us: start of the first window, microseconds since the epoch.
        last_us: last tick, microseconds since the epoch.
    """

    tick_us: int
    phase_us: int
    first_us: int
    last_us: int

    @property
    def window_ticks(self) -> int:
        """Ticks of the window of histograms."""
        return max(1, round(_WINDOW_S * _SECOND / self.tick_us))

    @property
    def gap_us(self) -> int:
        """Longest hole of a counter that is bridged, microseconds."""
        return max(_GAP_TICKS * self.tick_us, int(_GAP_S * _SECOND))

    @property
    def numbers(self) -> range:
        """Numbers of the ticks."""
        first = (self.first_us - self.phase_us) // self.tick_us + 1
        return range(first, (self.last_us - self.phase_us) // self.tick_us + 1)


def default_tick(resolutions_s: pl.Series) -> float:
    """Width of a tick for data of these spacings.

    Args:
        resolutions_s: median spacing of each measurement, seconds; null where unknown.

    Returns:
        The larger of 15 s and their median, in whole seconds where that is within 2 %.

    Raises:
        AnalysisError: they are more than a leap year.
    """
    step = resolutions_s.drop_nulls().median()
    if not isinstance(step, float) or step <= _LEAST_TICK_S * 1.02:
        return _LEAST_TICK_S
    if step > _MOST_TICK_S:
        raise AnalysisError(
            f"samples lie {step:g} s apart, which makes no tick",
            expected=f"at most {_MOST_TICK_S:g} s",
            hint="one far-off time is enough for this: --from, --to and --tick leave it out",
        )
    whole = float(round(step))
    return whole if abs(whole - step) <= 0.02 * step else step


def best_phase(phases: Mapping[int, int], tick_us: int) -> int:
    """The phase at which samples are youngest when a tick sees them.

    A grid that lies just before the scrapes would make every signal up to a tick late by itself.

    Args:
        phases: weight of series by the phase of their samples, microseconds.
        tick_us: width of the ticks, microseconds.

    Returns:
        Microseconds, whole seconds; 0 unless another phase makes samples younger by half a second on average.
    """
    if tick_us % _SECOND or not phases:
        return 0
    candidates = sorted({-(-phase // _SECOND) * _SECOND % tick_us for phase in phases})

    def age(candidate: int) -> float:
        total = sum((candidate - phase) % tick_us * count for phase, count in phases.items())
        return total / sum(phases.values())

    best = min(candidates, key=age)
    return best if age(best) < age(0) - _SECOND / 2 else 0


def place_grid(
    extent: tuple[datetime, datetime],
    tick_s: float,
    phase_us: int,
    first: datetime | None,
    last: datetime | None,
) -> Grid:
    """The grid over data, or over a part of them.

    Args:
        extent: first and last moment of the data, UTC.
        tick_s: width, seconds; checked.
        phase_us: offset of the ticks, microseconds.
        first: begin asked for; None for the data's.
        last: end asked for; None for the first tick at or after the data's end.

    Raises:
        AnalysisError: no tick lies in the window, or too many do.
    """
    tick_us = round(tick_s * _SECOND)
    start_us = _micros(max(first, extent[0]) if first else extent[0]) - phase_us
    end_us = _micros(min(last, extent[1]) if last else extent[1]) - phase_us
    # the tick at or after the first sample is the first one; an end that is asked for closes the last window
    first_us = (start_us - 1) // tick_us * tick_us
    last_us = end_us // tick_us * tick_us if last else -(-end_us // tick_us) * tick_us
    if last_us <= first_us:
        raise AnalysisError(
            "the window holds no tick",
            where=f"{first or extent[0]} to {last or extent[1]}",
            expected=f"at least one tick of {tick_s:g} s inside {extent[0]} to {extent[1]}",
        )
    if (last_us - first_us) // tick_us > _MAX_TICKS:
        raise AnalysisError(
            f"a tick of {tick_s:g} s makes more than {_MAX_TICKS} rows",
            where=f"data from {extent[0]} to {extent[1]}",
            expected="a shorter span or a longer tick",
            hint="one far-off time is enough for this: --from and --to leave it out, --tick widens ticks",
        )
    return Grid(tick_us, phase_us, first_us + phase_us, last_us + phase_us)


def check_size(grid: Grid, columns: int) -> None:
    """Refuse a panel that memory would not hold.

    Args:
        grid: its ticks.
        columns: how many values each of them has.

    Raises:
        AnalysisError: there are more than 12 million values.
    """
    ticks = len(grid.numbers)
    if ticks * columns <= _MAX_VALUES:
        return
    room = grid.tick_us / _SECOND * (_MAX_VALUES // columns)
    raise AnalysisError(
        f"{ticks:,} ticks of {grid.tick_us / _SECOND:g} s with {columns} columns make {ticks * columns:,} values",
        where=f"{_moment(grid.first_us)} to {_moment(grid.last_us)}",
        expected=f"at most {_MAX_VALUES:,} values: {_MAX_VALUES // columns:,} ticks, which are {room / 86400:.3g} days",
        hint="--since, or --from and --to, shorten the span; --tick widens ticks",
    )


def check_tick(tick_s: float) -> None:
    """Refuse widths that make no grid.

    Raises:
        UsageError: it is not a number between a millisecond and a leap year.
    """
    if not (math.isfinite(tick_s) and 0.001 <= tick_s <= _MOST_TICK_S):
        raise UsageError(
            f"a tick of {tick_s:g} s is not possible",
            where="--tick",
            expected=f"0.001 s to {_MOST_TICK_S:g} s",
        )


def _moment(micros: int) -> datetime:
    return _EPOCH + timedelta(microseconds=micros)


def _micros(moment: datetime) -> int:
    return (moment - _EPOCH) // timedelta(microseconds=1)
