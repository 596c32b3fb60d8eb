"""The step of tools that hand out one value per interval instead of the samples."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from signals.schema import Finding

__all__ = ["StepWatch"]


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
        if not self._series:
            return ()
        step = f"a step of {self.step_s:g} s" if self._step_us else "one step"
        return (
            Finding(
                "step_aligned",
                "info",
                f"values are aggregates or picks at {step}, not samples with their own times",
                action="kept at the times given; lags shorter than the step cannot be told",
            ),
        )
