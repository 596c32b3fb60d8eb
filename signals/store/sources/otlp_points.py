"""Data points of OTLP metrics to samples; what counts since the point before is added up."""

from __future__ import annotations

import itertools
import json
import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from signals.schema import Finding
from signals.store.parsed import Chunk, Reject, Series
from signals.store.sources.otlp_stream import OtlpStream
from signals.store.sources.otlp_values import (
    MalformedError,
    count_of,
    counts_of,
    labels_of,
    members_of,
    micros_of,
    number_of,
    unit_of,
    whole_of,
)
from signals.store.sources.part import clip
from signals.store.sources.sample_buffer import FULL, SampleBuffer

__all__ = ["OtlpPoints"]

Parts = list[tuple[Series, float]]

_DELTA = (1, "AGGREGATION_TEMPORALITY_DELTA")
_CUMULATIVE = (2, "AGGREGATION_TEMPORALITY_CUMULATIVE")
_NO_VALUE = 1
_MAX_BUCKETS = 4000

_REMARKS = {
    "deltas_summed": (
        "info",
        "{} points count since the point before (delta temporality)",
        "added up to counters that start at 0",
    ),
    "delta_out_of_order": (
        "warning",
        "{} points that count since the point before come after a later one",
        "added up in the file's order; sort the file by time",
    ),
    "exponential_buckets": (
        "info",
        "{} exponential histograms were read as classic buckets",
        "merged to four buckets for each doubling, without loss of counts",
    ),
    "no_recorded_value": (
        "info",
        "{} points say that a series has ended",
        "numbers kept as staleness markers, histograms left out",
    ),
    "temporality_unknown": (
        "warning",
        "{} points do not say whether they count from the start or since the point before",
        "read as counting from the start",
    ),
}


@dataclass(frozen=True, slots=True)
class _Point:
    """One data point: its members, its time, and what its metric says of all points."""

    data: Mapping[str, object]
    time_us: int
    temporality: object
    monotonic: bool

    def start_us(self) -> int | None:
        """When it began to count, if that is said and lies before its time."""
        try:
            start_us = micros_of(self.data.get("startTimeUnixNano"))
        except MalformedError:
            return None
        return start_us if start_us < self.time_us else None


class OtlpPoints:
    """Takes metrics, one after the other.

    Attributes:
        streams: how many streams of points were met.
    """

    def __init__(self, buffer: SampleBuffer) -> None:
        """Start empty; samples and rejects go to the buffer."""
        self._buffer = buffer
        self._streams: dict[tuple[object, ...], OtlpStream] = {}
        self._written: dict[tuple[str, str, str, str], OtlpStream] = {}
        self._counts: Counter[str] = Counter()

    @property
    def streams(self) -> int:
        """How many streams of points were met, counting each way to write their attributes."""
        return len(self._written)

    def take(
        self, metric: Mapping[str, object], resource: tuple[str, Mapping[str, str]], line: int
    ) -> Iterator[Chunk]:
        """Take all points of a metric.

        Args:
            metric: as the JSON has it.
            resource: a text that tells its resource, and the labels of that.
            line: of the file.

        Yields:
            What the buffer holds, whenever that is enough: a point may have thousands of buckets.
        """
        for kind, method in (
            ("gauge", self._gauge),
            ("sum", self._sum),
            ("histogram", self._histogram),
            ("exponentialHistogram", self._exponential),
            ("summary", self._summary),
        ):
            data = metric.get(kind)
            points = data.get("dataPoints") if isinstance(data, dict) else None
            if not isinstance(data, dict) or not isinstance(points, list):
                continue
            temporality = data.get("aggregationTemporality")
            for point in points:
                try:
                    stream, time_us = self._open(metric, resource, point)
                    method(
                        stream, _Point(point, time_us, temporality, data.get("isMonotonic") is True)
                    )
                except MalformedError as error:
                    text = clip(f"{metric.get('name')}: {json.dumps(point)[:200]}")
                    self._buffer.reject(Reject(line, error.reason, text))
                if len(self._buffer) >= FULL:
                    yield self._buffer.flush()

    def _open(
        self,
        metric: Mapping[str, object],
        resource: tuple[str, Mapping[str, str]],
        point: object,
    ) -> tuple[OtlpStream, int]:
        """The stream of a point, and its time."""
        name, unit = metric.get("name"), metric.get("unit")
        if not isinstance(point, dict) or not isinstance(name, str) or not name:
            raise MalformedError("bad_point")
        time_us = micros_of(point.get("timeUnixNano"))
        attributes = point.get("attributes")
        written = (resource[0], name, str(unit), repr(attributes))
        found = self._written.get(written)
        if found is None:
            labels = {**resource[1], **labels_of(attributes)}
            # attributes come in any order
            key = (name, str(unit), *sorted(labels.items()))
            found = self._streams.setdefault(key, OtlpStream(name, labels, unit_of(unit)))
            self._written[written] = found
        return found, time_us

    # --- kinds of points --------------------------------------------------------------------------------

    def _gauge(self, stream: OtlpStream, point: _Point) -> None:
        self._buffer.add(stream.part("", "gauge"), point.time_us, self._value(point))

    def _sum(self, stream: OtlpStream, point: _Point) -> None:
        series = stream.part("", "counter" if point.monotonic else "gauge")
        value = self._value(point)
        if math.isnan(value) or not self._is_delta(point):
            self._put(stream, point, [(series, value)])
            return
        totals, fresh = stream.add_up((), [value])
        self._put(stream, point, [(series, totals[0])], fresh=fresh)

    def _histogram(self, stream: OtlpStream, point: _Point) -> None:
        if self._has_ended(point):
            return
        bounds = [number_of(bound) for bound in members_of(point.data.get("explicitBounds"))]
        counts = counts_of(point.data.get("bucketCounts"))
        rising = all(low < high for low, high in itertools.pairwise(bounds))
        sound = rising and all(map(math.isfinite, bounds))
        if len(counts) > _MAX_BUCKETS:
            raise MalformedError("too_many_buckets")
        if counts and (len(counts) != len(bounds) + 1 or not sound):
            raise MalformedError("bad_buckets")
        names = (*map(_bound_text, bounds), "+Inf") if counts else ()
        series = [stream.part("_bucket", "histogram", "le", name) for name in names]
        ends = self._ends(stream, point)
        series += [one for one, _ in ends]
        values = [*map(float, itertools.accumulate(counts)), *(value for _, value in ends)]
        if self._is_delta(point):
            totals, fresh = stream.add_up(names, values)
            self._put(stream, point, list(zip(series, totals, strict=True)), fresh=fresh)
        else:
            self._put(stream, point, list(zip(series, values, strict=True)))

    def _exponential(self, stream: OtlpStream, point: _Point) -> None:
        if self._has_ended(point):
            return
        ends = self._ends(stream, point)
        delta = self._is_delta(point)
        buckets = stream.exponential
        found = buckets.delta(point.data) if delta else buckets.cumulative(point.data)
        values = [value for _, value in ends]
        totals, fresh = stream.add_up((), values) if delta else (values, None)
        parts = [
            (stream.part("_bucket", "histogram", "le", bound), value)
            for bound, value in (*found, ("+Inf", totals[-1]))
        ]
        parts += [(one, total) for (one, _), total in zip(ends, totals, strict=True)]
        self._counts["exponential_buckets"] += 1
        self._put(stream, point, parts, fresh=fresh)

    def _summary(self, stream: OtlpStream, point: _Point) -> None:
        if self._has_ended(point):
            return
        parts: Parts = []
        for pair in members_of(point.data.get("quantileValues")):
            if not isinstance(pair, dict):
                raise MalformedError("bad_point")
            quantile = _bound_text(number_of(pair.get("quantile", 0)))
            series = stream.part("", "gauge", "quantile", quantile)
            parts.append((series, number_of(pair.get("value", 0))))
        self._put(stream, point, [*parts, *self._ends(stream, point)])

    # --- what they share --------------------------------------------------------------------------------

    def _value(self, point: _Point) -> float:
        """The number of a point; NaN, a staleness marker, if its series has ended."""
        if self._has_ended(point):
            return math.nan
        data = point.data
        return number_of(data["asDouble"] if "asDouble" in data else data.get("asInt"))

    def _ends(self, stream: OtlpStream, point: _Point) -> Parts:
        """Sum, where there is one, and count."""
        ends: Parts = []
        amount = point.data.get("sum")
        if amount is not None:
            ends.append((stream.part("_sum", "histogram"), number_of(amount)))
        count = count_of(point.data.get("count"))
        return [*ends, (stream.part("_count", "histogram"), float(count))]

    def _is_delta(self, point: _Point) -> bool:
        if point.temporality in _DELTA:
            return True
        self._counts["temporality_unknown"] += point.temporality not in _CUMULATIVE
        return False

    def _has_ended(self, point: _Point) -> bool:
        if not point.data.get("flags"):
            return False
        ended = bool(whole_of(point.data["flags"]) & _NO_VALUE)
        self._counts["no_recorded_value"] += ended
        return ended

    def _put(
        self, stream: OtlpStream, point: _Point, parts: Parts, *, fresh: bool | None = None
    ) -> None:
        """Hand out the parts of a point.

        Args:
            stream: of the point.
            point: where they come from.
            parts: series with their values.
            fresh: None if they count from a start, which may be a later one than before: then they count from 0
                there; True if adding up deltas begins with this point, which counts from 0 at its start.
        """
        if fresh is None:
            start_us = stream.restart(point.start_us(), point.time_us)
        else:
            self._counts["deltas_summed"] += 1
            self._counts["delta_out_of_order"] += point.time_us < stream.last_us
            stream.last_us = max(stream.last_us, point.time_us)
            start_us = point.start_us() if fresh else None
        if start_us is not None:
            for series, _ in parts:
                if series.kind != "gauge":
                    self._buffer.add(series, start_us, 0.0)
        for series, value in parts:
            self._buffer.add(series, point.time_us, value)

    def findings(self) -> list[Finding]:
        """Remarks about all points."""
        found = []
        for code, (severity, text, action) in _REMARKS.items():
            count = self._counts[code]
            if count:
                level: Literal["info", "warning"] = "info" if severity == "info" else "warning"
                found.append(Finding(code, level, text.format(count), count, action=action))
        return found


def _bound_text(bound: float) -> str:
    """A bound as Prometheus writes it."""
    return str(int(bound)) if bound.is_integer() and abs(bound) < 1e15 else repr(bound)
