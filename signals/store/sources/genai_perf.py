"""Profiles of NVIDIA GenAI-Perf and Perf Analyzer (`profile_export.json`)."""

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
    is_number,
    minus,
    record,
)
from signals.store.sources.stamps import StampReader

__all__ = ["GENAI_PERF"]

_FIELDS = {
    name: RequestField(name, 1e-9 if name in {"ttft_s", "e2e_s"} else 1.0)
    for name in (
        "prompt_tokens",
        "output_tokens",
        "asked_output_tokens",
        "ttft_s",
        "e2e_s",
        "status",
    )
}
_TEXT = re.compile(r'"(?:content|reasoning_content|text|text_output)"\s*:\s*"[^"]')
_USAGE = {
    "prompt_tokens": re.compile(r'"prompt_tokens"\s*:\s*(\d+)'),
    "output_tokens": re.compile(r'"completion_tokens"\s*:\s*(\d+)'),
}


def _detect(head: bytes, path: Path) -> float:  # noqa: ARG001 - the content tells
    start = head.lstrip()
    if not start.startswith(b"{") or b'"experiments"' not in start[:4096]:
        return 0.0
    return 1.0 if b'"requests"' in head and b'"timestamp"' in head else 0.5


def _read(path: Path, options: ReadOptions) -> Iterator[Chunk]:
    reader = StampReader(f"{path}, 'timestamp'", options, unit="ns")
    rows = RequestRows("arrived_at", *_FIELDS)
    puller = JsonPuller(path)
    count = unknown = 0
    for value in _requests(puller):
        count += 1
        _gather(count, record(value), value, rows)
        if rows.rows >= ROWS_PER_PART:
            chunk = request_chunk(rows.part(), reader, "arrived_at", _FIELDS)
            unknown += _unknown(chunk)
            yield chunk
    puller.finish()
    if count == 0:
        raise InputError(
            "the profile holds no request",
            where=str(path),
            expected="experiments with requests",
            hint="keep the raw profile: genai-perf profile ... --profile-export-file",
        )
    chunk = request_chunk(rows.part(), reader, "arrived_at", _FIELDS)
    yield chunk
    yield Chunk(findings=(*reader.findings(), *_tokenless(unknown + _unknown(chunk))))


def _requests(puller: JsonPuller) -> Iterator[object]:
    for name in puller.members():
        if name != "experiments":
            puller.skip()
            continue
        for _ in puller.items():
            for member in puller.members():
                if member == "requests":
                    yield from puller.elements()
                else:
                    puller.skip()


def _gather(number: int, request: dict[str, object], value: object, rows: RequestRows) -> None:
    if not request:
        rows.reject(number, "no_object", value)
        return
    start = request.get("timestamp")
    times = _numbers(request.get("response_timestamps"))
    texts = _texts(request.get("response_outputs"))
    told = [at for at, text in zip(times, texts, strict=False) if _TEXT.search(text)] or times
    usage = {name: _count(pattern, texts) for name, pattern in _USAGE.items()}
    rows.add(
        number,
        arrived_at=start,
        **usage,
        asked_output_tokens=asked_tokens(record(request.get("request_inputs")).get("payload")),
        ttft_s=minus(told[0], start) if told else None,
        e2e_s=minus(told[-1], start) if told else None,
        status="ok" if told else "error",
    )


def _numbers(value: object) -> list[int | float]:
    return [one for one in value if is_number(one)] if isinstance(value, list) else []


def _texts(value: object) -> list[str]:
    """What each response said, as text, whichever server it came from."""
    if not isinstance(value, list):
        return []
    return [
        str(response) if isinstance(response := record(one).get("response"), str) else _json(one)
        for one in value
    ]


def _json(value: object) -> str:
    text = record(value).get("text_output")
    return f'"text_output":"{text}"' if isinstance(text, str) else str(value)


def _count(pattern: re.Pattern[str], texts: list[str]) -> str | None:
    """The last count that a server's usage block names; the one before is that of a part."""
    for text in reversed(texts):
        found = pattern.findall(text)
        if found:
            return str(found[-1])
    return None


def _unknown(chunk: Chunk) -> int:
    return 0 if chunk.requests is None else chunk.requests["output_tokens"].null_count()


def _tokenless(count: int) -> list[Finding]:
    if not count:
        return []
    return [
        Finding(
            "no_token_counts",
            "warning",
            f"{count} requests carry text but no token counts",
            count=count,
            subject="output_tokens",
            action="left missing; ask the server for usage, for example stream_options.include_usage",
        )
    ]


GENAI_PERF = Source(
    name="genai-perf",
    title="NVIDIA GenAI-Perf profile",
    suffixes=(".json", ".json.gz"),
    detect=_detect,
    read=_read,
    marks=("experiments", "requests", "timestamp"),
    example='{"experiments": [{"experiment": {...}, "requests": [{"timestamp": 1759813207532900363, "response_timestamps": [...], "response_outputs": [...]}]}]}',
    export="`genai-perf profile ...` writes `profile_export.json` to its artifact folder.",
    traps=(
        "The profile holds texts, not token counts: they are known only where the server sent its usage.",
        "The first response that carries text is the first token; the empty ones before and after are none.",
        "profile_export_genai_perf.json and .csv hold percentiles, not requests.",
    ),
)
