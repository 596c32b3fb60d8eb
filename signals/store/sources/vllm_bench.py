"""Results of `vllm bench serve --save-result --save-detailed`."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from signals.errors import InputError
from signals.schema import Finding
from signals.store.parsed import Chunk, ReadOptions, Source
from signals.store.sources.part import TablePart
from signals.store.sources.pull_json import JsonPuller
from signals.store.sources.request_part import RequestField, request_chunk
from signals.store.sources.request_rows import (
    RequestRows,
    failure_status,
    is_number,
    offsets_of,
    plain,
)
from signals.store.sources.stamps import StampReader

__all__ = ["VLLM_BENCH"]

_LISTS = ("input_lens", "output_lens", "ttfts", "itls", "start_times", "errors")
_NEEDED = ("input_lens", "start_times")
_SCALARS = ("date", "duration")
_SUMMARY = (b'"request_throughput"', b'"total_input_tokens"')
_COUNTS = ("prompt_tokens", "output_tokens")
_FIELDS = {name: RequestField(name) for name in (*_COUNTS, "ttft_s", "e2e_s", "status")}


def _detect(head: bytes, path: Path) -> float:  # noqa: ARG001 - the content tells
    if not head.lstrip().startswith(b"{") or not all(key in head for key in _SUMMARY):
        return 0.0
    # without the lists it is the same program's summary, and the error says how to get them
    return 1.0 if b'"input_lens"' in head else 0.8


@dataclass
class _Result:
    """One run: its lists by name, and when it was written."""

    lists: dict[str, list[object]] = field(default_factory=dict)
    date: str = ""
    duration_s: float | None = None


def _read(path: Path, options: ReadOptions) -> Iterator[Chunk]:
    puller = JsonPuller(path)
    number = 0
    # --append-result writes one object after the other
    while puller.peek():
        number += 1
        result = _result(puller)
        where = f"{path}, result {number}"
        _check(result, where)
        yield from _chunks(result, where, options)
    if number == 0:
        raise InputError("the file is empty", where=str(path), expected="a result of vllm bench")


def _result(puller: JsonPuller) -> _Result:
    result = _Result()
    for name in puller.members():
        if name in _LISTS and puller.peek() == "[":
            values = puller.elements()
            result.lists[name] = [_total(one) for one in values] if name == "itls" else [*values]
        elif name in _SCALARS:
            value = puller.value()
            if name == "date" and isinstance(value, str):
                result.date = value
            elif name == "duration" and is_number(value):
                result.duration_s = float(value)
        else:
            puller.skip()
    return result


def _total(gaps: object) -> object:
    """Seconds from the first to the last token; what is no list of numbers stays, to be rejected."""
    if isinstance(gaps, list) and all(is_number(gap) for gap in gaps):
        return math.fsum(gaps)
    return "itls" if gaps is not None else None


def _check(result: _Result, where: str) -> None:
    missing = [name for name in _NEEDED if name not in result.lists]
    if missing:
        raise InputError(
            f"the result has no requests: {', '.join(missing)} is missing",
            where=where,
            expected=f"lists {', '.join(_LISTS)}",
            hint="run vllm bench serve with --save-result --save-detailed (vLLM 0.11 or newer)",
        )
    lengths = {name: len(values) for name, values in result.lists.items()}
    if len(set(lengths.values())) > 1:
        shown = ", ".join(f"{name} {length}" for name, length in lengths.items())
        raise InputError(
            f"the lists have different lengths: {shown}",
            where=where,
            expected="one value per request in each",
        )


def _chunks(result: _Result, where: str, options: ReadOptions) -> Iterator[Chunk]:
    rows = RequestRows("arrived_at", *_FIELDS)
    for index in range(len(result.lists["input_lens"])):
        _gather(result.lists, index, rows)
    part = rows.part()
    part = TablePart(
        part.frame.with_columns(offsets_of(part.frame["arrived_at"])), part.lines, part.rejects
    )
    options, found = _dated(result, where, options)
    reader = StampReader(f"{where}, 'start_times'", options, unit="us", relative="start")
    yield request_chunk(part, reader, "arrived_at", _FIELDS, needed=("prompt_tokens",))
    yield Chunk(findings=(*found, *reader.findings()))


def _gather(lists: dict[str, list[object]], index: int, rows: RequestRows) -> None:
    cells = {name: values[index] for name, values in lists.items()}
    error = cells.get("errors")
    ttft, gaps = cells.get("ttfts"), cells.get("itls")
    # a failed request has 0 where it has no first token
    ttft = None if error or ttft == 0 else ttft
    rows.add(
        index + 1,
        arrived_at=cells["start_times"],
        prompt_tokens=cells["input_lens"],
        output_tokens=cells.get("output_lens"),
        ttft_s=ttft,
        e2e_s=ttft + gaps if is_number(ttft) and is_number(gaps) else _unread(ttft, gaps),
        status=failure_status(plain(error)) if error else "ok",
    )


def _unread(ttft: object, gaps: object) -> object:
    """A text that is no number where one of both is none; None where one is missing."""
    return None if ttft is None or gaps is None else f"{ttft} + {gaps}"


def _dated(
    result: _Result, where: str, options: ReadOptions
) -> tuple[ReadOptions, tuple[Finding, ...]]:
    """Options with the run's begin by its own date, where `--start` does not say it and `--tz` makes it known."""
    if options.start is not None or not options.zone or not result.date:
        return options, ()
    try:
        local = datetime.strptime(result.date, "%Y%m%d-%H%M%S")  # noqa: DTZ007 - the zone follows
    except ValueError:
        return options, ()
    end = local.replace(tzinfo=ZoneInfo(options.zone)).astimezone(UTC)
    start = end - timedelta(seconds=result.duration_s or 0.0)
    found = Finding(
        "start_from_date",
        "info",
        f"the run was placed by its date {result.date} in {options.zone}, written at its end",
        subject=where,
        action="right within seconds; give --start for more",
    )
    return replace(options, start=start), (found,)


VLLM_BENCH = Source(
    name="vllm-bench",
    title="vLLM serving benchmark result",
    suffixes=(".json", ".json.gz"),
    detect=_detect,
    read=_read,
    marks=("request_throughput", "total_input_tokens", *_NEEDED),
    example='{"date": "20261130-160000", "duration": 60.1, "input_lens": [512], "output_lens": [128], "ttfts": [0.05], "itls": [[0.01]], "start_times": [5123.4], "errors": [""]}',
    export="`vllm bench serve ... --save-result --save-detailed`",
    load="--start TIME",
    traps=(
        "Without --save-detailed the result has only means and percentiles, and no request.",
        "start_times are of a monotonic clock: --start says when the first request was sent; "
        "--tz ZONE instead trusts the result's date, which is local time and written when the "
        "run ended.",
        "Failed requests have a time to first token of 0: it is missing, not fast.",
    ),
)
