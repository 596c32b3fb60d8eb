"""One metric with one set of attributes, as its data points tell of it one after the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from signals.store.parsed import Series
from signals.store.sources.exponential_buckets import ExponentialBuckets
from signals.store.sources.otlp_values import MalformedError

__all__ = ["OtlpStream"]

Kind = Literal["", "counter", "gauge", "histogram"]

_MAX_PARTS = 50_000


@dataclass
class OtlpStream:
    """One metric with one set of attributes.

    Attributes:
        name, labels, unit: of its series.
        series: those made so far, by suffix and label.
        bounds: of the buckets that `totals` are of.
        totals: what deltas have added up to: bucket by bucket, then sum and count; or the one number.
        exponential: state of exponential buckets.
        last_us: time of the newest point, where it counts something.
        start_us: when its points began to count, as the newest of them says; not of deltas.
        alike: how many points in a row said so.
    """

    name: str
    labels: Mapping[str, str]
    unit: str
    series: dict[tuple[str, str, str], Series] = field(default_factory=dict)
    bounds: tuple[str, ...] = ()
    totals: list[float] = field(default_factory=list)
    exponential: ExponentialBuckets = field(default_factory=ExponentialBuckets)
    last_us: int = 0
    start_us: int | None = None
    alike: int = 0

    def part(self, suffix: str, kind: Kind, label: str = "", value: str = "") -> Series:
        """The series of a part of it, always the same object."""
        key = (suffix, label, value)
        found = self.series.get(key)
        if found is None:
            if len(self.series) > _MAX_PARTS:
                raise MalformedError("too_many_buckets")
            labels = {**self.labels, label: value} if label else self.labels
            unit = "" if suffix == "_count" else self.unit
            found = self.series[key] = Series(f"{self.name}{suffix}", labels, kind=kind, unit=unit)
        return found

    def add_up(self, bounds: tuple[str, ...], values: Sequence[float]) -> tuple[list[float], bool]:
        """Totals with these values added, and whether they start anew."""
        fresh = bounds != self.bounds or len(values) != len(self.totals)
        if fresh:
            self.bounds, self.totals = bounds, [0.0] * len(values)
        self.totals = [total + value for total, value in zip(self.totals, values, strict=True)]
        return self.totals, fresh

    def restart(self, start_us: int | None, time_us: int) -> int | None:
        """Take the start and the time of a point that counts from its start.

        Some exporters write the time of the point before, or their own, into every point: a start is believed to
        have moved only if two points at least have counted from the one before.

        Returns:
            When it began to count anew, after the point before; None if it did not, or if nothing says so.
        """
        before_us = self.last_us
        if start_us is None or time_us < before_us:
            return None
        moved = self.start_us is not None and start_us > self.start_us and self.alike > 1
        self.alike = self.alike + 1 if start_us == self.start_us else 1
        self.start_us, self.last_us = start_us, time_us
        anew_us = max(start_us, before_us + 1)
        return anew_us if moved and anew_us < time_us else None
