"""Answers of Datadog's time-series queries: version 1 with point lists, version 2 with columns."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from pathlib import Path

from signals.errors import InputError
from signals.schema import Finding
from signals.store.parsed import Chunk, ReadOptions, Reject, Series, Source
from signals.store.sources.datadog_query import (
    Remarks,
    name_query,
    read_query,
    read_tags,
    read_unit_pair,
)
from signals.store.sources.legend import Legend, name_legends
from signals.store.sources.part import clip
from signals.store.sources.pull_json import JsonPuller
from signals.store.sources.rollup import StepWatch
from signals.store.sources.sample_buffer import FULL, SampleBuffer

__all__ = ["DATADOG_JSON"]

# milliseconds: earlier is a time in seconds, later one in microseconds
_FIRST_MS, _LAST_MS = 1e11, 7.258e12
_ABOUT_ERRORS = ("error", "errors", "message", "status")
_MAX_EARLY = 2_000_000
_NOTHING = object()
_Part = tuple[str, object]


def _detect(head: bytes, path: Path) -> float:  # noqa: ARG001 - the content tells
    text = head.lstrip()
    if not text.startswith(b"{"):
        return 0.0
    if b'"pointlist"' in text or b'"timeseries_response"' in text:
        return 1.0
    if b'"res_type"' in text and b'"from_date"' in text:
        return 0.95
    columns = (b'"attributes"', b'"times"', b'"values"', b'"series"')
    return 0.95 if all(name in text for name in columns) else 0.0


def _read(path: Path, options: ReadOptions) -> Iterator[Chunk]:
    remarks = Remarks()
    legends = _legends(path, remarks)
    series, findings = name_legends(legends, options, str(path)) if legends else ([], [])
    points = _Points(path, series)
    yield from points.chunks()
    if not series:
        findings = [Finding("empty_result", "warning", "the answer holds no series")]
    yield Chunk(
        series=tuple(series),
        findings=(*findings, *remarks.findings(options.columns), *points.steps.findings()),
    )


# --- the envelope -----------------------------------------------------------------------------------------


def _parts(path: Path) -> Iterator[_Part]:
    """`series` (an element of version 1), `meta`, `times` and `values` (of version 2), as they come.

    Raises:
        InputError: the file is no JSON, an error, or no answer of a query.
    """
    json = JsonPuller(path)
    if json.peek() == "":
        raise InputError("the file is empty", where=str(path), expected="JSON")
    errors: dict[str, object] = {}
    found = False
    for name in json.members():
        if name == "series" and json.peek() == "[":
            found = True
            yield from (("series", element) for element in json.elements())
        elif name == "data" and json.peek() == "{":
            found = True
            yield from _columns(json)
        elif name in _ABOUT_ERRORS:
            errors[name] = json.value()
        else:
            json.skip()
    json.finish()
    _refuse_error(errors, path, found=found)


def _refuse_error(errors: dict[str, object], path: Path, *, found: bool) -> None:
    said = errors.get("error") or errors.get("errors")
    if said or errors.get("status") not in {None, "ok"}:
        raise InputError(
            f"Datadog answered with an error: {clip(str(said or errors.get('message') or 'no text'))}",
            where=str(path),
            expected="an answer with status ok",
            hint="repeat the query",
        )
    if not found:
        raise InputError(
            "the answer holds no series",
            where=str(path),
            expected="`series` of /api/v1/query, or `data.attributes` of /api/v2/query/timeseries",
        )


def _columns(json: JsonPuller) -> Iterator[_Part]:
    for name in json.members():
        if name != "attributes" or json.peek() != "{":
            json.skip()
            continue
        for inner in json.members():
            if inner == "values" and json.peek() == "[":
                yield from (("values", column) for column in json.elements())
            elif inner in {"series", "times"}:
                yield {"series": "meta", "times": "times"}[inner], json.value()
            else:
                json.skip()


# --- names ------------------------------------------------------------------------------------------------


def _legends(path: Path, remarks: Remarks) -> list[Legend]:
    """What each series is called, in the file's order; the points are passed over."""
    legends: list[Legend] = []
    described: list[object] = []
    columns = 0
    for kind, part in _parts(path):
        if kind == "series":
            legends.append(_named(part, len(legends) + 1, path, remarks))
        elif kind == "meta" and isinstance(part, list):
            described = part
        columns += kind == "values"
    legends += [
        _nameless(described[number] if number < len(described) else None, number)
        for number in range(columns)
    ]
    return legends


def _named(element: object, number: int, path: Path, remarks: Remarks) -> Legend:
    """A series of version 1."""
    if not isinstance(element, dict):
        raise InputError(
            "an element of `series` is no object",
            where=f"{path}, series {number}: {clip(repr(element))}",
            expected='{"metric": ..., "scope": ..., "pointlist": [[time, value], ...]}',
        )
    metric = str(element.get("metric") or "")
    text = str(element.get("expression") or element.get("display_name") or metric)
    tags = element.get("tag_set")
    scope = str(element.get("scope") or "").split(",")
    labels = read_tags(str(tag) for tag in (tags if isinstance(tags, list) and tags else scope))
    unit = read_unit_pair(element.get("unit"))
    query = read_query(text)
    if query is None or read_query(metric) is None:
        aliases = (
            metric,
            str(element.get("display_name") or ""),
            f"query {element.get('query_index', 0)}",
        )
        return Legend(text, labels=labels, unit=unit[0], nameless=True, aliases=aliases)
    if not query.over and isinstance(element.get("aggr"), str):
        query = type(query)(query.metric, str(element["aggr"]), query.per_second)
    return name_query(query, labels, unit, remarks, text=text)


def _nameless(about: object, number: int) -> Legend:
    """A series of version 2, which only has the number of its formula."""
    known = about if isinstance(about, dict) else {}
    tags = known.get("group_tags")
    labels = read_tags(str(tag) for tag in tags) if isinstance(tags, list) else {}
    index = known.get("query_index", number)
    unit, _ = read_unit_pair(known.get("unit"))
    return Legend(f"query {index}", labels=labels, unit=unit, nameless=True, aliases=(str(index),))


# --- points -----------------------------------------------------------------------------------------------


class _Points:
    """Reads the points of series that are named by now."""

    def __init__(self, path: Path, series: Sequence[Series]) -> None:
        self.steps = StepWatch()
        self._path = path
        self._series = series
        self._buffer = SampleBuffer()

    def chunks(self) -> Iterator[Chunk]:
        """All samples; nulls, which stand for gaps, are left out."""
        for number, points in enumerate(self._points()):
            self._add(points, number)
            if len(self._buffer) >= FULL:
                yield self._buffer.flush()
        if len(self._buffer):
            yield self._buffer.flush()

    def _points(self) -> Iterator[Sequence[object]]:
        """Time and value pairs of one series after the other."""
        times: list[object] | None = None
        early: list[list[object]] = []
        for kind, part in _parts(self._path):
            if kind == "series":
                yield _list(part.get("pointlist")) if isinstance(part, dict) else []
            elif kind == "times":
                times = _list(part)
                yield from (_paired(times, column) for column in early)
            elif kind == "values" and times is not None:
                yield _paired(times, _list(part))
            elif kind == "values":
                early.append(_list(part))
                self._refuse_late_times(early)
        if times is None:
            yield from (_paired([], column) for column in early)

    def _refuse_late_times(self, early: list[list[object]]) -> None:
        if sum(map(len, early)) > _MAX_EARLY:
            raise InputError(
                f"more than {_MAX_EARLY} values come before their times",
                where=str(self._path),
                expected="`times` before `values`, as Datadog writes them",
            )

    def _add(self, points: Sequence[object], number: int) -> None:
        one = self._series[number]
        taken = []
        for place, point in enumerate(points, start=1):
            sample = _sample(point)
            if isinstance(sample, str):
                text = clip(f"series {number + 1}, point {place}: {point!r}")
                self._buffer.reject(Reject(number + 1, sample, text))
            elif sample is not None:
                taken.append(sample[0])
                self._buffer.add(one, *sample)
        self.steps.take_us(taken)


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _paired(times: list[object], values: list[object]) -> list[object]:
    """Points of a column; where one list is longer, what is left has no partner and is no point."""
    return [
        list(pair) if _NOTHING not in pair else [one for one in pair if one is not _NOTHING]
        for pair in itertools.zip_longest(times, values, fillvalue=_NOTHING)
    ]


def _sample(point: object) -> tuple[int, float] | str | None:
    """Microseconds and value; None for a gap; or why it is neither."""
    if not isinstance(point, list) or len(point) != 2:
        return "bad_point"
    time, value = point
    if isinstance(time, bool) or not isinstance(time, (int, float)):
        return "bad_time"
    if not _FIRST_MS <= time < _LAST_MS:
        return "bad_time"
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return "bad_number"
    try:
        return round(time * 1000), float(value)
    except OverflowError:
        return round(time * 1000), math.inf if value > 0 else -math.inf


DATADOG_JSON = Source(
    name="datadog-json",
    title="Datadog query answer (JSON, v1 and v2)",
    suffixes=(".json", ".json.gz"),
    detect=_detect,
    read=_read,
    marks=("series", "metric", "pointlist"),
    example='{"status":"ok","series":[{"metric":"vllm.num_requests.waiting","scope":"pod_name:a","pointlist":[[1760000000000,3.0]]}]}',
    export="`curl -G https://api.datadoghq.com/api/v1/query -d from=T0 -d to=T1 --data-urlencode "
    "'query=sum:vllm.num_requests.waiting{*} by {pod_name}' > FILE.json`, with the headers "
    "DD-API-KEY and DD-APPLICATION-KEY.",
    load="[--map 'FORMULA=NAME[unit]']",
    traps=(
        "Formulas have no name: give each one with --map, or a single one with --as.",
        "Version 2 answers hold no names at all: --as names the only formula, --map "
        "'0=NAME[unit]' one of several by its number.",
        "Points are roll-ups whose interval grows with the time asked for: ask for short "
        "stretches.",
        "Counters are stored as what was added per flush: query them with .as_rate(), which is "
        "then read as the rate; without it they are kept, but are no signal.",
        "avg over all sources is no total: query sum, or group by pod_name.",
        "A unit is a label of the metric's page and changes no value: `percent` on a ratio of "
        "0 to 1 is not divided by 100.",
        "Null points are gaps.",
    ),
)
