"""Samples that a reader meets one by one, gathered into a chunk."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import polars as pl

from signals.schema import TIMESTAMP, Finding
from signals.store.parsed import Chunk, Reject, Series

__all__ = ["FULL", "SampleBuffer"]

FULL = 500_000
"""Samples after which a reader should flush."""


class SampleBuffer:
    """Keeps samples and rejects in file order until they are flushed.

    A series is told by the object that stands for it: a reader makes one for each series and gives it again.
    """

    def __init__(self) -> None:
        self._numbers: dict[int, int] = {}
        self._series: list[Series] = []
        self._indices: list[int] = []
        self._times: list[int] = []
        self._values: list[float] = []
        self._rejects: list[Reject] = []

    def __len__(self) -> int:
        """Samples and rejects that are held."""
        return len(self._values) + len(self._rejects)

    def add(self, series: Series, time_us: int, value: float) -> None:
        """Take a sample; its time in microseconds since the epoch."""
        number = self._numbers.get(id(series))
        if number is None:
            number = self._numbers[id(series)] = len(self._series)
            self._series.append(series)
        self._indices.append(number)
        self._times.append(time_us)
        self._values.append(value)

    def reject(self, reject: Reject) -> None:
        """Take a record that could not be parsed."""
        self._rejects.append(reject)

    def flush(self, findings: Iterable[Finding] = ()) -> Chunk:
        """Hand out what is held, and start anew; a record is a sample or a reject."""
        samples = sample_frame(self._indices, self._times, self._values)
        chunk = Chunk(
            series=tuple(self._series),
            samples=samples,
            rows_read=samples.height + len(self._rejects),
            rejects=tuple(sorted(self._rejects, key=lambda reject: reject.line)),
            findings=tuple(findings),
        )
        self._numbers, self._series, self._rejects = {}, [], []
        self._indices, self._times, self._values = [], [], []
        return chunk


def sample_frame(
    indices: Sequence[int], times_us: Sequence[int], values: Sequence[float]
) -> pl.DataFrame:
    """The frame of a chunk's samples: `series` UInt32, `ts` TIMESTAMP, `value` Float64."""
    return pl.DataFrame(
        {
            "series": pl.Series(indices, dtype=pl.UInt32),
            "ts": pl.Series(times_us, dtype=pl.Int64).cast(TIMESTAMP),
            "value": pl.Series(values, dtype=pl.Float64),
        }
    )
