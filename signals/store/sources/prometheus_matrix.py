"""Matrix results of a Prometheus-compatible server: range queries, range vectors, promtool's bare arrays."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl

from signals.errors import InputError
from signals.schema import TIMESTAMP, Finding, Sampling
from signals.store.parsed import Chunk, ReadOptions, Reject, Series, Source
from signals.store.sources.bound import has_bad_bound
from signals.store.sources.matrix_document import MatrixDocument, SeriesPart
from signals.store.sources.native_histogram import NativeHistograms
from signals.store.sources.part import clip
from signals.store.sources.rollup import scraped_apart, step_finding, step_of

__all__ = ["PROMETHEUS_MATRIX"]

_CHUNK_SAMPLES = 2_000_000
# what is held until it is clear how the series were sampled
_BUFFERED_SAMPLES = 4_000_000
# beyond so many and half of all, nothing more can come of a file
_MAX_REJECTS = 100_000
# a reject holds its text, about as much memory as so many samples
_REJECT_WEIGHT = 20
_MAX_SECONDS = 7_258_118_400.0  # the year 2200
_LEAST_MS, _MOST_MS = 946_684_800e3, 1e3 * _MAX_SECONDS  # from 2000 on
_ERROR = re.compile(rb'"status"\s*:\s*"error"')
_BARE_SCALAR = re.compile(rb'\[\s*\d[\d.]*\s*,\s*"[-+.\w]*"\s*\]\s*')

_Times = npt.NDArray[np.int64]
_Values = npt.NDArray[np.float64]


def _detect(head: bytes, path: Path) -> float:  # noqa: ARG001 - the content tells
    text = head.lstrip()
    if text[:1] not in {b"{", b"["}:
        return 0.0
    if b'"timestamps"' in text and b'"resultType"' not in text:
        return 0.0  # VictoriaMetrics' export lines
    if b'"resultType"' in text or (b'"metric"' in text and b'"values"' in text):
        return 0.95
    if _ERROR.search(text) and (b'"error"' in text or b'"errorType"' in text):
        return 0.9
    if _BARE_SCALAR.fullmatch(text):
        return 0.6
    single = any(word in text for word in (b'"histograms"', b'"histogram"', b'"value"'))
    return 0.6 if text[:1] == b"[" and b'"metric"' in text and single else 0.0


def _read(path: Path, options: ReadOptions) -> Iterator[Chunk]:
    document = MatrixDocument(path)
    collected = _Collected(path, options)
    for part in document.parts():
        collected.add(part)
        if collected.buffered >= _BUFFERED_SAMPLES:
            yield from collected.flush()
    collected.end_series()
    yield from collected.flush()
    yield Chunk(findings=(*document.findings, *collected.findings()))


class _Collected:
    """Series read so far, held until it is clear how they were sampled."""

    def __init__(self, path: Path, options: ReadOptions) -> None:
        self._path = path
        self._options = options
        self._series: list[Series] = []
        self._samples: list[tuple[_Times, _Values]] = []
        self._rejects: list[Reject] = []
        self._sampling: Sampling | None = None
        self._step_us = 0
        self._read = 0
        self._number = 0
        self._one = Series("", {})
        self._unsound = False
        self._taken = 0
        self._native: NativeHistograms | None = None
        self._converted = self._converted_series = self._dropped_bounds = 0
        self._empty = True
        self._all_read = self._all_rejects = 0
        self.buffered = 0

    def add(self, part: SeriesPart) -> None:
        """Take some samples of a series; those of one series come one after the other."""
        if part.number != self._number:
            self.end_series()
            self._number, self._taken = part.number, 0
            self._one = self._describe(part.labels)
            self._unsound = has_bad_bound(self._one)
        if self._unsound:
            self._lose(part)
            return
        if part.histograms:
            self._take_histograms(part.histograms)
        if part.pairs is None:
            return
        if isinstance(part.pairs, list):
            times, values = self._convert(part.pairs)
            self._taken += len(part.pairs)
        else:
            times, values = part.pairs.times, part.pairs.values
            self._count(len(times))
            self._taken += len(times)
        self._keep(self._one, times, values)

    def _lose(self, part: SeriesPart) -> None:
        """Count the samples of a series that there is no place for."""
        pairs = part.pairs
        size = len(pairs) if isinstance(pairs, list) else 0 if pairs is None else len(pairs.times)
        size += len(part.histograms or ())
        if size:
            self._count(size)
            text = clip(f"series {self._number}, {dict(self._one.labels)}")
            self._rejects.append(Reject(self._number, "bad_bound", text, size))
            self.buffered += _REJECT_WEIGHT

    def _keep(self, one: Series, times: _Times, values: _Values) -> None:
        self._series.append(one)
        self._samples.append((times, values))
        self.buffered += len(times)

    def _count(self, read: int) -> None:
        self._read += read
        self._all_read += read

    def end_series(self) -> None:
        """Turn the native histograms of the last series, all of which are known now, into classic ones."""
        if self._native is None:
            return
        native, self._native = self._native, None
        for one, times, values in native.classic(self._one):
            self._keep(one, times, values)
        self._converted += len(native)
        self._converted_series += 1
        self._dropped_bounds += native.dropped_bounds

    def _take_histograms(self, histograms: Sequence[object]) -> None:
        if self._native is None:
            self._native = NativeHistograms(f"{self._path}, series {self._number}")
        self._count(len(histograms))
        for number, one in enumerate(histograms, start=self._taken + 1):
            if not self._native.add(one):
                seen = self._all_read - len(histograms) + number - self._taken
                self._reject("bad_histogram", f"histogram {number}: {one!r}", seen)
        self._taken += len(histograms)
        self._refuse_milliseconds(self._native.seconds(len(histograms)))

    def _describe(self, metric: Mapping[str, object]) -> Series:
        labels = {_sound(key): _sound(value) for key, value in metric.items()}
        name = labels.pop("__name__", "")
        if name:
            return Series(name, labels)
        stem = self._path.name.partition(".")[0]
        chosen = self._options.as_name or self._options.columns.get(stem)
        if chosen is None:
            raise InputError(
                "a series has no name, as results of expressions do",
                where=f"{self._path}, series {self._number}: {clip(str(labels))}",
                expected="a metric's name in __name__",
                hint="say what it is with --as NAME[unit], for example --as 'decode_tps[tokens/s]', "
                f"or of several files this one with --map '{clip(stem)}=NAME[unit]'",
            )
        pool, _, bare = chosen.name.rpartition(":")
        return Series(bare, labels, unit=chosen.unit, pool=pool)

    def _convert(self, pairs: Sequence[object]) -> tuple[_Times, _Values]:
        self._count(len(pairs))
        if not _are_plain(pairs):
            return self._in_order(*self._convert_slowly(pairs))
        try:
            times = np.array([pair[0] for pair in pairs], dtype=np.float64)  # type: ignore[index]
            values = np.array([float(pair[1]) for pair in pairs], dtype=np.float64)  # type: ignore[index]
        except (ValueError, OverflowError):
            return self._in_order(*self._convert_slowly(pairs))
        if not np.all((times >= 0) & (times < np.inf)):
            times, values = self._convert_slowly(pairs)
        return self._in_order(times, values)

    def _in_order(self, times: _Values, values: _Values) -> tuple[_Times, _Values]:
        self._refuse_milliseconds(times)
        return np.rint(times * 1e6).astype(np.int64), values

    def _convert_slowly(self, pairs: Sequence[object]) -> tuple[_Values, _Values]:
        kept: list[tuple[float, float]] = []
        for number, pair in enumerate(pairs, start=self._taken + 1):
            sample = _sample(pair)
            if sample is not None:
                kept.append(sample)
                continue
            seen = self._all_read - len(pairs) + number - self._taken
            self._reject("bad_sample", f"sample {number}: {pair!r}", seen)
        array = np.array(kept, dtype=np.float64).reshape(-1, 2)
        return array[:, 0], array[:, 1]

    def _reject(self, reason: str, record: str, seen: int) -> None:
        text = clip(f"series {self._number}, {record}")
        self._rejects.append(Reject(self._number, reason, text))
        self.buffered += _REJECT_WEIGHT
        self._all_rejects += 1
        if self._all_rejects > _MAX_REJECTS and 2 * self._all_rejects > seen:
            raise InputError(
                f"most samples are malformed, {self._all_rejects} so far",
                where=f"{self._path}, {text}",
                expected='samples such as [1760000000, "1.5"]',
            )

    def _refuse_milliseconds(self, times: _Values) -> None:
        late = np.flatnonzero(np.abs(times) >= _MAX_SECONDS)
        if len(late):
            time = float(abs(times[late[0]]))
            raise InputError(
                f"a time of {times[late[0]]:.15g} s is beyond the year 2200",
                where=f"{self._path}, series {self._number}",
                expected="seconds since 1970",
                hint="the number looks like milliseconds"
                if _LEAST_MS <= time < _MOST_MS
                else "no telemetry has such times: export the series again",
            )

    def flush(self) -> Iterator[Chunk]:
        """Hand out what is held."""
        if self._sampling is None:
            exporters = scraped_apart(self._series)
            self._step_us = step_of(self._by_series(), exporters=exporters)
            self._sampling = "step_aligned" if self._step_us else "raw"
        start = held = 0
        for end, (times, _) in enumerate(self._samples, start=1):
            held += len(times)
            if held >= _CHUNK_SAMPLES or end == len(self._samples):
                yield self._chunk(start, end, self._sampling)
                start, held = end, 0
        if self._rejects:
            yield self._chunk(0, 0, self._sampling)
        self._series, self._samples, self.buffered = [], [], 0

    def _by_series(self) -> list[_Times]:
        runs = groupby(zip(self._series, self._samples, strict=True), key=lambda held: id(held[0]))
        return [np.concatenate([times for _, (times, _) in run]) for _, run in runs]

    def _chunk(self, start: int, end: int, sampling: Sampling) -> Chunk:
        numbers: list[int] = []
        series: list[Series] = []
        for index in range(start, end):
            if index == start or self._series[index] is not self._series[index - 1]:
                series.append(replace(self._series[index], sampling=sampling))
            numbers.append(len(series) - 1)
        parts = self._samples[start:end]
        counts = [len(times) for times, _ in parts]
        columns = {
            "series": np.repeat(np.array(numbers, dtype=np.uint32), counts),
            "ts": np.concatenate([times for times, _ in parts]) if parts else np.empty(0, np.int64),
            "value": np.concatenate([v for _, v in parts]) if parts else np.empty(0, np.float64),
        }
        samples = pl.DataFrame(columns).with_columns(pl.col("ts").cast(TIMESTAMP))
        read, rejects = self._read, tuple(self._rejects)
        self._read, self._rejects = 0, []
        self._empty = self._empty and not samples.height
        return Chunk(series=tuple(series), samples=samples, rows_read=read, rejects=rejects)

    def findings(self) -> list[Finding]:
        """Remarks about the whole file."""
        found = [step_finding(self._step_us)] if self._step_us else []
        if self._converted:
            spans = f"; {self._dropped_bounds} bounds that wider buckets span are left out"
            found.append(
                Finding(
                    "native_histogram",
                    "info",
                    f"{self._converted} native histograms of {self._converted_series} series",
                    count=self._converted,
                    action="made cumulative buckets with one set of bounds per series, and sums and counts"
                    + (spans if self._dropped_bounds else ""),
                )
            )
        if self._empty:
            found.append(Finding("empty_result", "warning", "the result holds no sample"))
        return found


def _sound(text: object) -> str:
    """A label's text without halves of surrogate pairs, which JSON allows and no database does."""
    return str(text).encode("utf-8", "replace").decode()


def _are_plain(pairs: Sequence[object]) -> bool:
    """Whether all are pairs of a number and a text or number, as servers write them."""
    if set(map(type, pairs)) != {list} or set(map(len, pairs)) != {2}:  # type: ignore[arg-type]
        return False
    times = {type(pair[0]) for pair in pairs}  # type: ignore[index]
    return times <= {int, float} and {type(pair[1]) for pair in pairs} <= {str, int, float}  # type: ignore[index]


def _sample(pair: object) -> tuple[float, float] | None:
    if not isinstance(pair, list) or len(pair) != 2 or any(isinstance(one, bool) for one in pair):
        return None
    try:
        time, value = float(pair[0]), float(pair[1])
    except (TypeError, ValueError, OverflowError):
        return None
    return (time, value) if 0 <= time < math.inf else None


PROMETHEUS_MATRIX = Source(
    name="prometheus-matrix",
    title="Prometheus, Thanos or Mimir query result, or promtool's (JSON)",
    suffixes=(".json", ".json.gz"),
    detect=_detect,
    read=_read,
    marks=("resultType", "result", "metric", "values"),
    example='{"status":"success","data":{"resultType":"matrix","result":[...]}}',
    export="`curl -G $PROMETHEUS/api/v1/query --data-urlencode 'query={job=\"vllm\"}[6h]' > "
    "raw.json`; also query_range with start, end and step, or `promtool query range -o json`",
    load="[--as 'NAME[unit]']",
    traps=(
        "query_range shifts every sample onto its step: export range vectors, as METRIC[6h], "
        "to keep the true times; otherwise the finding step_aligned widens every lag by the "
        "step.",
        "One query answers at most 11,000 points per series: export longer stretches in parts, "
        "which may overlap.",
        "rate(), sum() and quantiles drop what the tool could compute better: export the "
        "counters and buckets.",
        "Results of expressions have no name: --as names it, or --map 'FILE=NAME[unit]' that "
        "of each of several files, FILE being the file's name up to its first dot.",
        "Thanos and Mimir may answer without some of their stores, which the finding "
        "partial_response tells.",
        "Native histograms become cumulative buckets with one set of bounds per series.",
        "A native histogram of rates (rate() around it) is no counter any more: export the "
        "bare metric.",
        "An instant query holds one moment; it is read, with the finding instant_result.",
    ),
)
