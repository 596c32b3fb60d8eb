"""Columns of printed numbers: what they measure, and what does not fit in."""

from __future__ import annotations

import polars as pl
import pytest

from signals.store.sources.printed import PrintedColumn


def read(cells, unit=""):
    column = PrintedColumn("TTFT", unit)
    values, reasons = column.read(pl.Series("x", cells, dtype=pl.String))
    return values.to_list(), reasons.to_list(), column


def codes(column):
    return {finding.code: finding.count for finding in column.findings()}


def test_plain_numbers_stay_as_they_are():
    values, reasons, column = read(["1.5", None, "NaN", "1e3"])
    assert values[:2] == [1.5, None]
    assert values[3] == 1000.0
    assert reasons == [None] * 4
    assert (column.unit, codes(column)) == ("", {})


def test_case_14_units_mixed_in_one_column():
    values, reasons, column = read(["420 ms", "480 ms", "1.20 s", "900 ms", "600 ms", "510 ms"])
    assert values == [0.42, 0.48, 1.2, 0.9, 0.6, 0.51]
    assert sum(values) / 6 == pytest.approx(0.685)
    assert reasons == [None] * 6
    assert column.unit == "s"
    (finding,) = column.findings()
    assert (finding.code, finding.count) == ("formatted_cells", 6)
    assert "0.005 s" in finding.text
    assert "0.42%" in finding.text


def test_the_users_unit_is_that_of_bare_numbers():
    values, reasons, column = read(["412 ms", "17", "0"], "ms")
    assert values == [0.412, 0.017, 0.0]
    assert column.unit == "s"
    assert reasons == [None] * 3
    assert "unit_assumed" not in codes(column)


def test_bare_numbers_beside_one_unit_are_in_it_and_told():
    values, _, column = read(["97%", "50"])
    assert values == [0.97, 0.5]
    assert codes(column) == {"formatted_cells": 1, "unit_assumed": 1}


def test_bare_numbers_beside_two_units_are_refused_but_for_nothing():
    values, reasons, _ = read(["412 ms", "1.2 s", "5", "0", "NaN"])
    assert reasons == [None, None, "no_unit", None, None]
    assert values[2:4] == [None, 0.0]


def test_a_cell_that_measures_something_else_is_refused():
    values, reasons, _ = read(["412 ms", "97%", "1.2 s"])
    assert reasons == [None, "mixed_units", None]
    assert values == [0.412, None, 1.2]
    assert read(["97%"], "s")[1] == ["mixed_units"]


def test_rates_are_told_apart_by_their_names():
    values, reasons, column = read(["1.2K req/s", "45 ops/s", "7"], "tokens/s")
    assert values == [1200.0, 45.0, 7.0]
    assert reasons == [None] * 3
    assert column.unit == "tokens/s"


def test_scales_alone_leave_the_unit_open():
    values, _, column = read(["97", "1.23 K", "2 B"])
    assert values == [97.0, 1230.0, 2e9]
    assert column.unit == ""
    values, _, column = read(["1.2 K", "3"], "ms")
    assert (values, column.unit) == ([1200.0, 3.0], "ms")


def test_a_lone_b_beside_bytes_is_bytes():
    assert read(["2 B", "3 KiB"])[0] == [2.0, 3072.0]
    assert read(["2 B"])[0] == [2.0]
    assert read(["2B", "3K"])[0] == [2e9, 3000.0]
    assert read(["2 B"], "tokens")[0] == [2e9]
    assert read(["2 B", "3 K"], "B")[0] == [2.0, 3000.0]


def test_values_relative_to_their_maximum():
    values, _, column = read(["97%", "20%"], "rel")
    assert (values, column.unit) == ([0.97, 0.2], "rel")


def test_missing_words_are_gaps():
    values, reasons, _ = read(["97%", "undefined", "null"])
    assert values == [0.97, None, None]
    assert reasons == [None] * 3


def test_commas_between_thousands_are_told():
    values, _, column = read(["12,990", "7"])
    assert values == [12990.0, 7.0]
    assert codes(column) == {"grouped_digits": 1}


def test_later_parts_keep_the_unit():
    column = PrintedColumn("x")
    column.read(pl.Series(["412 ms", "1.2 s"]))
    values, reasons = column.read(pl.Series(["5", "97%", "2 s"]))
    assert reasons.to_list() == ["no_unit", "mixed_units", None]
    assert values.to_list() == [None, None, 2.0]
    assert column.unit == "s"


def test_empty_parts():
    assert read([])[0] == []
    assert read([None, None])[:2] == ([None, None], [None, None])
