"""Tables in JSON: a list of records, one record per line, or a data frame's index of records."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import polars as pl

from signals.errors import InputError
from signals.store.parsed import Reject
from signals.store.sources.part import TablePart, clip
from signals.store.sources.pull_json import JsonPuller

__all__ = ["is_json", "open_json"]

_ROWS = 50_000
Record = Mapping[str, object]


def is_json(head: bytes) -> bool:
    """Whether a text begins as a JSON document does, not as a table's header."""
    return head.lstrip().startswith((b"{", b"["))


def open_json(path: Path) -> tuple[list[str], Iterator[TablePart]]:
    """Open a table in JSON.

    Args:
        path: `[{...}, {...}]`, one `{...}` per line, or `{"0": {...}, "1": {...}}`; plain or gzip.

    Returns:
        The names of the first records' fields, and the parts, read when asked for. Cells are text as in a CSV; a
        row's line is the number of its record.

    Raises:
        InputError: it is no valid JSON, or holds no records.
    """
    found = _records(path)
    first = list(itertools.islice(found, _ROWS))
    names = list(dict.fromkeys(name for _, one in first if isinstance(one, dict) for name in one))
    if not names:
        raise InputError(
            "the JSON holds no records",
            where=str(path),
            expected='records such as {"ts": 1760000000, "gpu_util": 0.5}, in a list or one per line',
        )
    return names, _parts(first, found, names)


def _records(path: Path) -> Iterator[tuple[int, object]]:
    """Records with their number."""
    puller = JsonPuller(path)
    if puller.peek() == "[":
        yield from enumerate(puller.elements(), start=1)
        puller.finish()
        return
    number = 0
    while puller.peek():
        single: dict[str, object] = {}
        before = number
        for name in puller.members():
            value = puller.value()
            if isinstance(value, dict) and not single:
                number += 1
                yield number, value
            else:
                single[name] = value
        if single and number > before:
            raise InputError(
                "the JSON holds records and single values side by side",
                where=f"{path}, record {number}",
                expected="an object of records, or one of single values per line",
            )
        if single:
            number += 1
            yield number, single


def _parts(
    first: list[tuple[int, object]], rest: Iterator[tuple[int, object]], names: list[str]
) -> Iterator[TablePart]:
    records = first
    while records:
        yield _part(records, names)
        records = list(itertools.islice(rest, _ROWS))


def _part(records: Sequence[tuple[int, object]], names: list[str]) -> TablePart:
    known = set(names)
    rows: list[Record] = []
    lines: list[int] = []
    rejects: list[Reject] = []
    for number, record in records:
        if not isinstance(record, dict):
            rejects.append(Reject(number, "no_record", clip(json.dumps(record))))
        elif not known.issuperset(record):
            new = sorted(set(record) - known)
            rejects.append(Reject(number, "unknown_field", clip(", ".join(new))))
        else:
            rows.append(record)
            lines.append(number)
    frame = pl.DataFrame(
        {name: pl.Series([_cell(row.get(name)) for row in rows], dtype=pl.String) for name in names}
    )
    return TablePart(frame, pl.Series("line", lines, dtype=pl.Int64), tuple(rejects))


def _cell(value: object) -> str | None:
    """A cell as a CSV would hold it; lists and structures as JSON."""
    if value is None or value == "":
        return None
    if isinstance(value, str):
        return clip(value.strip()) or None
    return clip(json.dumps(value))
