"""Requests of a log that is read record by record, gathered into rows of a table."""

from __future__ import annotations

import json
import math
from typing import TypeGuard

import polars as pl

from signals.store.parsed import Reject
from signals.store.sources.part import TablePart, clip

__all__ = [
    "ROWS_PER_PART",
    "RequestRows",
    "asked_tokens",
    "failure_status",
    "is_number",
    "minus",
    "offsets_of",
    "plain",
    "record",
]

ROWS_PER_PART = 200_000
"""Requests that are gathered before they are handed over."""

_LISTS = "block_hashes"
_WHOLE = 2**64
_TIMED_OUT = ("timeout", "timed out", "deadline")
_REJECTED = ("429", "too many requests", "rate limit")
_CANCELLED = ("cancel", "abort", "disconnect")


class RequestRows:
    """Gathers records under the request form's own names.

    Attributes:
        rows: records since the last part, rejected ones included.
    """

    def __init__(self, *names: str) -> None:
        """Start empty.

        Args:
            names: fields of the request form that the log may have, and `arrived_at`.
        """
        self._names = names
        self._start()

    def _start(self) -> None:
        self.rows = 0
        self._cells: dict[str, list[object]] = {name: [] for name in self._names}
        self._lines: list[int] = []
        self._rejects: list[Reject] = []

    def add(self, line: int, **cells: object) -> None:
        """Take a record's cells as the log has them; a name left out is missing.

        Args:
            line: line or number of the record.
            cells: numbers, texts or None, by the request form's name; a list for `block_hashes`.
        """
        self.rows += 1
        self._lines.append(line)
        for name, column in self._cells.items():
            value = cells.get(name)
            column.append(value if name == _LISTS else plain(value))

    def reject(self, line: int, reason: str, text: object) -> None:
        """Count a record that is no request."""
        self.rows += 1
        self._rejects.append(Reject(line, reason, clip(str(text))))

    def part(self) -> TablePart:
        """What was gathered, as a table of texts; empties this."""
        frame = pl.DataFrame(
            [
                pl.Series(name, column, dtype=pl.List(pl.Int64) if name == _LISTS else pl.String)
                for name, column in self._cells.items()
            ]
        )
        part = TablePart(
            frame, pl.Series("line", self._lines, dtype=pl.Int64), tuple(self._rejects)
        )
        self._start()
        return part


def plain(value: object) -> str | None:
    """A JSON scalar as text, digits kept; other values as text that is no number."""
    if value is None or isinstance(value, str):
        return value or None
    return repr(value) if isinstance(value, float) else str(value)


def record(value: object) -> dict[str, object]:
    """A JSON object; an empty one where something else stands."""
    return value if isinstance(value, dict) else {}


def is_number(value: object) -> TypeGuard[int | float]:
    """Whether a JSON value is a number that can be computed with: finite, and no whole number beyond 64 bits."""
    if isinstance(value, float):
        return math.isfinite(value)
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < _WHOLE


def minus(end: object, start: object) -> float | None:
    """Seconds between two readings of one clock; None where one of them is missing."""
    return float(end - start) if is_number(end) and is_number(start) else None


def asked_tokens(body: object) -> object:
    """What a request's body asks for at most, from its JSON text; None if it does not say."""
    if not isinstance(body, str) or "max_" not in body:
        return None
    try:
        asked = record(json.loads(body))
    except (ValueError, RecursionError):
        return None
    asked = record(asked.get("body")) or asked
    names = ("max_completion_tokens", "max_tokens", "max_output_tokens")
    return next((asked[name] for name in names if is_number(asked.get(name))), None)


def failure_status(*words: object) -> str:
    """The request form's status for what a client says of a failure: `timeout`, `rejected`, `cancelled`, `error`."""
    text = " ".join(str(word) for word in words if word is not None).lower()
    for status, marks in (
        ("rejected", _REJECTED),
        ("timeout", _TIMED_OUT),
        ("cancelled", _CANCELLED),
    ):
        if any(mark in text for mark in marks):
            return status
    return "error"


def offsets_of(clock: pl.Series) -> pl.Series:
    """Readings of a clock whose zero means nothing, to microseconds after the earliest one.

    Args:
        clock: String, seconds.

    Returns:
        String, whole microseconds; what is no number stays as it is.
    """
    values = clock.cast(pl.Float64, strict=False)
    values = values.set(~values.is_finite().fill_null(value=False), None)
    first = values.min()
    if not isinstance(first, float):
        return clock
    micros = ((values - first) * 1e6).round()
    near = (micros < 2**62).fill_null(value=False)
    texts = micros.set(~near, None).cast(pl.Int64).cast(pl.String)
    return texts.zip_with(texts.is_not_null(), clock)
