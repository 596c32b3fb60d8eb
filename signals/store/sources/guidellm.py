"""Benchmark reports of GuideLLM (`benchmarks.json`)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from signals.errors import InputError
from signals.schema import Finding
from signals.store.parsed import Chunk, ReadOptions, Source
from signals.store.sources.pull_json import JsonPuller
from signals.store.sources.request_part import RequestField, request_chunk
from signals.store.sources.request_rows import (
    ROWS_PER_PART,
    RequestRows,
    asked_tokens,
    failure_status,
    is_number,
    minus,
    record,
)
from signals.store.sources.stamps import StampReader

__all__ = ["GUIDELLM"]

_MARKS = re.compile(
    rb'"(?:guidellm_version|request_totals|scheduler_state|run_stats)"|generative_benchmark'
)
_COUNTS = ("prompt_tokens", "cached_tokens", "output_tokens", "asked_output_tokens")
_FIELDS = {name: RequestField(name) for name in (*_COUNTS, "ttft_s", "e2e_s", "status", "session")}
# a benchmark that ends cuts off what is under way
_GROUPS = {"successful": "ok", "completed": "ok", "incomplete": "cancelled", "errored": "error"}


def _detect(head: bytes, path: Path) -> float:  # noqa: ARG001 - the content tells
    if not head.lstrip().startswith(b"{") or not _MARKS.search(head):
        return 0.0
    return 1.0 if b'"benchmarks"' in head else 0.7


def _read(path: Path, options: ReadOptions) -> Iterator[Chunk]:
    reader = StampReader(f"{path}, 'request_start'", options, unit="s")
    rows = RequestRows("arrived_at", *_FIELDS)
    puller = JsonPuller(path)
    totals: list[int] = []
    count = 0
    for status, value in _requests(puller, totals):
        count += 1
        _gather(count, status, value, rows)
        if rows.rows >= ROWS_PER_PART:
            yield request_chunk(rows.part(), reader, "arrived_at", _FIELDS)
    puller.finish()
    if count == 0:
        raise InputError(
            "the report holds no request",
            where=str(path),
            expected="benchmarks with requests",
            hint="keep the requests in the report: guidellm benchmark run with its JSON output, without a sample size of 0",
        )
    yield request_chunk(rows.part(), reader, "arrived_at", _FIELDS)
    yield Chunk(findings=(*reader.findings(), *_sampled(count, sum(totals))))


def _requests(puller: JsonPuller, totals: list[int]) -> Iterator[tuple[str, object]]:
    """Requests of all benchmarks with the group they stand in; `totals` gets each benchmark's own count."""
    for name in puller.members():
        if name != "benchmarks" or puller.peek() != "[":
            puller.skip()
            continue
        for _ in puller.items():
            yield from _benchmark(puller, totals)


def _benchmark(puller: JsonPuller, totals: list[int]) -> Iterator[tuple[str, object]]:
    for name in puller.members():
        if name == "metrics" and puller.peek() == "{":
            for metric in puller.members():
                if metric == "request_totals":
                    total = record(puller.value()).get("total")
                    totals.append(total if isinstance(total, int) else 0)
                else:
                    puller.skip()
        elif name == "requests" and puller.peek() == "{":
            for group in puller.members():
                if puller.peek() != "[":
                    puller.skip()
                    continue
                for value in puller.elements():
                    yield group, value
        else:
            puller.skip()


def _gather(number: int, group: str, value: object, rows: RequestRows) -> None:
    request = record(value)
    if not request:
        rows.reject(number, "no_object", value)
        return
    info = record(request.get("info")) or record(request.get("scheduler_info"))
    timings = record(info.get("timings")) or record(info.get("request_timings"))
    start = _first(
        timings.get("request_start"),
        request.get("request_start_time"),
        request.get("start_time"),
        timings.get("resolve_start"),
    )
    usage = record(request.get("input_metrics"))
    produced = record(request.get("output_metrics"))
    rows.add(
        number,
        arrived_at=start,
        prompt_tokens=_first(
            request.get("prompt_tokens"), usage.get("total_tokens"), usage.get("text_tokens")
        ),
        cached_tokens=_first(request.get("cached_tokens"), usage.get("cached_tokens")),
        output_tokens=_first(
            request.get("output_tokens"), produced.get("total_tokens"), produced.get("text_tokens")
        ),
        asked_output_tokens=asked_tokens(request.get("request_args")),
        ttft_s=_ttft(request, timings, start),
        e2e_s=_first(
            minus(timings.get("request_end"), start),
            request.get("request_latency"),
            minus(request.get("end_time"), start),
        ),
        status=_status(group, info),
        session=info.get("conversation_id"),
    )


def _ttft(request: dict[str, object], timings: dict[str, object], start: object) -> object:
    told = request.get("time_to_first_token_ms")
    if is_number(told):
        return told / 1000.0
    return _first(told, minus(timings.get("first_token_iteration"), start))


def _status(group: str, info: dict[str, object]) -> str:
    known = _GROUPS.get(group, group)
    return failure_status(info.get("error")) if known == "error" else known


def _first(*values: object) -> object:
    return next((value for value in values if value is not None), None)


def _sampled(count: int, total: int) -> list[Finding]:
    if total <= count:
        return []
    return [
        Finding(
            "sampled_requests",
            "warning",
            f"the report keeps {count} of {total} requests",
            count=total - count,
            subject="arrived_at",
            action="loaded as they are: rates from them are too low",
        )
    ]


GUIDELLM = Source(
    name="guidellm",
    title="GuideLLM benchmark report",
    suffixes=(".json", ".json.gz"),
    detect=_detect,
    read=_read,
    marks=("benchmarks", "requests", "request_start_time"),
    example='{"metadata": {"guidellm_version": "0.6.0"}, "benchmarks": [{"requests": {"successful": [{"request_start_time": 1777451316.4, ...}]}}]}',
    export="`guidellm benchmark run ...` with its JSON output, `benchmarks.json`.",
    traps=(
        "A report may keep only a sample of the requests; it says how many there were, and so does a finding.",
        "Requests that were under way when a benchmark ended are incomplete: arrivals with status cancelled.",
        "A sweep holds several benchmarks one after the other, each at its own rate.",
    ),
)
