"""The step of tools that hand out one value per interval instead of the samples."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt
import polars as pl

from signals.catalog.labels import target_of
from signals.schema import Finding
from signals.store.parsed import Series

__all__ = ["StepWatch", "scraped_apart", "step_finding", "step_of"]

_SECOND = 1_000_000
_Times = npt.NDArray[np.int64]


def scraped_apart(series: Iterable[Series]) -> int:
    """How many exporters series come from: what one tells of several GPUs or pods, it tells at one moment."""
    return len(
        {
            (one.labels.get("job"), one.labels["instance"])
            if "instance" in one.labels
            else target_of(one.labels)
            for one in series
        }
    )


def step_of(series: Sequence[_Times], *, exporters: int) -> int:
    """The step of a range query: the grid that all times lie on, as fine as their closest pair.

    Servers keep the scrapes of one exporter exactly one interval apart, too, but begin at a moment of its own:
    on whole seconds, or shared by several exporters, only the steps of a query lie.

    Args:
        series: per series Int64[n] microseconds.
        exporters: how many they come from; see `scraped_apart`.

    Returns:
        Microseconds; 0 for raw samples, and if there is nothing to tell it from.
    """
    filled = [times for times in series if len(times)]
    closest = [gap for times in filled if (gap := _closest(times))]
    if not closest:
        return 0
    step = min(closest)
    origin = filled[0][0]
    aligned = all(not np.any((times - origin) % step) for times in filled)
    chosen = exporters > 1 or origin % _SECOND == 0
    return step if aligned and chosen else 0


def _closest(times: _Times) -> int:
    """The least distance of two different times, 0 if there are none."""
    gaps = np.diff(times)
    if len(gaps) and gaps.min() < 0:
        gaps = np.diff(np.sort(times))
    gaps = gaps[gaps > 0]
    return int(gaps.min()) if len(gaps) else 0


def step_finding(step_us: int) -> Finding:
    """What to know about values at steps.

    Args:
        step_us: microseconds between them; 0 if no series has two.
    """
    step = f"a step of {step_us / 1e6:g} s" if step_us else "one step"
    return Finding(
        "step_aligned",
        "info",
        f"values are aggregates or picks at {step}, not samples with their own times",
        action="kept at the times given; lags shorter than the step cannot be told",
    )


class StepWatch:
    """Finds the interval between the points of a file's series."""

    def __init__(self) -> None:
        """Start at the head of a file."""
        self._step_us = 0
        self._series = 0

    def take(self, times: pl.Series) -> None:
        """Look at the times of one series, or of a part of it.

        Args:
            times: TIMESTAMP, in any order.
        """
        self._take(times.drop_nulls().to_physical())

    def take_us(self, times_us: Sequence[int]) -> None:
        """As `take`, for times in microseconds since the epoch."""
        self._take(pl.Series(times_us, dtype=pl.Int64))

    def _take(self, times: pl.Series) -> None:
        self._series += 1
        gaps = times.unique().sort().diff().drop_nulls()
        if len(gaps):
            least = int(gaps.min())  # type: ignore[arg-type]
            self._step_us = min(self._step_us or least, least)

    @property
    def step_s(self) -> float:
        """The shortest interval met, seconds; 0 if no series has two points."""
        return self._step_us / 1e6

    def findings(self) -> tuple[Finding, ...]:
        """What to know about such values."""
        return (step_finding(self._step_us),) if self._series else ()
