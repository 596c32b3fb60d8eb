"""What the arrivals of a request log say about its clock and its load, seen part by part."""

from __future__ import annotations

from collections import Counter

import polars as pl

from signals.schema import Finding

__all__ = ["ArrivalWatch"]

_FEW = 5
_SHARED = 0.3
_COARSE_S = 0.5
_HOUR_S = 3600.0
_IDLE_RPS = 0.1
_IDLE_SHARE = 0.1


class ArrivalWatch:
    """Counts arrivals, stamps that differ, and arrivals by the hour."""

    def __init__(self) -> None:
        """Start at the head of a log."""
        self._rows = 0
        self._stamps = 0
        self._first_us: int | None = None
        self._last_us = 0
        self._before_us: int | None = None
        self._hours: Counter[int] = Counter()

    def watch(self, arrived_at: pl.Series) -> None:
        """Take some arrivals.

        Args:
            arrived_at: TIMESTAMP[n], in the log's order.
        """
        stamps = arrived_at.drop_nulls().dt.timestamp("us")
        if stamps.is_empty():
            return
        first, last = int(stamps.min()), int(stamps.max())  # type: ignore[arg-type]
        steps = int((stamps.diff().drop_nulls() != 0).sum()) + (self._before_us != stamps[0])
        self._rows += stamps.len()
        self._stamps += steps
        self._before_us = int(stamps[-1])
        self._first_us = first if self._first_us is None else min(self._first_us, first)
        self._last_us = max(self._last_us, last)
        hours = (stamps // int(_HOUR_S * 1e6)).value_counts()
        self._hours.update(dict(hours.iter_rows()))

    @property
    def span_s(self) -> float:
        """Seconds from the first to the last arrival."""
        return 0.0 if self._first_us is None else (self._last_us - self._first_us) / 1e6

    def quantised(self) -> list[Finding]:
        """Whether many requests share a stamp, as where a log rounds its times."""
        if self._rows < _FEW or self._stamps < 2:
            return []
        shared = self._rows - self._stamps
        step_s = self.span_s / (self._stamps - 1)
        if shared < _SHARED * self._rows or step_s < _COARSE_S:
            return []
        return [
            Finding(
                "quantised_times",
                "warning",
                f"{self._rows} requests share {self._stamps} stamps, about {step_s:.3g} s apart",
                count=shared,
                subject="arrived_at",
                action="kept; spacing and burstiness of arrivals below that step are the log's rounding",
            )
        ]

    def near_idle(self) -> list[Finding]:
        """Whether the log is, or begins with, a stretch that hardly loads a server."""
        if self._rows < _FEW or self.span_s < _HOUR_S / 2:
            return []
        rate = self._rows / self.span_s
        if rate < _IDLE_RPS:
            return [
                _idle(f"all of it, {_hours(self.span_s)}, has {rate:.2g} requests/s", self._rows)
            ]
        head_s, requests = self._head(rate)
        if head_s < _HOUR_S:
            return []
        slow = requests / head_s
        text = f"its first {_hours(head_s)} have {slow:.2g} requests/s, all of it {rate:.2g}"
        return [_idle(text, requests)]

    def _head(self, rate: float) -> tuple[float, int]:
        """Seconds and requests of the hours before the first one of a tenth of the mean rate."""
        first = min(self._hours)
        hour = first
        while self._hours[hour] < _IDLE_SHARE * rate * _HOUR_S and hour < max(self._hours):
            hour += 1
        begin_s = (self._first_us or 0) / 1e6
        requests = sum(self._hours[one] for one in range(first, hour))
        return max(hour * _HOUR_S - begin_s, 0.0), requests


def _hours(seconds: float) -> str:
    return f"{seconds / _HOUR_S:.1f} h"


def _idle(text: str, count: int) -> Finding:
    return Finding(
        "near_idle",
        "warning",
        f"the log is near idle: {text}",
        count=count,
        subject="arrived_at",
        action="kept; choose a window with load, or every rule looks idle",
    )
