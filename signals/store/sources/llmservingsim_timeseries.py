"""Time series that LLMServingSim's benchmark takes of a vLLM engine, once per second from its start."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from signals.schema import Finding
from signals.store.parsed import Chunk, NameChoice, ReadOptions, Source
from signals.store.sources.own_wide import read_wide
from signals.store.sources.table import head_names

__all__ = ["LLMSERVINGSIM_TIMESERIES"]

_COLUMNS = {
    "t": NameChoice("ts_s", ""),
    "prompt_throughput": NameChoice("prompt_tps", "tokens/s"),
    "gen_throughput": NameChoice("decode_tps", "tokens/s"),
    "running": NameChoice("running", "count"),
    "waiting": NameChoice("queue_depth", "count"),
    "kv_cache_pct": NameChoice("kv_usage", "%"),
}
_MOST_META_BYTES = 1 << 20


def _detect(head: bytes, path: Path) -> float:
    return 1.0 if _COLUMNS.keys() <= set(head_names(head, path)) else 0.0


def _read(path: Path, options: ReadOptions) -> Iterator[Chunk]:
    meta = _meta_path(path)
    started = _started_at(meta) if options.start is None and meta is not None else None
    if started is not None:
        options = replace(options, start=started)
    yield from read_wide(path, options, {**_COLUMNS, **options.columns})
    if started is not None and meta is not None:
        note = Finding(
            "start_from_meta",
            "info",
            f"times count from {started.isoformat()}, the start that {meta.name} names",
            subject=meta.name,
            action="--start names another one",
        )
        yield Chunk(findings=(note,))


def _meta_path(path: Path) -> Path | None:
    """The file beside it that says what was run, `..._meta.json`."""
    stem, found, _ = path.name.rpartition("_timeseries.")
    return path.with_name(f"{stem}_meta.json") if found else None


def _started_at(meta: Path) -> datetime | None:
    """The start that a meta file names; None if there is no such file, or it says nothing of the kind."""
    try:
        with meta.open("rb") as file:
            content = json.loads(file.read(_MOST_META_BYTES))
        started = datetime.fromisoformat(content["started_at"])
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
    return started if started.tzinfo is not None else started.replace(tzinfo=UTC)


LLMSERVINGSIM_TIMESERIES = Source(
    name="llmservingsim-timeseries",
    title="LLMServingSim time series of a vLLM engine",
    suffixes=(".csv", ".csv.gz"),
    detect=_detect,
    read=_read,
    marks=tuple(_COLUMNS),
    example="t,prompt_throughput,gen_throughput,running,waiting,kv_cache_pct",
    export="The benchmark of casys-kaist/LLMServingSim: `timeseries.csv` beside `meta.json`.",
    load="[--start TIME]",
    traps=(
        "`t` counts seconds from the start that the meta file names; without that file, say "
        "--start.",
        "kv_cache_pct is percent, and 0 throughout where the engine did not report it.",
        "The request log of the same run counts its engine times on another clock.",
    ),
)
