"""Per-request records of NVIDIA AIPerf (`profile_export.jsonl`)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from signals.errors import InputError
from signals.store.parsed import Chunk, ReadOptions, Source
from signals.store.sources.json_lines import ObjectBlock, first_object, object_blocks
from signals.store.sources.request_part import RequestField, request_chunk
from signals.store.sources.request_rows import RequestRows, failure_status, is_number, plain, record
from signals.store.sources.stamps import StampReader

__all__ = ["AIPERF"]

_FIELDS = {
    name: RequestField(name)
    for name in ("prompt_tokens", "output_tokens", "ttft_s", "e2e_s", "status", "session")
}
_PER_S = {"s": 1.0, "sec": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
_TIMES = ("request_start_ns", "timestamp_ns")


def _detect(head: bytes, path: Path) -> float:  # noqa: ARG001 - the content tells
    first = first_object(head)
    metadata = record(first.get("metadata"))
    return 1.0 if "metrics" in first and any(name in metadata for name in _TIMES) else 0.0


def _read(path: Path, options: ReadOptions) -> Iterator[Chunk]:
    reader = StampReader(f"{path}, 'request_start_ns'", options, unit="ns")
    rows = RequestRows("arrived_at", *_FIELDS)
    found = False
    for block in object_blocks(path):
        _gather(block, rows)
        part = rows.part()
        part = replace(part, rejects=(*block.rejects, *part.rejects))
        chunk = request_chunk(part, reader, "arrived_at", _FIELDS)
        found = found or (chunk.requests is not None and not chunk.requests.is_empty())
        yield chunk
    if not found:
        raise InputError(
            "no line is a request of AIPerf",
            where=str(path),
            expected="objects with metadata and metrics",
        )
    yield Chunk(findings=reader.findings())


def _gather(block: ObjectBlock, rows: RequestRows) -> None:
    for line, request in zip(block.lines, block.objects, strict=True):
        metadata, metrics = record(request.get("metadata")), record(request.get("metrics"))
        isl = _value(metrics, "input_sequence_length")
        rows.add(
            line,
            arrived_at=next((metadata[name] for name in _TIMES if metadata.get(name)), None),
            prompt_tokens=_value(metrics, "error_isl") if isl is None else isl,
            # the whole sequence: output_token_count leaves the reasoning out
            output_tokens=_output(metrics),
            ttft_s=_seconds(metrics, "time_to_first_token"),
            e2e_s=_seconds(metrics, "request_latency"),
            status=_status(metadata, request.get("error")),
            session=metadata.get("x_correlation_id") or metadata.get("conversation_id"),
        )


def _output(metrics: dict[str, object]) -> object:
    whole = _value(metrics, "output_sequence_length")
    return _value(metrics, "output_token_count") if whole is None else whole


def _value(metrics: dict[str, object], name: str) -> object:
    metric = metrics.get(name)
    return record(metric).get("value") if isinstance(metric, dict) else metric


def _seconds(metrics: dict[str, object], name: str) -> object:
    """A latency in seconds, by the unit beside it; a text that is no number where there is no known unit."""
    value = _value(metrics, name)
    if value is None:
        return None
    unit = record(metrics.get(name)).get("unit", "ms")
    factor = _PER_S.get(unit) if isinstance(unit, str) else None
    return value * factor if is_number(value) and factor else f"{value} {plain(unit)}"


def _status(metadata: dict[str, object], error: object) -> str:
    if metadata.get("was_cancelled") is True:
        return "cancelled"
    if not error:
        return "ok"
    told = record(error)
    return failure_status(told.get("code"), told.get("type"), told.get("message"))


AIPERF = Source(
    name="aiperf",
    title="NVIDIA AIPerf per-request records",
    suffixes=(".jsonl", ".jsonl.gz"),
    detect=_detect,
    read=_read,
    marks=("metadata", "metrics"),
    example='{"metadata": {"request_start_ns": 1759813207532900363, ...}, "metrics": {"request_latency": {"value": 297.5, "unit": "ms"}, ...}, "error": null}',
    export="`aiperf profile ...` writes `profile_export.jsonl` to its artifact folder.",
    traps=(
        "profile_export_aiperf.json and .csv hold percentiles, not requests.",
        "output_token_count leaves reasoning tokens out; output_sequence_length is what the "
        "server produced.",
        "Latencies name their unit (ms); cancelled and failed requests stay arrivals with "
        "their status.",
    ),
)
