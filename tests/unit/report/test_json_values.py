"""Values as JSON knows them."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from enum import StrEnum

import numpy as np
import polars as pl
import pytest

from signals.report.json_values import document, moment, plain, rows


class Word(StrEnum):
    UP = "up"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, None),
        (True, True),
        (3, 3),
        (float("nan"), None),
        (float("-inf"), None),
        (Word.UP, "up"),
        (np.int64(4), 4),
        (np.float64(0.5), 0.5),
        (np.float64("nan"), None),
        (Decimal("1.5"), 1.5),
        (date(2026, 11, 23), "2026-11-23"),
        (timedelta(minutes=2), 120.0),
        ((1, [2.0, {"a": float("inf")}]), [1, [2.0, {"a": None}]]),
        (pl.Series([1, None]), [1, None]),
        (complex(0, 1), "1j"),
    ],
)
def test_plain_value(value: object, expected: object) -> None:
    """Numbers that are none become null; what JSON lacks becomes the nearest it has."""
    assert plain(value) == expected
    assert type(plain(value)) is type(expected)


def test_moment_is_utc_with_z() -> None:
    """Another zone is converted; fractions appear only where there are any."""
    assert moment(datetime(2026, 11, 23, 1, tzinfo=timezone(timedelta(hours=1)))) == "2026-11-23T00:00:00Z"  # fmt: skip
    assert (
        moment(datetime(2026, 11, 23, 0, 0, 0, 1500, tzinfo=UTC)) == "2026-11-23T00:00:00.001500Z"
    )
    assert moment(None) is None


def test_rows_are_one_object_each() -> None:
    """A frame's NaN is null, too."""
    assert rows(pl.DataFrame({"a": [1.0, float("nan")]})) == [{"a": 1.0}, {"a": None}]


def test_document_leads_with_its_version() -> None:
    """The version is the first key."""
    assert list(document(b=1, a=2)) == ["schema_version", "b", "a"]
