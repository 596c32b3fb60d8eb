"""Values as JSON knows them: NaN and infinity become null, times RFC 3339 in UTC."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any

import polars as pl

from signals.schema import Estimate

__all__ = ["SCHEMA_VERSION", "Json", "document", "estimate_json", "moment", "plain", "rows"]

SCHEMA_VERSION = 1
"""Raised only if a documented key changes its meaning; new keys do not raise it."""

Json = dict[str, Any]


def document(**parts: object) -> Json:
    """A JSON document: the schema version first, then these parts."""
    return {"schema_version": SCHEMA_VERSION, **{key: plain(part) for key, part in parts.items()}}


def estimate_json(estimate: Estimate) -> Json:
    """A number with its interval, whether it is settled, why it is missing, and figures of its own."""
    return {
        **estimate.extra,
        "value": estimate.value,
        "low": estimate.low,
        "high": estimate.high,
        "determined": estimate.determined,
        "reason": estimate.reason,
    }


def plain(value: object) -> Any:  # noqa: ANN401 - JSON is untyped
    """A value that `json.dumps(..., allow_nan=False)` takes.

    Args:
        value: numbers, texts, times, durations (to seconds), mappings, sequences, frames (to rows), None.

    Returns:
        The same in JSON's types.
    """
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, str):
        return str(value)
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, datetime | date | timedelta):
        return _time(value)
    if isinstance(value, Mapping):
        return {str(key): plain(part) for key, part in value.items()}
    if isinstance(value, pl.DataFrame):
        return rows(value)
    if isinstance(value, Sequence | set | frozenset | pl.Series):
        return [plain(part) for part in value]
    return _other(value)


def _other(value: object) -> Any:  # noqa: ANN401 - JSON is untyped
    """Scalars of numpy and decimals as numbers, everything else as text."""
    for kind in ("__index__", "__float__"):
        if hasattr(value, kind):
            return int(value) if kind == "__index__" else plain(float(value))  # type: ignore[call-overload,arg-type]
    return str(value)


def _time(value: datetime | date | timedelta) -> str | float:
    if isinstance(value, timedelta):
        return value.total_seconds()
    return moment(value) or "" if isinstance(value, datetime) else value.isoformat()


def moment(value: datetime | None) -> str | None:
    """A time as RFC 3339 with `Z`; fractions of a second only where there are any."""
    if value is None:
        return None
    utc = value.astimezone(UTC) if value.tzinfo else value
    return utc.replace(tzinfo=None).isoformat() + "Z"


def rows(frame: pl.DataFrame) -> list[Json]:
    """A frame as one object per row."""
    return [plain(row) for row in frame.iter_rows(named=True)]
