"""Mooncake's request traces: milliseconds, lengths, and hashes of the prompt's 512-token blocks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl

from signals.errors import InputError
from signals.schema import Finding
from signals.store.parsed import Chunk, ReadOptions, Source
from signals.store.sources.arrivals import ArrivalWatch
from signals.store.sources.json_lines import ObjectBlock, first_object, object_blocks
from signals.store.sources.request_part import RequestField, request_chunk
from signals.store.sources.request_rows import RequestRows
from signals.store.sources.stamps import StampReader

__all__ = ["MOONCAKE_JSONL"]

BLOCK_TOKENS = 512
_KEYS = {"timestamp", "input_length", "output_length"}
_COUNTS = ("prompt_tokens", "output_tokens")
_FIELDS = {name: RequestField(name) for name in (*_COUNTS, "session", "block_hashes")}
_INT64, _UINT64 = 2**63, 2**64


def _detect(head: bytes, path: Path) -> float:  # noqa: ARG001 - the content tells
    return 1.0 if first_object(head).keys() >= _KEYS else 0.0


def _read(path: Path, options: ReadOptions) -> Iterator[Chunk]:
    reader = StampReader(f"{path}, 'timestamp'", options, unit="ms", relative="start")
    watch = ArrivalWatch()
    cache = _EndlessCache()
    rows = RequestRows("arrived_at", *_FIELDS)
    found = False
    for block in object_blocks(path):
        _gather(block, rows)
        part = rows.part()
        part = replace(part, rejects=(*block.rejects, *part.rejects))
        chunk = request_chunk(part, reader, "arrived_at", _FIELDS, needed=_COUNTS)
        if chunk.requests is not None and not chunk.requests.is_empty():
            found = True
            watch.watch(chunk.requests["arrived_at"])
            cache.look_up(chunk.requests["block_hashes"])
        yield chunk
    if not found:
        raise InputError(
            "no line is a request of a Mooncake trace",
            where=str(path),
            expected="objects with timestamp, input_length and output_length",
        )
    yield Chunk(findings=(*reader.findings(), *watch.quantised(), *cache.findings()))


def _gather(block: ObjectBlock, rows: RequestRows) -> None:
    for line, request in zip(block.lines, block.objects, strict=True):
        hashes = _hashes(request.get("hash_ids"))
        if hashes is _BAD:
            rows.reject(line, "bad_hash", f"hash_ids: {request['hash_ids']}")
            continue
        rows.add(
            line,
            arrived_at=request.get("timestamp"),
            prompt_tokens=request.get("input_length"),
            output_tokens=request.get("output_length"),
            session=request.get("session_id"),
            block_hashes=hashes,
        )


_BAD: list[int] = [-1]


def _hashes(value: object) -> list[int] | None:
    """Hashes as signed 64-bit numbers; `_BAD` if they are something else."""
    if value is None:
        return None
    if not isinstance(value, list):
        return _BAD
    hashes = []
    for one in value:
        if type(one) is not int or not -_INT64 <= one < _UINT64:
            return _BAD
        hashes.append(one if one < _INT64 else one - _UINT64)
    return hashes


class _EndlessCache:
    """Hits of a prefix cache that never evicts: blocks that an earlier request, or this one, had already.

    A block's hash covers all blocks before it, so that each known hash is a hit of its whole prefix.
    """

    def __init__(self) -> None:
        self._known = np.empty(0, dtype=np.int64)
        self._blocks = 0
        self._hits = 0

    def look_up(self, hashes: pl.Series) -> None:
        """Take the block hashes of some requests, List(Int64)[n], in order of arrival."""
        blocks = hashes.drop_nulls().explode(empty_as_null=False).to_numpy()
        if blocks.size == 0:
            return
        distinct = np.unique(blocks)
        merged = np.union1d(self._known, distinct)
        self._hits += blocks.size - (merged.size - self._known.size)
        self._blocks += blocks.size
        self._known = merged

    def findings(self) -> list[Finding]:
        """The hit ratio, if there are blocks."""
        if not self._blocks:
            return []
        ratio = self._hits / self._blocks
        return [
            Finding(
                "prefix_cache_bound",
                "info",
                f"an endless prefix cache would hit {ratio:.4f} of {self._blocks} prompt blocks "
                f"({BLOCK_TOKENS} tokens each)",
                count=self._hits,
                subject="block_hashes",
                action="hashes kept; cached_tokens stay missing, since no server said what it hit",
            )
        ]


MOONCAKE_JSONL = Source(
    name="mooncake-jsonl",
    title="Mooncake trace (JSON lines)",
    suffixes=(".jsonl", ".jsonl.gz"),
    detect=_detect,
    read=_read,
    marks=tuple(sorted(_KEYS)),
    example='{"timestamp": 0, "input_length": 6758, "output_length": 500, "hash_ids": [0, 1, 2]}',
    export="Download a trace of kvcache-ai/Mooncake, or convert another one into its form.",
    load="--start TIME",
    traps=(
        "timestamp is in milliseconds from --start: read as seconds, the load is stretched a "
        "thousand times.",
        "Stamps are rounded to about 3 s: the burstiness between arrivals is the rounding's, "
        "not the users'.",
        "hash_ids give the hits of an endless cache, an upper bound; they do not say what was "
        "cached.",
    ),
)
