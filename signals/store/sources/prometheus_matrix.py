"""Matrix results of a Prometheus-compatible server: range queries, range vectors, promtool's bare arrays."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl

from signals.errors import InputError
from signals.schema import TIMESTAMP, Finding, Sampling
from signals.store.parsed import Chunk, ReadOptions, Reject, Series, Source
from signals.store.sources.matrix_document import MatrixDocument, SeriesPart
from signals.store.sources.table import clip

__all__ = ["PROMETHEUS_MATRIX", "sampling_of"]

_CHUNK_SAMPLES = 1_000_000
_BUFFERED_SAMPLES = 20_000_000
# beyond so many and half of all, nothing more can come of a file
_MAX_REJECTS = 100_000
# a reject holds its text, about as much memory as so many samples
_REJECT_WEIGHT = 20
_MAX_SECONDS = 7_258_118_400.0  # the year 2200

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
    if b'"errorType"' in text and b'"status"' in text:
        return 0.9
    return 0.6 if b'"metric"' in text and b'"histograms"' in text else 0.0


def _read(path: Path, options: ReadOptions) -> Iterator[Chunk]:
    document = MatrixDocument(path)
    collected = _Collected(path, options)
    for part in document.parts():
        collected.add(part)
        if collected.buffered >= _BUFFERED_SAMPLES:
            yield from collected.flush()
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
        self._read = 0
        self._number = 0
        self._one = Series("", {})
        self._taken = 0
        self._native = 0
        self._empty = True
        self._all_read = self._all_rejects = 0
        self.buffered = 0

    def add(self, part: SeriesPart) -> None:
        """Take some samples of a series; those of one series come one after the other."""
        if part.number != self._number:
            self._number, self._taken = part.number, 0
            self._one = self._describe(part.labels)
        self._native += part.native
        if part.pairs is None:
            return
        times, values = self._convert(part.pairs)
        self._taken += len(part.pairs)
        self._series.append(self._one)
        self._samples.append((times, values))
        self.buffered += len(times)

    def _describe(self, metric: Mapping[str, object]) -> Series:
        labels = {_sound(key): _sound(value) for key, value in metric.items()}
        name = labels.pop("__name__", "")
        if name:
            return Series(name, labels)
        chosen = self._options.as_name
        if chosen is None:
            raise InputError(
                "a series has no name, as results of expressions do",
                where=f"{self._path}, series {self._number}: {clip(str(labels))}",
                expected="a metric's name in __name__",
                hint="say what it is with --as NAME[unit], for example --as 'decode_tps[tokens/s]'",
            )
        pool, _, bare = chosen.name.rpartition(":")
        return Series(bare, labels, unit=chosen.unit, pool=pool)

    def _convert(self, pairs: Sequence[object]) -> tuple[_Times, _Values]:
        self._read += len(pairs)
        self._all_read += len(pairs)
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
            text = clip(f"series {self._number}, sample {number}: {pair!r}")
            self._rejects.append(Reject(self._number, "bad_sample", text))
            self.buffered += _REJECT_WEIGHT
            self._all_rejects += 1
            seen = self._all_read - len(pairs) + number - self._taken
            if self._all_rejects > _MAX_REJECTS and 2 * self._all_rejects > seen:
                raise InputError(
                    f"most samples are malformed, {self._all_rejects} so far",
                    where=f"{self._path}, {text}",
                    expected='samples such as [1760000000, "1.5"]',
                )
        array = np.array(kept, dtype=np.float64).reshape(-1, 2)
        return array[:, 0], array[:, 1]

    def _refuse_milliseconds(self, times: _Values) -> None:
        if len(times) and not np.all(np.abs(times) < _MAX_SECONDS):
            raise InputError(
                f"a time of {times[np.argmax(np.abs(times))]:.0f} s is beyond the year 2200",
                where=f"{self._path}, series {self._number}",
                expected="seconds since 1970",
                hint="the number looks like milliseconds",
            )

    def flush(self) -> Iterator[Chunk]:
        """Hand out what is held."""
        if self._sampling is None:
            self._sampling = sampling_of([times for times, _ in self._samples])
        start = held = 0
        for end, (times, _) in enumerate(self._samples, start=1):
            held += len(times)
            if held >= _CHUNK_SAMPLES or end == len(self._samples):
                yield self._chunk(start, end, self._sampling)
                start, held = end, 0
        if self._rejects:
            yield self._chunk(0, 0, self._sampling)
        self._series, self._samples, self.buffered = [], [], 0

    def _chunk(self, start: int, end: int, sampling: Sampling) -> Chunk:
        series = tuple(replace(one, sampling=sampling) for one in self._series[start:end])
        parts = self._samples[start:end]
        counts = [len(times) for times, _ in parts]
        columns = {
            "series": np.repeat(np.arange(len(parts), dtype=np.uint32), counts),
            "ts": np.concatenate([times for times, _ in parts]) if parts else np.empty(0, np.int64),
            "value": np.concatenate([v for _, v in parts]) if parts else np.empty(0, np.float64),
        }
        samples = pl.DataFrame(columns).with_columns(pl.col("ts").cast(TIMESTAMP))
        read, rejects = self._read, tuple(self._rejects)
        self._read, self._rejects = 0, []
        self._empty = self._empty and not samples.height
        return Chunk(series=series, samples=samples, rows_read=read, rejects=rejects)

    def findings(self) -> list[Finding]:
        """Remarks about the whole file.

        Raises:
            InputError: nothing in it could be used.
        """
        if self._native and self._empty:
            raise InputError(
                "all series are native histograms, which are not read",
                where=str(self._path),
                expected="float samples or classic buckets",
                hint="query classic buckets, or a quantile over the native histogram",
            )
        if self._native:
            text = f"{self._native} native histograms are not read"
            return [Finding("native_histogram_skipped", "warning", text, count=self._native)]
        if self._empty:
            return [Finding("empty_result", "warning", "the result holds no sample")]
        return []


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


def sampling_of(series: Sequence[_Times]) -> Sampling:
    """Whether all times lie on one grid as fine as their closest pair, as a range query makes them.

    Args:
        series: per series Int64[n] microseconds.

    Returns:
        `step_aligned` or `raw`; `raw` too if there is nothing to tell it from.
    """
    filled = [times for times in series if len(times)]
    steps = [np.diff(np.sort(times)) for times in filled if len(times) > 1]
    gaps = np.concatenate(steps) if steps else np.empty(0, np.int64)
    gaps = gaps[gaps > 0]
    if not len(gaps):
        return "raw"
    step = int(gaps.min())
    origin = filled[0][0]
    aligned = all(not np.any((times - origin) % step) for times in filled)
    return "step_aligned" if aligned else "raw"


PROMETHEUS_MATRIX = Source(
    name="prometheus-matrix",
    title="Prometheus range query or range vector (JSON)",
    suffixes=(".json", ".json.gz"),
    detect=_detect,
    read=_read,
    example='{"status":"success","data":{"resultType":"matrix","result":[...]}}',
)
