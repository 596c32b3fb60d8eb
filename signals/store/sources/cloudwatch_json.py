"""Answers of CloudWatch: `get-metric-data` and `get-metric-statistics`."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from pathlib import Path

import polars as pl

from signals.errors import InputError
from signals.schema import TIMESTAMP, Finding
from signals.store.parsed import Chunk, ReadOptions, Reject, Series, Source
from signals.store.sources.cloudwatch_label import (
    STATISTICS,
    note_statistic,
    read_label,
    read_unit_name,
)
from signals.store.sources.legend import Legend, name_legends
from signals.store.sources.part import clip
from signals.store.sources.pull_json import JsonPuller
from signals.store.sources.rollup import StepWatch
from signals.store.sources.stamps import StampReader

__all__ = ["CLOUDWATCH_JSON"]

_CHUNK_SAMPLES = 500_000
_RESULTS, _POINTS = "MetricDataResults", "Datapoints"
_Part = tuple[str, object]
# a result is told by its id and label; a statistic by its name and unit
_Key = tuple[str, str]


def _detect(head: bytes, path: Path) -> float:  # noqa: ARG001 - the content tells
    if not head.lstrip().startswith(b"{"):
        return 0.0
    if b'"MetricDataResults"' in head:
        return 1.0
    return 0.95 if b'"Datapoints"' in head and b'"Label"' in head else 0.0


def _read(path: Path, options: ReadOptions) -> Iterator[Chunk]:
    legends, findings = _legends(path)
    series, named = (
        name_legends(list(legends.values()), options, str(path)) if legends else ([], [])
    )
    points = _Points(path, options, dict(zip(legends, series, strict=True)))
    yield from points.chunks()
    if not series:
        named = [Finding("empty_result", "warning", "the answer holds no result")]
    kept = [one for one in findings if one.subject not in options.columns]
    yield Chunk(series=tuple(series), findings=(*named, *kept, *points.findings()))


# --- the envelope -----------------------------------------------------------------------------------------


def _parts(path: Path) -> Iterator[_Part]:
    """`result` and `point`, element by element; `label`, `token` and `messages`, as they come.

    Raises:
        InputError: the file is no JSON or no answer of CloudWatch.
    """
    json = JsonPuller(path)
    if json.peek() == "":
        raise InputError("the file is empty", where=str(path), expected="JSON")
    found = False
    kinds = {_RESULTS: "result", _POINTS: "point"}
    others = {"Label": "label", "NextToken": "token", "Messages": "messages"}
    for name in json.members():
        if name in kinds and json.peek() == "[":
            found = True
            yield from ((kinds[name], element) for element in json.elements())
        elif name in others:
            yield others[name], json.value()
        else:
            json.skip()
    json.finish()
    if not found:
        raise InputError(
            "the answer holds no result",
            where=str(path),
            expected=f"{_RESULTS} of get-metric-data, or {_POINTS} of get-metric-statistics",
        )


# --- names ------------------------------------------------------------------------------------------------


def _legends(path: Path) -> tuple[dict[_Key, Legend], list[Finding]]:
    """What each result or statistic is called, in the file's order, and what the answer remarks."""
    results: dict[_Key, Legend] = {}
    statistics: dict[_Key, None] = {}
    findings: list[Finding] = []
    label = ""
    for kind, part in _parts(path):
        if kind == "result":
            fields = part if isinstance(part, dict) else {}
            key = _key(fields)
            findings += _remarks(fields, key)
            if key not in results:
                results[key], more = read_label(key[1] or key[0], aliases=(key[0],))
                findings += more
        elif kind == "point":
            statistics.update(dict.fromkeys(_statistics(part)))
        elif kind == "label":
            label = str(part)
        else:
            findings += _envelope(kind, part)
    if statistics:
        more_results, more = _statistic_legends(label or "metric", list(statistics))
        return {**results, **more_results}, findings + more
    return results, findings


def _key(result: Mapping[str, object]) -> _Key:
    return str(result.get("Id") or ""), str(result.get("Label") or "")


def _statistics(point: object) -> dict[_Key, object]:
    """Values of a data point by statistic and unit."""
    if not isinstance(point, dict):
        return {}
    unit = str(point.get("Unit") or "")
    found = {(name, unit): point[name] for name in STATISTICS if name in point}
    extended = point.get("ExtendedStatistics")
    if isinstance(extended, dict):
        found.update({(str(name), unit): value for name, value in extended.items()})
    return found


def _statistic_legends(label: str, keys: list[_Key]) -> tuple[dict[_Key, Legend], list[Finding]]:
    """The first statistic carries the metric's name; others of the same points stay beside it."""

    def rank(key: _Key) -> int:
        order = ("Average", *(name for name, _ in keys if name not in STATISTICS), *STATISTICS)
        return order.index(key[0])

    first = min(keys, key=rank)
    legends: dict[_Key, Legend] = {}
    findings: list[Finding] = []
    for key in keys:
        statistic, unit = key
        spelled = read_unit_name(unit)
        if key == first:
            legends[key], findings = read_label(label, metric=label, unit=spelled)
            findings += note_statistic(statistic, label)
            continue
        text = f"{label} {statistic}" + (f" ({unit})" if unit != first[1] else "")
        legends[key] = Legend(text, unit=spelled, beside=True)
    return legends, findings


def _remarks(result: Mapping[str, object], key: _Key) -> list[Finding]:
    status = str(result.get("StatusCode") or "Complete")
    found = _messages(result.get("Messages"))
    if status == "Complete":
        return found
    return [
        *found,
        Finding(
            "partial_result",
            "warning",
            f"result '{clip(key[0] or key[1])}' is {clip(status)}: it lacks points",
            subject=clip(key[0] or key[1]),
            action="kept; ask for the rest, or for less at a time",
        ),
    ]


def _envelope(kind: str, value: object) -> list[Finding]:
    if kind == "messages":
        return _messages(value)
    text = "the answer ends with a token: further pages of it are missing"
    return [
        Finding(
            "more_pages",
            "warning",
            text,
            action="loaded without them; ask for them with --next-token",
        )
    ]


def _messages(messages: object) -> list[Finding]:
    told = messages[:100] if isinstance(messages, list) else []
    return [
        Finding("server_info", "info", f"the server said: {clip(str(one.get('Value', '')))}")
        for one in told
        if isinstance(one, dict)
    ]


# --- points -----------------------------------------------------------------------------------------------


class _Points:
    """Reads the points of results that are named by now."""

    def __init__(self, path: Path, options: ReadOptions, series: Mapping[_Key, Series]) -> None:
        self._path = path
        self._series = tuple(series.values())
        self._numbers = {key: number for number, key in enumerate(series)}
        self._stamps = StampReader(f"{path}, Timestamp", options)
        self._steps = StepWatch()
        self._rows: list[tuple[int, int, str, object]] = []

    def chunks(self) -> Iterator[Chunk]:
        """All samples, in the file's order, which is the newest first or none."""
        line = 0
        for kind, part in _parts(self._path):
            if kind not in {"result", "point"}:
                continue
            line += 1
            self._take(kind, part if isinstance(part, dict) else {}, line)
            if len(self._rows) >= _CHUNK_SAMPLES:
                yield self._flush()
        if self._rows:
            yield self._flush()

    def findings(self) -> tuple[Finding, ...]:
        """Remarks about times."""
        return (*self._stamps.findings(), *self._steps.findings())

    def _take(self, kind: str, part: Mapping[str, object], line: int) -> None:
        if kind == "point":
            time = clip(str(part.get("Timestamp", "")))
            for key, value in _statistics(part).items():
                self._rows.append((line, self._numbers[key], time, value))
            return
        number = self._numbers[_key(part)]
        times, values = _list(part.get("Timestamps")), _list(part.get("Values"))
        width = max(len(times), len(values))
        pairs = zip(_padded(times, width), _padded(values, width), strict=True)
        self._rows += [(line, number, clip(str(time)), value) for time, value in pairs]

    def _flush(self) -> Chunk:
        lines, numbers, times, values = zip(*self._rows, strict=True)
        self._rows = []
        frame = pl.DataFrame(
            {
                "line": pl.Series(lines, dtype=pl.Int64),
                "series": pl.Series(numbers, dtype=pl.UInt32),
                "text": pl.Series(times, dtype=pl.String),
                "value": pl.Series([_number(value) for value in values], dtype=pl.Float64),
            }
        )
        stamps = self._stamps.read(frame["text"], frame["line"], frame["series"])
        frame = frame.with_columns(stamps.cast(TIMESTAMP).alias("ts"))
        good = pl.col("ts").is_not_null() & pl.col("value").is_not_null()
        rejects = [
            Reject(line, "bad_time" if ts is None else "bad_number", clip(f"result {line}: {text}"))
            for line, _, text, _, ts in frame.filter(~good).iter_rows()
        ]
        samples = frame.filter(good).select("series", "ts", "value")
        for _, one in samples.group_by("series", maintain_order=True):
            self._steps.take(one["ts"])
        return Chunk(
            series=self._series, samples=samples, rows_read=frame.height, rejects=tuple(rejects)
        )


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _padded(values: list[object], width: int) -> list[object]:
    return [*values, *[None] * (width - len(values))]


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


CLOUDWATCH_JSON = Source(
    name="cloudwatch-json",
    title="CloudWatch get-metric-data or get-metric-statistics (JSON)",
    suffixes=(".json", ".json.gz"),
    detect=_detect,
    read=_read,
    marks=("MetricDataResults", "Label", "Timestamps", "Values"),
    example='{"MetricDataResults":[{"Id":"m1","Label":"decode gpu","Timestamps":["2026-06-01T08:01:00+00:00"],"Values":[95.5]}]}',
    export="`aws cloudwatch get-metric-data --metric-data-queries file://queries.json --start-time T0 "
    "--end-time T1 --output json > FILE.json`",
    load="[--map 'LABEL=NAME[unit]']",
    traps=(
        "Results have a label and an id, no metric: unless the label holds the metric's name, "
        "name them with --map by either.",
        "--as names all results alike; each label is then taken for an instance.",
        "Points come newest first, or in no order; the store sorts them.",
        "Older data are kept at coarser periods only: 1 minute for 15 days, 5 minutes for 63 days.",
        "A result that is PartialData, or an answer with a NextToken, lacks points: it is "
        "reported.",
        "Counters are kept as what was added per interval: graph RATE() of them.",
        "get-metric-statistics: the Average (else a percentile, else the first statistic) "
        "carries the name, others stay beside it.",
    ),
)
