"""Per-request results of multi-round question answering runs, as AIBrix publishes them for each serving stack."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import polars as pl

from signals.errors import InputError
from signals.schema import Finding
from signals.store.parsed import Chunk, ReadOptions, Source
from signals.store.sources.part import TablePart, clip
from signals.store.sources.request_part import RequestField, request_chunk
from signals.store.sources.stamps import StampReader
from signals.store.sources.table import head_names, open_table, require_columns

__all__ = ["AIBRIX_REGRESSION"]

_TIME = "launch_time"
_END = "finish_time"
_RUN = ("stack", "offered_qps")
_USER = "user_id"
_COUNTS = {
    "prompt_tokens": RequestField("prompt_tokens"),
    "output_tokens": RequestField("generation_tokens"),
}
_FIELDS = {
    **_COUNTS,
    "ttft_s": RequestField("ttft"),
    "e2e_s": RequestField("_e2e"),
    "session": RequestField("_session"),
}
_COLUMNS = ("prompt_tokens", "generation_tokens", "ttft", _TIME, _END)


def _detect(head: bytes, path: Path) -> float:
    return 1.0 if set(_COLUMNS) <= set(head_names(head, path)) else 0.0


def _read(path: Path, options: ReadOptions) -> Iterator[Chunk]:
    names, parts = open_table(path, options.columns)
    require_columns(names, _COLUMNS, path, "a multi-round QA result")
    reader = StampReader(f"{path}, column '{_TIME}'", options, unit="s")
    runs: set[tuple[str, ...]] = set()
    rows = 0
    for part in parts:
        rows += part.frame.height + len(part.rejects)
        run = [name for name in _RUN if name in names]
        if run:
            runs.update(part.frame.select(pl.col(run).cast(pl.String)).drop_nulls().unique().rows())
        yield request_chunk(_with_derived(part, names), reader, _TIME, _FIELDS, needed=_COUNTS)
    if rows == 0:
        raise InputError("the table has a header but no row", where=str(path), expected="requests")
    yield Chunk(findings=(*reader.findings(), *_mixed(runs)))


def _with_derived(part: TablePart, names: list[str]) -> TablePart:
    """The rows with the time to the last token, and with who asked in which run."""
    run = [name for name in (*_RUN, _USER) if name in names]
    end = pl.col(_END).cast(pl.Float64, strict=False)
    frame = part.frame.with_columns(
        (end - pl.col(_TIME).cast(pl.Float64, strict=False)).alias("_e2e"),
        (
            pl.concat_str([pl.col(name).cast(pl.String) for name in run], separator=" ")
            if run
            else pl.lit(None, pl.String)
        ).alias("_session"),
    )
    return TablePart(frame, part.lines, part.rejects)


def _mixed(runs: set[tuple[str, ...]]) -> list[Finding]:
    if len(runs) < 2:
        return []
    shown = ", ".join(" ".join(run) for run in sorted(runs)[:3])
    return [
        Finding(
            "mixed_runs",
            "warning",
            f"the file holds {len(runs)} runs, each of one stack at one offered rate: {clip(shown)} ...",
            count=len(runs),
            subject="session",
            action="kept; choose a window of one run, or load the runs as services of their own",
        )
    ]


AIBRIX_REGRESSION = Source(
    name="aibrix-regression",
    title="multi-round QA results (AIBrix regression, vLLM production stack)",
    suffixes=(".csv", ".csv.gz"),
    detect=_detect,
    read=_read,
    marks=_COLUMNS,
    example="prompt_tokens,generation_tokens,ttft,generation_time,user_id,question_id,launch_time,finish_time",
    export="`multi-round-qa.py --output FILE`, or the regression results of vllm-project/aibrix.",
    traps=(
        "generation_time starts at the first token: the time to the last one is finish_time - launch_time.",
        "Runs of several stacks and rates in one file follow each other in time: they are no one fleet.",
        "Only requests that finished are in the file; what was refused or cut off is not.",
    ),
)
