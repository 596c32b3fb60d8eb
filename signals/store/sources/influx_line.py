"""InfluxDB line protocol, as agents and export tools write it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import polars as pl

from signals.errors import InputError
from signals.schema import TIMESTAMP, Finding
from signals.store.parsed import Chunk, ReadOptions, Reject, Series, Source
from signals.store.sources.bound import has_bad_bound
from signals.store.sources.influx_names import name_series
from signals.store.sources.sample_chunks import check_series
from signals.store.sources.stamps import EPOCH_UNITS, StampReader
from signals.store.sources.stray import are_strays
from signals.store.sources.stream import LineBlock, line_blocks
from signals.store.sources.table import clip

__all__ = ["INFLUX_LINE"]

Fields = list[tuple[str, str]]

_LOOKED_AT = 20
_TIME_COLUMN = "timestamp"
# nanoseconds since the year 1973 have as many digits; fewer are a coarser unit
_NANOSECONDS = 18
_SPACE = re.compile(r"(?<!\\) +")
_COMMA = re.compile(r"(?<!\\),")
_EQUALS = re.compile(r"(?<!\\)=")
_ESCAPED = re.compile(r"\\([,= ])")
_FIELD = re.compile(r'((?:[^\\=, ]|\\.)+)=("(?:[^"\\]|\\.)*"|[^," ]+)(,| |$)')
_VALUE = re.compile(
    r'^(?:[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|[+-]?\d+[iu]|t|T|[tT]rue|TRUE|f|F|[fF]alse|FALSE|".*")$'
)
_WHOLE = r"^[+-]?\d+$"
_TRUE = ("t", "T", "true", "True", "TRUE")
_FALSE = ("f", "F", "false", "False", "FALSE")
# the first lines of an export, before its points
_STATEMENTS = ("#", "CREATE DATABASE ")


def _detect(head: bytes, path: Path) -> float:  # noqa: ARG001 - the content tells
    whole = head.decode("utf-8", errors="replace")
    lines = [line.rstrip("\r") for line in whole.split("\n")[: _LOOKED_AT + 1]]
    # the last line may be cut
    lines = (lines[:-1] if len(lines) > 1 and len(whole) > 1024 else lines)[:_LOOKED_AT]
    lines = [line for line in lines if line.strip() and not line.startswith(_STATEMENTS)]
    times = [time for line in lines if (time := _time_of_point(line)) is not None]
    if not lines or len(times) < 0.8 * len(lines):
        return 0.0
    return 0.9 if any(times) else 0.5


def _time_of_point(line: str) -> str | None:
    """The time of a line that is a point; empty if it has none, None if it is no point."""
    point = _split_point(line)
    if point is None or not re.match(r"^\w", line):
        return None
    _, fields, time = point
    if not all(_VALUE.match(value) for _, value in fields):
        return None
    return time if not time or re.match(_WHOLE, time) else None


def _split_point(line: str) -> tuple[str, Fields, str] | None:
    """Measurement with tags, fields, and time; None if the line has another form."""
    if "\\" in line or '"' in line:
        return _split_slowly(line)
    parts = line.split(" ")
    if len(parts) not in {2, 3} or not parts[0]:
        return _split_slowly(line)
    fields: Fields = []
    for text in parts[1].split(","):
        name, equals, value = text.partition("=")
        if not (name and equals and value):
            return None
        fields.append((name, value))
    return parts[0], fields, parts[2] if len(parts) == 3 else ""


def _split_slowly(line: str) -> tuple[str, Fields, str] | None:
    space = _SPACE.search(line)
    if space is None or space.start() == 0:
        return None
    fields: Fields = []
    at, mark = space.end(), ","
    while mark == ",":
        found = _FIELD.match(line, at)
        if found is None:
            return None
        fields.append((_unescape(found[1]), found[2]))
        at, mark = found.end(), found[3]
    return line[: space.start()], fields, line[at:].strip()


def _unescape(text: str) -> str:
    return _ESCAPED.sub(r"\1", text) if "\\" in text else text


def _split_head(head: str) -> tuple[str, dict[str, str]] | None:
    """Measurement and tags; None if they are malformed."""
    measurement, *pairs = _COMMA.split(head)
    tags: dict[str, str] = {}
    for pair in pairs:
        name, *value = _EQUALS.split(pair, maxsplit=1)
        if not name or not value:
            return None
        tags[_unescape(name)] = _unescape(value[0])
    return (_unescape(measurement), tags) if measurement else None


def _read(path: Path, options: ReadOptions) -> Iterator[Chunk]:
    points = _Points(path, options)
    rows = 0
    for block in line_blocks(path):
        chunk = points.read(block)
        rows += chunk.rows_read
        yield chunk
    findings = points.findings()
    if rows == 0 and not findings:
        raise InputError(
            "the text holds no point",
            where=str(path),
            expected="lines such as vllm,pod=decode-0 num_requests_waiting=3 1780300800000000000",
        )
    yield Chunk(findings=findings)


class _Points:
    """Reads blocks of lines; remembers series and how times were given."""

    def __init__(self, path: Path, options: ReadOptions) -> None:
        self._path = path
        self._options = options
        chosen = options.columns.get(_TIME_COLUMN)
        self._unit = chosen.unit if chosen and chosen.unit in EPOCH_UNITS else ""
        self._stamps = StampReader(f"{path}, times", options, unit=self._unit)
        self._series: dict[str, Series | None] = {}
        self._histograms: set[str] = set()
        self._coarse = 0
        self._texts = 0

    def read(self, block: LineBlock) -> Chunk:
        """Samples of one block of lines."""
        rows, rejects = self._rows(block)
        text = rows["value"].str.starts_with('"')
        self._texts += int(text.sum())
        rows = rows.filter(~text)
        rows = rows.with_columns(_numbers(rows["value"]).alias("number"))
        series, known = self._known(rows["key"])
        rows = rows.join(known, on="key", how="left", maintain_order="left")
        rows = rows.with_columns(self._times(rows).alias("ts"))
        reason = (
            pl.when(pl.col("series").is_null())
            .then(pl.lit("bad_line"))
            .when(pl.col("ts").is_null())
            .then(pl.lit("bad_time"))
            .when(pl.col("number").is_null())
            .then(pl.lit("bad_number"))
        )
        rows = rows.with_columns(reason.alias("reason"))
        bad = rows.filter(pl.col("reason").is_not_null())
        rejects += [
            Reject(line, why, clip(f"{key} = {value} {time or ''}".replace("\n", " ")))
            for line, why, key, value, time in bad.select(
                "line", "reason", "key", "value", "time"
            ).iter_rows()
        ]
        kept = rows.filter(pl.col("reason").is_null())
        samples = kept.select("series", "ts", pl.col("number").alias("value"))
        return Chunk(
            series=series,
            samples=samples,
            rows_read=samples.height + len(rejects),
            rejects=tuple(sorted(rejects, key=lambda reject: reject.line)),
        )

    def _rows(self, block: LineBlock) -> tuple[pl.DataFrame, list[Reject]]:
        """One row for each field: `line`, `key` (head and field), `value` and `time` as texts."""
        rows: list[tuple[int, str, str, str | None]] = []
        rejects: list[Reject] = []
        for line, text in enumerate(block.data.decode("utf-8").split("\n"), block.first_line):
            clean = text.strip()
            if not clean or clean.startswith(_STATEMENTS):
                continue
            point = _split_point(clean)
            if point is None:
                rejects.append(Reject(line, "bad_line", clip(clean)))
                continue
            head, fields, time = point
            if "+Inf=" in clean:
                self._histograms.add(head)
            rows.extend((line, f"{head}\n{name}", value, time or None) for name, value in fields)
        schema = {"line": pl.Int64, **dict.fromkeys(("key", "value", "time"), pl.String)}
        return pl.DataFrame(rows, schema=schema, orient="row"), rejects

    def _known(self, keys: pl.Series) -> tuple[tuple[Series, ...], pl.DataFrame]:
        """The block's series, and a frame from a key to its number."""
        numbers: dict[str, int] = {}
        series: list[Series] = []
        for key in keys.unique(maintain_order=True):
            if key not in self._series:
                self._series[key] = self._describe(key)
            one = self._series[key]
            if one is not None:
                numbers[key] = len(series)
                series.append(one)
        check_series(len(self._series), self._path)
        return tuple(series), pl.DataFrame(
            {"key": list(numbers), "series": list(numbers.values())},
            schema={"key": pl.String, "series": pl.UInt32},
        )

    def _describe(self, key: str) -> Series | None:
        head, _, field = key.partition("\n")
        parsed = _split_head(head)
        if parsed is None:
            return None
        measurement, tags = parsed
        histogram = head in self._histograms
        one = name_series(
            measurement, field, tags, histogram=histogram, choices=self._options.columns
        )
        return None if has_bad_bound(one) else one

    def _times(self, rows: pl.DataFrame) -> pl.Series:
        untimed = rows["time"].is_null()
        if untimed.any() and self._options.at is None:
            if are_strays(int(untimed.sum()), rows.height):
                return self._stamps_of(rows["time"], rows["line"])
            first = rows.filter(untimed)
            raise InputError(
                "points have no time",
                where=f"{self._path}, line {first['line'][0]}",
                expected="nanoseconds since 1970 at the end of the line",
                hint="give the time of such points with --at, for example --at 2026-06-01T08:00:00Z",
            )
        stamps = self._stamps_of(rows["time"], rows["line"])
        at = pl.Series([self._options.at], dtype=TIMESTAMP)
        return stamps.zip_with(~untimed, at) if untimed.any() else stamps

    def _stamps_of(self, times: pl.Series, lines: pl.Series) -> pl.Series:
        whole = times.str.contains(_WHOLE).fill_null(value=False)
        texts = times.set(~whole, None)
        digits = texts.str.strip_chars_start("+-0").str.len_chars()
        self._coarse += int((digits < _NANOSECONDS).sum())
        return self._stamps.read(texts, lines)

    def findings(self) -> tuple[Finding, ...]:
        """Remarks about the whole file."""
        # nanoseconds are what the format says, so nothing was inferred
        found = list(self._stamps.findings()) if self._coarse else []
        if self._texts:
            found.append(
                Finding(
                    "text_cells",
                    "info",
                    f"{self._texts} fields hold texts",
                    count=self._texts,
                    action="left out",
                )
            )
        return tuple(found)


def _numbers(values: pl.Series) -> pl.Series:
    """Float64 of `1.5`, `97i`, `97u`, `true`; null for anything else."""
    plain = values.str.replace(r"^([+-]?\d+)[iu]$", "$1")
    numbers = plain.cast(pl.Float64, strict=False)
    numbers = numbers.set(values.is_in(_TRUE), 1.0)
    return numbers.set(values.is_in(_FALSE), 0.0)


INFLUX_LINE = Source(
    name="influx-line",
    title="InfluxDB line protocol",
    suffixes=(".lp", ".line", ".txt", ".lp.gz", ".txt.gz"),
    detect=_detect,
    read=_read,
    open_end="warning",
    example="vllm,pod=decode-0,role=decode num_requests_waiting=2,kv_cache_usage_perc=0.55 1780300815000000000",
    export="`influxd inspect export-lp --bucket-id ID --engine-path DIR --output-path points.lp`",
    load="[--map 'timestamp=timestamp[ms]']",
    traps=(
        "Times are nanoseconds; fewer digits are read by their size, with a finding, unless "
        "--map names the unit.",
        "A field becomes the metric measurement_field; fields called value, gauge or counter, "
        "and all fields of the measurement prometheus, keep the one name that there is.",
        "Fields of one point that are numbers with +Inf among them are buckets of a histogram, "
        "else quantiles.",
        "The tag url becomes instance, and uuid and index of nvidia_smi the GPU; pstate is "
        "left out.",
        "Fields that hold texts are counted and left out.",
    ),
)
