"""OpenTelemetry metrics as JSON lines, as the collector's file exporter writes them."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

from signals.errors import InputError
from signals.schema import Finding
from signals.store.parsed import Chunk, ReadOptions, Reject, Source
from signals.store.sources.json_lines import ObjectBlock, object_blocks
from signals.store.sources.otlp_points import OtlpPoints
from signals.store.sources.otlp_values import MalformedError, members_of, resource_labels
from signals.store.sources.part import clip
from signals.store.sources.pull_json import JsonPuller
from signals.store.sources.sample_buffer import SampleBuffer
from signals.store.sources.stream import read_head

__all__ = ["OTLP_JSONL"]

_MAX_LINE_BYTES = 32 << 20
_MAX_STREAMS = 1_000_000
_HEAD = re.compile(rb'^\s*\{\s*"resource_?[mM]etrics"\s*:')
_OTHER = re.compile(rb'^\s*\{\s*"resource(?:Spans|Logs|Profiles)"\s*:')
_PRINTED = re.compile(rb"^\s*\{[ \t\r]*\n")
_SIGNALS = {"resourceLogs": "logs", "resourceProfiles": "profiles", "resourceSpans": "traces"}


def _detect(head: bytes, path: Path) -> float:  # noqa: ARG001 - the content tells
    if _HEAD.match(head):
        return 1.0
    # enough to recognise it by, so that the error can say what it holds
    return 0.5 if _OTHER.match(head) else 0.0


def _read(path: Path, options: ReadOptions) -> Iterator[Chunk]:  # noqa: ARG001 - it says it all
    exports = _Exports(path)
    blocks = _document(path) if _PRINTED.match(read_head(path)) else None
    for block in blocks or object_blocks(path, max_line_bytes=_MAX_LINE_BYTES):
        for reject in block.rejects:
            exports.buffer.reject(reject)
        for line, value in zip(block.lines, block.objects, strict=True):
            yield from exports.take(value, line)
    yield exports.buffer.flush(exports.findings())


def _document(path: Path) -> Iterator[ObjectBlock]:
    """Exports that are spread over lines, as people print them; numbered, since they have no line."""
    puller = JsonPuller(path)
    number = 0
    while puller.peek():
        number += 1
        value = puller.value()
        if isinstance(value, dict):
            yield ObjectBlock([number], [value], ())
        else:
            reject = Reject(number, "no_object", clip(json.dumps(value)[:200]))
            yield ObjectBlock([], [], (reject,))


class _Exports:
    """Takes exports, one after the other.

    Attributes:
        buffer: samples and rejects that were not handed out yet.
    """

    def __init__(self, path: Path) -> None:
        self.buffer = SampleBuffer()
        self._path = path
        self._points = OtlpPoints(self.buffer)
        self._resources: dict[str, dict[str, str]] = {}
        self._others: Counter[str] = Counter()
        self._metrics = 0

    def take(self, export: Mapping[str, object], line: int) -> Iterator[Chunk]:
        """Take what one line holds; yields what the buffer holds whenever that is enough."""
        for name, what in _SIGNALS.items():
            self._others[what] += name in export
        try:
            for resource in members_of(_either(export, "resourceMetrics", "resource_metrics")):
                yield from self._resource(resource, line)
        except MalformedError as error:
            self.buffer.reject(Reject(line, error.reason, clip(json.dumps(export)[:200])))
        if self._points.streams > _MAX_STREAMS:
            raise InputError(
                f"the file holds more than {_MAX_STREAMS} series",
                where=f"{self._path}, line {line}",
                expected="attributes that name things, not values that change with every point",
            )

    def _resource(self, resource: object, line: int) -> Iterator[Chunk]:
        if not isinstance(resource, dict):
            raise MalformedError("bad_resource")
        about = resource.get("resource")
        attributes = about.get("attributes") if isinstance(about, dict) else None
        key = json.dumps(attributes)
        labels = self._resources.get(key)
        if labels is None:
            labels = self._resources[key] = resource_labels(attributes)
        scopes = _either(resource, "scopeMetrics", "instrumentationLibraryMetrics")
        for scope in members_of(scopes):
            if not isinstance(scope, dict):
                raise MalformedError("bad_scope")
            for metric in members_of(scope.get("metrics")):
                if not isinstance(metric, dict):
                    raise MalformedError("bad_metric")
                self._metrics += 1
                yield from self._points.take(metric, (key, labels), line)

    def findings(self) -> list[Finding]:
        """Remarks about the whole file.

        Raises:
            InputError: it holds no metric.
        """
        others = {what: count for what, count in self._others.items() if count}
        listed = ", ".join(f"{count} of {what}" for what, count in others.items())
        if not self._metrics and not len(self.buffer):
            raise InputError(
                "the file holds no metric"
                + (f", but exports of {' and '.join(others)}" if others else ""),
                where=str(self._path),
                expected='lines such as {"resourceMetrics":[{"resource":...,"scopeMetrics":[...]}]}',
                hint="export a pipeline of metrics",
            )
        found = self._points.findings()
        if others:
            found.append(
                Finding(
                    "not_metrics",
                    "info",
                    f"the file holds other exports than metrics: {listed}",
                    count=sum(others.values()),
                    action="left out",
                )
            )
        return found


def _either(value: Mapping[str, object], name: str, older: str) -> object:
    return value[name] if name in value else value.get(older)


OTLP_JSONL = Source(
    name="otlp-jsonl",
    title="OpenTelemetry metrics (OTLP, JSON lines)",
    suffixes=(".jsonl", ".json", ".jsonl.gz"),
    detect=_detect,
    read=_read,
    marks=("resourceMetrics", "scopeMetrics", "metrics"),
    example='{"resourceMetrics":[{"resource":{"attributes":[...]},"scopeMetrics":[{"metrics":[...]}]}]}',
    export="The collector's file exporter: `exporters: {file: {path: metrics.jsonl, format: json}}`.",
    traps=(
        "Points of delta temporality count since the point before; they are added up to counters from 0.",
        "A counter whose startTimeUnixNano moves began anew: a 0 is put there, as it may not have fallen.",
        "Exponential histograms become classic buckets, four for each doubling.",
        "Quantiles of summaries are kept as gauges with the label quantile; they cannot be merged over pods.",
        "Attributes become labels as Prometheus names them: service.name is job, k8s.pod.name pod, dots are _;"
        " of a resource, what describes the collecting process (telemetry, process, os, server) is left out.",
        "Times are nanoseconds and are cut to microseconds; exemplars, minima and maxima are not read.",
    ),
)
