"""Per-request records of a BurstGPT replay against vLLM: one JSON object, by request number."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from signals.errors import InputError
from signals.schema import Finding
from signals.store.parsed import Chunk, ReadOptions, Source
from signals.store.sources.pull_json import JsonPuller
from signals.store.sources.request_part import RequestField, request_chunk
from signals.store.sources.request_rows import ROWS_PER_PART, RequestRows, is_number, record
from signals.store.sources.stamps import StampReader

__all__ = ["VLLM_DETAIL_LOG"]

_KEYS = ("first_chunk_time", "total_chunk_time", "record_time", "out_len_expected")
_COUNTS = ("prompt_tokens", "asked_output_tokens")
_FIELDS = {name: RequestField(name) for name in (*_COUNTS, "ttft_s", "e2e_s", "status")}


def _detect(head: bytes, path: Path) -> float:  # noqa: ARG001 - the content tells
    start = head.lstrip()[:4096]
    known = all(f'"{key}"'.encode() in start for key in _KEYS)
    return 1.0 if start.startswith(b"{") and known else 0.0


def _read(path: Path, options: ReadOptions) -> Iterator[Chunk]:
    reader = StampReader(f"{path}, 'record_time'", options, unit="s", relative="start")
    rows = RequestRows("arrived_at", *_FIELDS)
    puller = JsonPuller(path)
    number = 0
    for number, _ in enumerate(puller.members(), start=1):
        _gather(number, puller.value(), rows)
        if rows.rows >= ROWS_PER_PART:
            yield request_chunk(rows.part(), reader, "arrived_at", _FIELDS, needed=_COUNTS)
    puller.finish()
    if number == 0:
        raise InputError("the log holds no request", where=str(path), expected="requests")
    yield request_chunk(rows.part(), reader, "arrived_at", _FIELDS, needed=_COUNTS)
    yield Chunk(findings=(*reader.findings(), _output_remark(number)))


def _gather(number: int, value: object, rows: RequestRows) -> None:
    request = record(value)
    if not request:
        rows.reject(number, "no_object", value)
        return
    ended, took = request.get("record_time"), request.get("total_chunk_time")
    rows.add(
        number,
        # the record is made when the answer ends; from there back is the arrival
        arrived_at=ended - took if is_number(ended) and is_number(took) else None,
        prompt_tokens=request.get("in_len"),
        asked_output_tokens=request.get("out_len_expected"),
        ttft_s=request.get("first_chunk_time"),
        e2e_s=took,
        status="ok",
    )


def _output_remark(requests: int) -> Finding:
    return Finding(
        "output_not_in_tokens",
        "info",
        "out_len counts characters: it goes far beyond the tokens that were asked for",
        count=requests,
        subject="output_tokens",
        action="left missing; the asked tokens are kept",
    )


VLLM_DETAIL_LOG = Source(
    name="vllm-detail-log",
    title="vLLM BurstGPT replay (detail log)",
    suffixes=(".json", ".json.gz"),
    detect=_detect,
    read=_read,
    example='{"0": {"event_id": 0, "in_len": 476, "out_len": 409, "first_chunk_time": 0.03, "record_time": 14592657.8, ...}}',
    export="detail_log_*.json of a BurstGPT replay",
    load="--start TIME (of the monotonic clock's zero, when the machine started)",
    traps=(
        "record_time is monotonic and taken at the end: the arrival is record_time - total_chunk_time.",
        "The same clock runs in the vllm_log and gpu_log beside it: load all three with the same --start.",
        "out_len counts characters, not tokens: output tokens stay missing.",
    ),
)
