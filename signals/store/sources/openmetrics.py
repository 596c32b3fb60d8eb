"""OpenMetrics and Prometheus text exposition: scrapes, and dumps with times."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from signals.errors import InputError
from signals.schema import TIMESTAMP, Finding
from signals.store.parsed import Chunk, ReadOptions, Reject, Series, Source
from signals.store.sources.exposition import Families, parse_labels, split_sample
from signals.store.sources.stamps import StampReader
from signals.store.sources.stream import LineBlock, byte_blocks, line_blocks
from signals.store.sources.table import clip

__all__ = ["OPENMETRICS"]

_EOF = b"# EOF"
_MAX_SERIES = 2_000_000
# text exposition counts milliseconds; below this they would lie before 1973, so they are seconds
_LEAST_MS = 10**11
_META_LINE = re.compile(r"^# (HELP|TYPE|UNIT) \S+")
_LOOKED_AT = 20


def _detect(head: bytes, path: Path) -> float:  # noqa: ARG001 - the content tells
    lines = head.decode("utf-8", errors="replace").splitlines()[:_LOOKED_AT]
    lines = [line for line in lines if line.strip()]
    if any(_META_LINE.match(line) for line in lines):
        return 0.95
    if lines == [_EOF.decode()]:
        return 0.95
    samples = [line for line in lines if not line.startswith("#")]
    fitting = sum(_is_sample(line) for line in samples)
    return 0.7 if samples and fitting >= 0.8 * len(samples) else 0.0


def _is_sample(line: str) -> bool:
    found = split_sample(line.strip())
    if found is None or found[0].startswith("{") or parse_labels(found[0]) is None:
        return False
    try:
        float(found[1])
    except ValueError:
        return False
    return True


def _read(path: Path, options: ReadOptions) -> Iterator[Chunk]:
    unit = "s" if _ends_with_eof(path) else "ms"
    scrape = _Scrape(path, options, unit)
    rows = 0
    for block in line_blocks(path):
        chunk = scrape.read(block)
        rows += chunk.rows_read
        yield chunk
    if rows == 0:
        raise InputError(
            "the text holds no sample",
            where=str(path),
            expected='lines such as vllm:num_requests_running{engine="0"} 3',
        )
    yield Chunk(findings=scrape.findings())


def _ends_with_eof(path: Path) -> bool:
    """OpenMetrics ends in `# EOF`, and only it counts in seconds."""
    tail = b""
    for block in byte_blocks(path):
        tail = (tail + block)[-64:]
    return tail.rstrip().endswith(_EOF)


@dataclass(frozen=True, slots=True)
class _Unit:
    """What the format says about times."""

    name: str
    words: str


_UNITS = {
    "s": _Unit("s", "OpenMetrics, which counts seconds"),
    "ms": _Unit("ms", "text exposition, which counts milliseconds"),
}


class _Scrape:
    """Reads blocks of lines; remembers families, series and how times were given."""

    def __init__(self, path: Path, options: ReadOptions, unit: str) -> None:
        self._path = path
        self._at = options.at
        self._unit = _UNITS[unit]
        source = f"{path} ({self._unit.words})"
        self._stamps = StampReader(source, options, unit=unit)
        self._seconds = StampReader(source, options, unit="s")
        self._seconds_read = 0
        self._families = Families()
        self._cache: dict[str, Series | None] = {}

    def read(self, block: LineBlock) -> Chunk:
        """Samples of one block of lines."""
        rows = self._rows(block)
        rows = rows.with_columns(pl.col("number").cast(pl.Float64, strict=False).alias("value"))
        series, known = self._series(rows)
        rows = rows.join(known, on="key", how="left", maintain_order="left")
        bad = rows["series"].is_null() | rows["value"].is_null()
        rejects = [*_rejects(rows.filter(bad), "bad_line")]
        kept = rows.filter(~bad)
        kept = kept.with_columns(self._times(kept).alias("ts"))
        rejects += _rejects(kept.filter(pl.col("ts").is_null()), "bad_time")
        samples = kept.drop_nulls("ts").select(pl.col("series").cast(pl.UInt32), "ts", "value")
        return Chunk(
            series=series,
            samples=samples,
            rows_read=rows.height,
            rejects=tuple(sorted(rejects, key=lambda reject: reject.line)),
        )

    def _rows(self, block: LineBlock) -> pl.DataFrame:
        """`line`, `text` and what `split_sample` makes of it, for every line that is no comment."""
        found: list[tuple[int, str, str | None, str | None, str | None]] = []
        for line, text in enumerate(block.data.decode("utf-8").split("\n"), block.first_line):
            sample = text.strip()
            if sample.startswith("#"):
                self._families.note(sample)
            elif sample:
                found.append((line, sample, *(split_sample(sample) or (None, None, None))))
        schema = {"line": pl.Int64, **dict.fromkeys(("text", "key", "number", "time"), pl.String)}
        return pl.DataFrame(found, schema=schema, orient="row")

    def _series(self, rows: pl.DataFrame) -> tuple[tuple[Series, ...], pl.DataFrame]:
        """The block's series, and a frame from a series' text to its number."""
        series: list[Series] = []
        keys: list[str] = []
        for key in rows["key"].drop_nulls().unique(maintain_order=True):
            if key not in self._cache:
                self._cache[key] = self._describe(key)
            one = self._cache[key]
            if one is not None:
                keys.append(key)
                series.append(one)
        if len(self._cache) > _MAX_SERIES:
            raise InputError(
                f"the file holds more than {_MAX_SERIES} series",
                where=str(self._path),
                expected="labels that name things, not values that change with every scrape",
            )
        numbers = pl.Series("series", range(len(keys)), dtype=pl.UInt32)
        return tuple(series), pl.DataFrame(
            {"key": pl.Series(keys, dtype=pl.String), "series": numbers}
        )

    def _describe(self, key: str) -> Series | None:
        parsed = parse_labels(key)
        if parsed is None:
            return None
        metric, labels = parsed
        return Series(
            metric,
            labels,
            kind=self._families.kind_of(metric),
            unit=self._families.unit_of(metric),
        )

    def _times(self, rows: pl.DataFrame) -> pl.Series:
        untimed = rows["time"].is_null()
        if untimed.any() and self._at is None:
            first = rows.filter(untimed)
            raise InputError(
                "samples have no time",
                where=f"{self._path}, line {first['line'][0]}: {clip(first['text'][0])}",
                expected="a time after the value, or the time of the scrape",
                hint="give the time of the scrape with --at, for example --at 2026-06-01T08:00:00Z",
            )
        seconds = self._looks_like_seconds(rows["time"])
        stamps = self._stamps.read(rows["time"].set(seconds, None), rows["line"])
        if seconds.any():
            self._seconds_read += int(seconds.sum())
            late = self._seconds.read(rows["time"].set(~seconds, None), rows["line"])
            stamps = stamps.fill_null(late)
        at = pl.Series([self._at], dtype=TIMESTAMP)
        return stamps.zip_with(~untimed, at) if untimed.any() else stamps

    def _looks_like_seconds(self, times: pl.Series) -> pl.Series:
        size = times.cast(pl.Float64, strict=False).abs()
        if self._unit.name == "s":
            return pl.repeat(value=False, n=len(times), eager=True)
        return ((size > 0) & (size < _LEAST_MS)).fill_null(value=False)

    def findings(self) -> tuple[Finding, ...]:
        """Remarks about the whole file."""
        if not self._seconds_read:
            return ()
        return (
            Finding(
                "stamp_unit_contradicted",
                "warning",
                f"{self._seconds_read} times would lie before 1973 in milliseconds",
                count=self._seconds_read,
                action="read as seconds; OpenMetrics, which counts seconds, must end in # EOF",
            ),
        )


def _rejects(rows: pl.DataFrame, reason: str) -> Iterator[Reject]:
    for line, text in rows.select("line", "text").iter_rows():
        yield Reject(line, reason, clip(text))


OPENMETRICS = Source(
    name="openmetrics",
    title="OpenMetrics or Prometheus text exposition",
    suffixes=(".prom", ".om", ".txt", ".txt.gz"),
    detect=_detect,
    read=_read,
    example='vllm:generation_tokens_total{engine="0",pod="decode-0"} 1450 1780300815',
)
