"""Requests of LLMServingSim's vLLM runs: arrivals by the wall clock, everything else by a monotonic one."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from signals.errors import InputError
from signals.schema import Finding
from signals.store.parsed import Chunk, ReadOptions, Source
from signals.store.sources.json_lines import ObjectBlock, first_object, object_blocks
from signals.store.sources.request_part import RequestField, request_chunk
from signals.store.sources.request_rows import RequestRows, minus
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
    clocks = _Clocks()
    for block in object_blocks(path):
        for request in block.objects:
            clocks.compare(request)
    found = False
    for block in object_blocks(path):
        _gather(block, clocks, rows)
        part = rows.part()
        part = replace(part, rejects=(*block.rejects, *part.rejects))
        chunk = request_chunk(part, reader, "arrived_at", _FIELDS, needed=_COUNTS)
        found = found or (chunk.requests is not None and not chunk.requests.is_empty())
        yield chunk
    if not found:
        raise InputError(
            "no line is a request of LLMServingSim",
            where=str(path),
            expected="objects with arrival_time, queued_ts, first_token_ts and last_token_ts",
        )
    yield Chunk(findings=(*reader.findings(), *clocks.findings()))


class _Clocks:
    """How far the wall clock is ahead of the monotonic one.

    A request is queued after it arrives, so that the one that came through fastest tells the distance of the
    clocks best: its own wait for the queue is all that is missing.
    """

    def __init__(self) -> None:
        self.ahead_s: float | None = None
        self._requests = 0
        self._least_s = math.inf

    def compare(self, request: dict[str, object]) -> None:
        """Take a request's arrival and the moment it was queued."""
        ahead = minus(request.get("arrival_time"), request.get("queued_ts") or None)
        if ahead is None or not math.isfinite(ahead):
            return
        self._requests += 1
        self._least_s = min(self._least_s, ahead)
        self.ahead_s = ahead if self.ahead_s is None else max(self.ahead_s, ahead)

    def since(self, arrival: object, stamp: object) -> object:
        """Seconds from an arrival to a monotonic stamp; a text that is no number where one of them is none.

        The engine stamps 0 or nothing for what did not happen.
        """
        if not stamp or self.ahead_s is None:
            return None
        took = minus(stamp, arrival)
        return f"{arrival} to {stamp}" if took is None else took + self.ahead_s

    def findings(self) -> list[Finding]:
        """What was joined, and how far the requests' waits for the queue spread."""
        if self.ahead_s is None:
            return []
        return [
            Finding(
                "two_clocks",
                "info",
                f"arrivals are by the wall clock, tokens by a monotonic one {self.ahead_s:.3f} s behind",
                count=self._requests,
                subject="ttft_s, e2e_s",
                action="joined at the request that was queued fastest; others waited up to "
                f"{self.ahead_s - self._least_s:.3f} s for the queue",
            )
        ]


def _gather(block: ObjectBlock, clocks: _Clocks, rows: RequestRows) -> None:
    for line, request in zip(block.lines, block.objects, strict=True):
        arrival, last = request.get("arrival_time"), request.get("last_token_ts")
        rows.add(
            line,
            arrived_at=arrival,
            prompt_tokens=request.get("input_toks"),
            output_tokens=request.get("output_toks"),
            ttft_s=clocks.since(arrival, request.get("first_token_ts")),
            e2e_s=clocks.since(arrival, last),
            status="ok" if last else "error",
        )


LLMSERVINGSIM_REQUESTS = Source(
    name="llmservingsim-requests",
    title="LLMServingSim vLLM run (requests)",
    suffixes=(".jsonl", ".jsonl.gz"),
    detect=_detect,
    read=_read,
    marks=tuple(sorted(_KEYS)),
    example='{"request_id": "bench-0", "input_toks": 2358, "arrival_time": 1787267980.08, "queued_ts": 27536.66, ...}',
    export="The benchmark of casys-kaist/LLMServingSim: `requests.jsonl` beside `timeseries.csv` and "
    "`meta.json`.",
    traps=(
        "Two clocks: arrival_time is the epoch, the other stamps are monotonic; taken as one, latencies are absurd.",
        "The clocks are joined at the request that was queued fastest, so that latencies count from the arrival.",
    ),
)
