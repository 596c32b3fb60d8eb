"""One text of OpenMetrics or of Prometheus' exposition, read into samples."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from signals.errors import InputError
from signals.schema import TIMESTAMP, Finding
from signals.store.parsed import ReadOptions, Reject, Series
from signals.store.sources.exposition import Families, parse_labels
from signals.store.sources.part import clip
from signals.store.sources.sample_chunks import SampleChunks
from signals.store.sources.sample_lines import reject_lines, split_block
from signals.store.sources.stamps import StampReader
from signals.store.sources.stray import are_strays
from signals.store.sources.stream import LineBlock, byte_blocks, line_blocks

__all__ = ["Scrape"]

_EOF = "# EOF"
_CREATED = "_created"
# text exposition counts milliseconds; below this they would lie before 1973, so they are seconds
_LEAST_MS = 10**11


@dataclass(frozen=True, slots=True)
class _Unit:
    """What the format says about times."""

    name: str
    words: str


_SECONDS = _Unit("s", "OpenMetrics, which counts seconds")
_MILLISECONDS = _Unit("ms", "text exposition, which counts milliseconds")


class Scrape:
    """Reads one text; remembers families and how times were given."""

    def __init__(
        self,
        path: Path,
        options: ReadOptions,
        chunks: SampleChunks,
        *,
        labels: Mapping[str, str] | None = None,
        ask: str = "",
    ) -> None:
        """Look at the text's end, which tells the format.

        Args:
            path: plain or gzip.
            options: `at` is the time of samples without one.
            chunks: where samples go.
            labels: of the target, for series that do not have them.
            ask: what to say if a time is missing; empty for the option alone.

        Raises:
            InputError: the text cannot be read.
        """
        self._path = path
        self._at = options.at
        self._labels = dict(labels or {})
        self._ask = (
            ask or "give the time of the scrape with --at, for example --at 2026-06-01T08:00:00Z"
        )
        self._chunks = chunks
        self._unit = _SECONDS if _ends_with_eof(path) else _MILLISECONDS
        source = f"{path} ({self._unit.words})"
        self._stamps = StampReader(source, options, unit=self._unit.name)
        self._seconds = StampReader(source, options, unit="s")
        self._seconds_read = 0
        self._families = Families()
        self._ends = 0
        self._created: set[str] = set()
        self._open_end = False
        self._took_at = False

    def blocks(self) -> Iterator[None]:
        """Read the text; one step per block, so that chunks can be taken in between."""
        for block in line_blocks(self._path):
            self._read(block)
            yield

    def _read(self, block: LineBlock) -> None:
        split = split_block(block)
        for comment in split.comments:
            self._families.note(comment)
        self._ends += split.comments.count(_EOF)
        self._open_end = not block.data.endswith(b"\n")
        rows = split.rows
        scope = repr(sorted(self._labels.items())) if self._labels else ""
        series = self._chunks.number(rows["key"], self._describe, scope=scope)
        numbers = rows["number"].cast(pl.Float64, strict=False)
        rows = rows.with_columns(series.alias("series"), numbers.alias("value"))
        created = self._note_created(rows["key"])
        bad = rows["series"].is_null() | rows["value"].is_null()
        rejects: list[Reject] = [*reject_lines(rows.filter(bad), "bad_line")]
        kept = rows.filter(~bad & ~created)
        kept = kept.with_columns(self._times(kept).alias("ts"))
        rejects += reject_lines(kept.filter(pl.col("ts").is_null()), "bad_time")
        self._chunks.add(kept.drop_nulls("ts"), rows_read=rows.height, rejects=rejects)

    def _describe(self, key: str) -> Series | None:
        parsed = parse_labels(key)
        if parsed is None:
            return None
        metric, labels = parsed
        kind, unit = self._families.kind_of(metric), self._families.unit_of(metric)
        return Series(metric, {**self._labels, **labels}, kind=kind, unit=unit)

    def _note_created(self, keys: pl.Series) -> pl.Series:
        """Which rows say when a counter or histogram began."""
        marked = keys.str.contains(_CREATED, literal=True).fill_null(value=False)
        found = {key for key in keys.filter(marked).unique() if self._is_created(key)}
        self._created |= found
        return marked & keys.is_in(list(found)).fill_null(value=False)

    def _is_created(self, key: str) -> bool:
        parsed = parse_labels(key)
        return parsed is not None and self._families.is_created(parsed[0])

    def _times(self, rows: pl.DataFrame) -> pl.Series:
        untimed = rows["time"].is_null()
        if untimed.any() and self._at is None:
            if are_strays(int(untimed.sum()), rows.height):
                return self._stamps_of(rows)
            first = rows.filter(untimed)
            raise InputError(
                "samples have no time",
                where=f"{self._path}, line {first['line'][0]}: {clip(first['text'][0])}",
                expected="a time after the value, or the time of the scrape",
                hint=self._ask,
            )
        self._took_at |= bool(untimed.any())
        at = pl.Series([self._at], dtype=TIMESTAMP)
        if untimed.all():
            return at.new_from_index(0, rows.height)
        stamps = self._stamps_of(rows)
        return stamps.zip_with(~untimed, at) if untimed.any() else stamps

    def _stamps_of(self, rows: pl.DataFrame) -> pl.Series:
        """Times as written; null where there is none."""
        seconds = self._looks_like_seconds(rows["time"])
        stamps = self._stamps.read(rows["time"].set(seconds, None), rows["line"])
        if not seconds.any():
            return stamps
        self._seconds_read += int(seconds.sum())
        late = self._seconds.read(rows["time"].set(~seconds, None), rows["line"])
        return stamps.fill_null(late)

    def _looks_like_seconds(self, times: pl.Series) -> pl.Series:
        if self._unit is _SECONDS:
            return pl.repeat(value=False, n=len(times), eager=True)
        size = times.cast(pl.Float64, strict=False).abs()
        return ((size > 0) & (size < _LEAST_MS)).fill_null(value=False)

    @property
    def took_at(self) -> bool:
        """Whether samples without a time got that of the scrape, so far."""
        return self._took_at

    def findings(self) -> tuple[Finding, ...]:
        """Remarks about the whole text."""
        return (*self._about_times(), *self._about_ends(), *self._about_created())

    def _about_times(self) -> Iterator[Finding]:
        if self._seconds_read:
            yield Finding(
                "stamp_unit_contradicted",
                "warning",
                f"{self._seconds_read} times would lie before 1973 in milliseconds",
                count=self._seconds_read,
                action="read as seconds; OpenMetrics, which counts seconds, must end in # EOF",
            )

    def _about_ends(self) -> Iterator[Finding]:
        if self._families.openmetrics and not self._ends:
            yield Finding(
                "eof_missing",
                "warning",
                "the text uses words of OpenMetrics but does not end in # EOF: it may be cut short",
                subject=self._path.name,
                action="times read as milliseconds, as text exposition has them",
            )
        elif self._open_end and not self._ends:
            yield Finding(
                "last_line_open",
                "info",
                "the last line does not end: the text may be cut short, and so may its last number",
                subject=self._path.name,
                action="read as it stands",
            )
        if self._ends > 1:
            yield Finding(
                "several_scrapes",
                "warning",
                f"the text holds {self._ends} scrapes, one behind the other",
                count=self._ends,
                subject=self._path.name,
                action="samples without a time all got the same one; give each scrape a file of its own",
            )

    def _about_created(self) -> Iterator[Finding]:
        if self._created:
            yield Finding(
                "created_series_ignored",
                "info",
                f"{len(self._created)} series only say when a counter or histogram began",
                count=len(self._created),
                action="left out",
            )


def _ends_with_eof(path: Path) -> bool:
    """OpenMetrics ends in `# EOF`, and only it counts in seconds."""
    tail = b""
    for block in byte_blocks(path):
        tail = (tail + block)[-64:]
    return tail.rstrip().endswith(_EOF.encode())
