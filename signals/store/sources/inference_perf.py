"""Per-request reports of kubernetes-sigs/inference-perf."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from signals.errors import InputError
from signals.store.parsed import Chunk, ReadOptions, Source
from signals.store.sources.part import TablePart
from signals.store.sources.pull_json import JsonPuller
from signals.store.sources.request_part import RequestField, request_chunk
from signals.store.sources.request_rows import (
    RequestRows,
    asked_tokens,
    failure_status,
    is_number,
    minus,
    offsets_of,
    record,
)
from signals.store.sources.stamps import StampReader

__all__ = ["INFERENCE_PERF"]

_HEAD = re.compile(rb'^\s*\[\s*\{\s*"start_time"\s*:\s*[-+.\deE]+\s*,\s*"end_time"\s*:')
_COUNTS = ("prompt_tokens", "cached_tokens", "output_tokens", "asked_output_tokens")
_FIELDS = {name: RequestField(name) for name in (*_COUNTS, "ttft_s", "e2e_s", "status", "session")}


def _detect(head: bytes, path: Path) -> float:  # noqa: ARG001 - the content tells
    return 1.0 if _HEAD.match(head[:4096]) else 0.0


def _read(path: Path, options: ReadOptions) -> Iterator[Chunk]:
    rows = RequestRows("arrived_at", *_FIELDS)
    puller = JsonPuller(path)
    for number, value in enumerate(puller.elements(), start=1):
        _gather(number, record(value), value, rows)
    puller.finish()
    if rows.rows == 0:
        raise InputError(
            "the report holds no request",
            where=str(path),
            expected="a list of requests with start_time and end_time",
        )
    # the clock's zero means nothing, so that the earliest request has to be known: a few numbers for each are kept
    part = rows.part()
    offsets = offsets_of(part.frame["arrived_at"])
    part = TablePart(part.frame.with_columns(offsets), part.lines, part.rejects)
    reader = StampReader(f"{path}, 'start_time'", options, unit="us", relative="start")
    yield request_chunk(part, reader, "arrived_at", _FIELDS)
    yield Chunk(findings=reader.findings())


def _gather(number: int, request: dict[str, object], value: object, rows: RequestRows) -> None:
    start = request.get("start_time")
    if not is_number(start):
        rows.reject(number, "bad_time" if request else "no_object", value)
        return
    info = record(request.get("info"))
    answer = record(info.get("response_metrics"))
    usage = record(answer.get("server_usage"))
    computed = record(request.get("computed_metrics"))
    error = request.get("error")
    failed = record(error)
    rows.add(
        number,
        arrived_at=start,
        prompt_tokens=_prompt(info, computed),
        cached_tokens=record(usage.get("prompt_tokens_details")).get("cached_tokens"),
        output_tokens=_output(usage, answer, info),
        asked_output_tokens=asked_tokens(request.get("request")),
        ttft_s=None if error else _ttft(float(start), computed, answer, info),
        e2e_s=minus(request.get("end_time"), start),
        status=failure_status(failed.get("error_type"), failed.get("error_msg")) if error else "ok",
        session=request.get("session_id"),
    )


def _prompt(info: dict[str, object], computed: dict[str, object]) -> object:
    text = record(record(info.get("request_metrics")).get("text"))
    return _first(text.get("input_tokens"), info.get("input_tokens"), computed.get("input_tokens"))


def _output(usage: dict[str, object], answer: dict[str, object], info: dict[str, object]) -> object:
    """The server's own count where it gave one: the client's is a second tokenisation of the text."""
    return _first(
        usage.get("completion_tokens"),
        usage.get("output_tokens"),
        answer.get("output_tokens"),
        info.get("output_tokens"),
    )


def _ttft(
    start: float,
    computed: dict[str, object],
    answer: dict[str, object],
    info: dict[str, object],
) -> object:
    if is_number(computed.get("time_to_first_token")):
        return computed["time_to_first_token"]
    for times in (
        answer.get("output_token_times"),
        info.get("output_token_times"),
        answer.get("chunk_times"),
    ):
        if isinstance(times, list) and times:
            return minus(times[0], start)
    return None


def _first(*values: object) -> object:
    return next((value for value in values if value is not None), None)


INFERENCE_PERF = Source(
    name="inference-perf",
    title="inference-perf per-request report",
    suffixes=(".json", ".json.gz"),
    detect=_detect,
    read=_read,
    marks=("start_time", "end_time", "request", "info"),
    example='[{"start_time": 5123.4, "end_time": 5125.9, "request": "...", "info": {"input_tokens": 512, ...}, "error": null}]',
    export="`report.request_lifecycle.per_request: true` in its configuration; the file is "
    "`per_request_lifecycle_metrics.json`.",
    load="--start TIME",
    traps=(
        "Times are of a monotonic clock: only their differences count, and --start says when the first request came.",
        "Output tokens are the server's where it reported them, else the client's second tokenisation.",
        "The summary and stage reports hold no requests; switch the per-request report on.",
    ),
)
