"""The statistics that vLLM writes to its log, and tables of them: rates, running, waiting, KV cache."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import polars as pl

from signals.errors import InputError
from signals.schema import Finding
from signals.store.parsed import Chunk, NameChoice, ReadOptions, Reject, Series, Source
from signals.store.sources.cells import rejects_of
from signals.store.sources.own_wide import read_wide
from signals.store.sources.stamps import StampReader
from signals.store.sources.stream import LineBlock, line_blocks, read_head
from signals.store.sources.table import clip, head_names, open_table

__all__ = ["VLLM_LOG"]

# name as the log says it: name and unit as we say it; what has no name of ours keeps the exporter's
_FIELDS: dict[str, tuple[str, str]] = {
    "Avg prompt throughput": ("prompt_tps", "tokens/s"),
    "Avg generation throughput": ("decode_tps", "tokens/s"),
    "Running": ("running", "count"),
    "Waiting": ("queue_depth", "count"),
    "Pending": ("queue_depth", "count"),
    "Swapped": ("vllm:num_requests_swapped", "count"),
    "Deferred": ("vllm:num_requests_deferred", "count"),
    "GPU KV cache usage": ("kv_usage", "%"),
    "CPU KV cache usage": ("vllm:cpu_cache_usage_perc", "%"),
    "CPU": ("vllm:cpu_prefix_cache_hit_rate", "%"),
    "Prefix cache hit rate": ("prefix_hit_ratio", "%"),
    "Prefix cache hit rate: GPU": ("prefix_hit_ratio", "%"),
    "External prefix cache hit rate": ("vllm:external_prefix_cache_hit_rate", "%"),
    "MM cache hit rate": ("vllm:mm_cache_hit_rate", "%"),
    "Preemptions": ("vllm:preemptions_since_last_line", "count"),
}
# columns of a logger that polls the engine
_COLUMNS = {
    "prompt_throughput": NameChoice("prompt_tps", "tokens/s"),
    "generation_throughput": NameChoice("decode_tps", "tokens/s"),
    "num_running": NameChoice("running", "count"),
    "num_pending": NameChoice("queue_depth", "count"),
    "num_swapped": NameChoice("vllm:num_requests_swapped", "count"),
    "gpu_kvcache_usage": NameChoice("kv_usage", "%"),
    "cpu_kvcache_usage": NameChoice("vllm:cpu_cache_usage_perc", "%"),
}
_TIME = "timestamp"
_MARKS = (b"Avg prompt throughput:", b"Prefix cache hit rate: GPU:")
_STATS = re.compile(rb"^.*(?:Avg prompt throughput:|Prefix cache hit rate: GPU:).*$", re.MULTILINE)
_HEAD = re.compile(rb"\b(?:INFO|WARNING|DEBUG) \d\d-\d\d \d\d:\d\d:\d\d (?:\[|\w+\.py:)")
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_LINE = re.compile(
    r"^(?:(?P<zoned>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d))\s)?"
    r".*?\b[A-Z]+ (?P<local>(?:\d{4}-)?\d\d-\d\d \d\d:\d\d:\d\d(?:[.,]\d+)?)\s"
    r".*?\]\s*(?:(?:Engine (?P<engine>\d{1,9})|\d+ Engines Aggregated):\s*)?"
    r"(?P<fields>(?:Avg prompt throughput|Prefix cache hit rate: GPU):.*)$"
)
_NUMBER = re.compile(r"^(-?\d+(?:\.\d+)?(?:e[+-]?\d+)?|nan)(?![\w.]*\d)", re.IGNORECASE)
# no clock that counts from 1970 has shown less since 2001
_EPOCH_S = 10.0**9
# no statistics take more, and matching a longer line could take for ever
_LONGEST = 4096
# `10-09 08:53:20`, perhaps with milliseconds, has no year
_SHORT = 18


def _detect(head: bytes, path: Path) -> float:  # noqa: ARG001 - the content tells
    if any(mark in head for mark in _MARKS):
        return 1.0
    if _is_table(head):
        return 1.0
    # the first lines of an engine that has not served yet
    return 0.6 if _HEAD.search(head) else 0.0


def _is_table(head: bytes) -> bool:
    return {_TIME, "num_running", "gpu_kvcache_usage"} <= set(head_names(head, Path()))


def _read(path: Path, options: ReadOptions) -> Iterator[Chunk]:
    return (_read_table if _is_table(read_head(path)) else _read_log)(path, options)


# --- tables ---------------------------------------------------------------------------------------------


def _read_table(path: Path, options: ReadOptions) -> Iterator[Chunk]:
    time = NameChoice("ts" if _first_time(path) >= _EPOCH_S else "clock_s", "s")
    return read_wide(path, options, {_TIME: time, **_COLUMNS, **options.columns})


def _first_time(path: Path) -> float:
    _, parts = open_table(path)
    for part in parts:
        known = part.frame[_TIME].cast(pl.Float64, strict=False).drop_nulls().drop_nans()
        if len(known):
            return float(known[0])
    return 0.0


# --- log lines ------------------------------------------------------------------------------------------


def _read_log(path: Path, options: ReadOptions) -> Iterator[Chunk]:
    times = _LineTimes(path, options)
    unknown: dict[str, int] = {}
    other = found = 0
    for block in line_blocks(path):
        rows = _Rows(unknown=unknown)
        for number, text in _statistics(block):
            rows.take(number, text)
        found += rows.lines
        other += block.data.count(b"\n") + (not block.data.endswith(b"\n")) - rows.lines
        if rows.lines:
            yield rows.chunk(times)
    if found == 0:
        raise _no_statistics(path)
    yield Chunk(findings=(*_remarks(other, unknown), *times.findings()))


def _statistics(block: LineBlock) -> Iterator[tuple[int, str]]:
    """Lines of a block that hold statistics, with their number."""
    at, number = 0, block.first_line
    for line in _STATS.finditer(block.data):
        number += block.data.count(b"\n", at, line.start())
        at = line.start()
        yield number, _COLOUR.sub("", line.group().decode("utf-8").rstrip("\r"))


@dataclass
class _Rows:
    """Samples of some lines, before their times are read.

    Attributes:
        unknown: fields that have no name of ours, counted over the whole file.
        lines: lines taken.
    """

    unknown: dict[str, int]
    lines: int = 0
    _series: dict[tuple[str, str], int] = field(default_factory=dict)
    _made: list[Series] = field(default_factory=list)
    _stamps: list[tuple[int, str]] = field(default_factory=list)
    _samples: list[tuple[int, int, float]] = field(default_factory=list)
    _rejects: list[Reject] = field(default_factory=list)

    def take(self, number: int, text: str) -> None:
        """Take a line of statistics; what cannot be read becomes a reject."""
        self.lines += 1
        line = _LINE.match(text) if len(text) <= _LONGEST else None
        values = _values_of(line["fields"]) if line else None
        if line is None or values is None:
            self._rejects.append(Reject(number, "bad_statistics", clip(text)))
            return
        self._stamps.append((number, line["zoned"] or line["local"].replace(",", ".")))
        for name, value in values:
            if name in _FIELDS:
                index = self._index(name, line["engine"] or "")
                self._samples.append((index, len(self._stamps) - 1, value))
            else:
                self.unknown[name] = self.unknown.get(name, 0) + 1

    def _index(self, name: str, engine: str) -> int:
        known = self._series.get((name, engine))
        if known is None:
            metric, unit = _FIELDS[name]
            labels = {"engine": str(int(engine))} if engine else {}
            known = self._series[name, engine] = len(self._made)
            self._made.append(Series(metric, labels, unit=unit))
        return known

    def chunk(self, times: _LineTimes) -> Chunk:
        """The chunk, times read."""
        lines = pl.Series("line", [number for number, _ in self._stamps], dtype=pl.Int64)
        texts = pl.Series("time", [text for _, text in self._stamps], dtype=pl.String)
        stamps = times.read(texts, lines)
        lost = stamps.is_null()
        rejects = [*self._rejects, *rejects_of(lost, texts, lines, "bad_time")]
        samples = pl.DataFrame(
            self._samples,
            schema={"series": pl.UInt32, "row": pl.UInt32, "value": pl.Float64},
            orient="row",
        )
        samples = samples.select("series", stamps.gather(samples["row"]).alias("ts"), "value")
        samples = samples.drop_nulls("ts")
        return Chunk(
            series=tuple(self._made),
            samples=samples,
            rows_read=samples.height + len(rejects),
            rejects=tuple(sorted(rejects, key=lambda reject: reject.line)),
        )


def _values_of(text: str) -> list[tuple[str, float]] | None:
    """Name and number of each field; None if a field that has a name of ours holds no number."""
    found: list[tuple[str, float]] = []
    for part in text.split(", "):
        name, _, value = part.rpartition(": ")
        number = _NUMBER.match(value)
        if number is not None:
            found.append((name.strip(), float(number[0])))
        elif name in _FIELDS or not name:
            return None
    return found


class _LineTimes:
    """Reads the times of log lines, which name no year unless the console that kept them does."""

    def __init__(self, path: Path, options: ReadOptions) -> None:
        self._path = path
        self._start = options.start
        self._last: datetime | None = None
        self._reader = StampReader(str(path), options)

    def read(self, texts: pl.Series, lines: pl.Series) -> pl.Series:
        """UTC times; null where a text is no date of a calendar."""
        if (texts.str.len_chars() > _SHORT).all():
            return self._reader.read(texts, lines)
        if self._start is None:
            raise InputError(
                "the log's times name no year",
                where=f"{self._path}, line {lines[0]}: {texts[0]}",
                expected="--start with the day on which the log begins",
                hint="such as --start 2025-10-09 --tz UTC; `kubectl logs --timestamps` writes whole times",
            )
        dated = [self._dated(text, self._start) for text in texts]
        return self._reader.read(pl.Series("time", dated, dtype=pl.String), lines)

    def _dated(self, text: str, start: datetime) -> str:
        """The text with the year in which it comes next after the line before it."""
        if len(text) > _SHORT:
            return text
        near = self._last or start.astimezone(UTC).replace(tzinfo=None)
        days = [
            day
            for year in range(near.year - 1, near.year + 2)
            if (day := _day(year, text)) is not None
        ]
        if not days:
            return text
        self._last = min(days, key=lambda day: abs(day - near))
        return f"{self._last.year}-{text}"

    def findings(self) -> tuple[Finding, ...]:
        """Remarks on all times."""
        return self._reader.findings()


def _day(year: int, text: str) -> datetime | None:
    try:
        return datetime.strptime(f"{year}-{text[:14]}", "%Y-%m-%d %H:%M:%S")  # noqa: DTZ007 - zone comes later
    except ValueError:
        return None


def _remarks(other: int, unknown: dict[str, int]) -> Iterator[Finding]:
    if other:
        yield Finding(
            "other_lines",
            "info",
            f"{other} lines of the log hold no statistics of the engine",
            count=other,
            action="left out",
        )
    for name, count in unknown.items():
        yield Finding(
            "unknown_name",
            "info",
            f"'{clip(name)}' of the statistics has no name of ours",
            count=count,
            subject=clip(name),
            action="left out",
        )


def _no_statistics(path: Path) -> InputError:
    return InputError(
        "the log holds no statistics of an engine",
        where=str(path),
        expected="lines such as `Engine 000: Avg prompt throughput: 123.4 tokens/s, ...`",
        hint="vLLM writes them every 10 s while it serves, unless started with --disable-log-stats",
    )


VLLM_LOG = Source(
    name="vllm-log",
    title="vLLM engine log",
    suffixes=(".log", ".log.gz", ".csv", ".csv.gz"),
    detect=_detect,
    read=_read,
    example="INFO 10-09 08:53:20 [loggers.py:123] Engine 000: Avg prompt throughput: 123.4 tokens/s, "
    "Avg generation throughput: 456.7 tokens/s, Running: 12 reqs, Waiting: 3 reqs, GPU KV cache usage: "
    "45.6%, Prefix cache hit rate: 12.3%",
    export="`kubectl logs --timestamps POD > vllm.log`, or what the server wrote to its console.",
    load="[--start TIME] [--tz ZONE]",
    traps=(
        "The lines name neither year nor zone: --start names a time of the year, such as "
        "2025-10-09T00:00Z, and --tz the zone; lines with whole times need neither.",
        "A table of these figures whose clock does not count from 1970 takes --start for its "
        "first row.",
        "One log is one process and its lines name no pod: load each log as its own --service, "
        "or with a rule such as --pool 'decode=engine:~.*'.",
        "Rates are means since the line before, 10 s as a rule; an idle engine writes nothing, "
        "so a gap is no outage.",
        "The prefix cache hit rate is of the last thousand requests, not of the interval.",
        "KV cache usage is written in percent.",
        "Lines without statistics are left out and counted (other_lines).",
    ),
)
