"""Requests of LLMServingSim's vLLM runs: arrivals by the wall clock, everything else by a monotonic one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from signals.errors import InputError
from signals.schema import Finding
from signals.store.parsed import Chunk, ReadOptions, Source
from signals.store.sources.json_lines import ObjectBlock, first_object, object_blocks
from signals.store.sources.request_part import RequestField, request_chunk
from signals.store.sources.request_rows import RequestRows
from signals.store.sources.stamps import StampReader

__all__ = ["LLMSERVINGSIM_REQUESTS"]

_KEYS = {"arrival_time", "queued_ts", "first_token_ts", "last_token_ts"}
_COUNTS = ("prompt_tokens", "output_tokens")
_FIELDS = {name: RequestField(name) for name in (*_COUNTS, "ttft_s", "e2e_s", "status")}


def _detect(head: bytes, path: Path) -> float:  # noqa: ARG001 - the content tells
    return 1.0 if first_object(head).keys() >= _KEYS else 0.0


def _read(path: Path, options: ReadOptions) -> Iterator[Chunk]:
    reader = StampReader(f"{path}, 'arrival_time'", options, unit="s")
    rows = RequestRows("arrived_at", *_FIELDS)
    joined = 0
    found = False
    for block in object_blocks(path):
        _gather(block, rows)
        part = rows.part()
        part = replace(part, rejects=(*block.rejects, *part.rejects))
        chunk = request_chunk(part, reader, "arrived_at", _FIELDS, needed=_COUNTS)
        if chunk.requests is not None:
            found = found or not chunk.requests.is_empty()
            joined += chunk.requests.height - chunk.requests["e2e_s"].null_count()
        yield chunk
    if not found:
        raise InputError(
            "no line is a request of LLMServingSim",
            where=str(path),
            expected="objects with arrival_time, queued_ts, first_token_ts and last_token_ts",
        )
    yield Chunk(findings=(*reader.findings(), *_clocks(joined)))


def _gather(block: ObjectBlock, rows: RequestRows) -> None:
    for line, request in zip(block.lines, block.objects, strict=True):
        last = request.get("last_token_ts")
        rows.add(
            line,
            arrived_at=request.get("arrival_time"),
            prompt_tokens=request.get("input_toks"),
            output_tokens=request.get("output_toks"),
            ttft_s=_since_queued(request, request.get("first_token_ts")),
            e2e_s=_since_queued(request, last),
            status="ok" if last else "error",
        )


def _since_queued(request: dict[str, object], stamp: object) -> object:
    """Seconds from the queue, both by the monotonic clock; what cannot be subtracted is passed on as it is.

    The engine stamps 0 or nothing for what did not happen.
    """
    queued = request.get("queued_ts")
    if not stamp or not queued:
        return None
    if isinstance(stamp, (int, float)) and isinstance(queued, (int, float)):
        return float(stamp) - float(queued)
    return f"{queued} to {stamp}"


def _clocks(joined: int) -> list[Finding]:
    if not joined:
        return []
    return [
        Finding(
            "two_clocks",
            "info",
            f"{joined} requests arrive by the wall clock and end by a monotonic one",
            count=joined,
            subject="ttft_s, e2e_s",
            action="latencies are differences within the monotonic clock, from queued_ts",
        )
    ]


LLMSERVINGSIM_REQUESTS = Source(
    name="llmservingsim-requests",
    title="LLMServingSim vLLM run (requests)",
    suffixes=(".jsonl", ".jsonl.gz"),
    detect=_detect,
    read=_read,
    example='{"request_id": "bench-0", "input_toks": 2358, "arrival_time": 1787267980.08, "queued_ts": 27536.66, ...}',
    export="the bench of casys-kaist/LLMServingSim: requests.jsonl beside timeseries.csv and meta.json",
    traps=(
        "Two clocks: arrival_time is the epoch, the other stamps are monotonic; they are never subtracted from each other.",
        "Latencies count from queued_ts, so that what the client waited before the engine is not in them.",
    ),
)
