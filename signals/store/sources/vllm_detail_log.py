"""Per-request records of a BurstGPT replay against vLLM: one JSON object, by request number."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from signals.errors import InputError
from signals.schema import Finding
from signals.store.parsed import Chunk, ReadOptions, Source
from signals.store.sources.part import TablePart
from signals.store.sources.pull_json import JsonPuller
from signals.store.sources.request_part import RequestField, request_chunk
from signals.store.sources.request_rows import RequestRows, is_number, offsets_of, record
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
    rows = RequestRows("arrived_at", *_FIELDS)
    puller = JsonPuller(path)
    for number, _ in enumerate(puller.members(), start=1):
        _gather(number, puller.value(), rows)
    puller.finish()
    count = rows.rows
    if count == 0:
        raise InputError("the log holds no request", where=str(path), expected="requests")
    # records are in the order of the ends, so that the earliest arrival has to be sought: a few numbers each are kept
    part = rows.part()
    offsets = offsets_of(part.frame["arrived_at"])
    part = TablePart(part.frame.with_columns(offsets), part.lines, part.rejects)
    reader = StampReader(f"{path}, 'record_time'", options, unit="us", relative="start")
    yield request_chunk(part, reader, "arrived_at", _FIELDS, needed=_COUNTS)
    yield Chunk(findings=(*reader.findings(), _output_remark(count)))


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
    marks=_KEYS,
    example='{"0": {"event_id": 0, "in_len": 476, "out_len": 409, "first_chunk_time": 0.03, "record_time": 14592657.8, ...}}',
    export="The `detail_log_*.json` of a BurstGPT replay against vLLM.",
    load="--start TIME",
    traps=(
        "record_time is monotonic and taken at the end: the arrival is record_time - total_chunk_time.",
        "The clock's zero means nothing: the earliest arrival is put at --start, as the first line of the vllm_log "
        "beside it is, 0.02 to 0.03 s later in truth.",
        "out_len counts characters, not tokens: output tokens stay missing.",
    ),
)
