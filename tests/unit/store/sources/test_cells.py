"""Cells to numbers, counts, texts and rejects."""

from __future__ import annotations

import polars as pl
import pytest

from signals.store.sources.cells import (
    counts_of,
    epoch_unit_of,
    numbers_of,
    rejects_of,
    texts_of,
)


def test_numbers():
    values, bad = numbers_of(pl.Series(["1.5", "-2", "1e3", "NaN", "+Inf", None, "x", "1,5"]))
    assert values.to_list()[:3] == [1.5, -2.0, 1000.0]
    assert values.is_nan().to_list()[3]
    assert values[4] == float("inf")
    assert bad.to_list() == [False] * 6 + [True, True]


def test_counts_are_whole_and_not_negative():
    values, bad = counts_of(pl.Series(["12", "12.0", "12.5", "-1", "NaN", "1e30", None]))
    assert values.to_list() == [12, 12, None, None, None, None, None]
    assert bad.to_list() == [False, False, True, True, True, True, False]


@pytest.mark.parametrize("column", [pl.Series([1, None]), pl.Series(["1 ", " "])])
def test_texts(column):
    assert texts_of(column).to_list() == ["1", None]


def test_rejects_name_column_and_line():
    column = pl.Series("a", ["1", "x"])
    found = list(rejects_of(pl.Series([False, True]), column, pl.Series([2, 3]), "bad_number"))
    assert [(one.line, one.reason, one.excerpt) for one in found] == [(3, "bad_number", "a: x")]


@pytest.mark.parametrize(
    ("cells", "unit"),
    [
        ([None, "1760000000000"], "ms"),
        (["999999999999"], "ms"),
        (["1760000000"], ""),
        (["1760000000000000"], ""),
        (["2025-10-09"], ""),
        ([], ""),
    ],
)
def test_milliseconds_are_told_by_their_digits(cells, unit):
    assert epoch_unit_of(pl.Series(cells, dtype=pl.String)) == unit
