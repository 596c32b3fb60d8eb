"""Rows of charts to samples."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from signals.errors import InputError
from signals.store.parsed import ReadOptions, Reject, Series
from signals.store.sources.printed_table import PrintedTable
from signals.store.sources.table import TablePart

SERIES = [Series("ttft_p99", {}, unit="ms"), Series("gpu_util", {}, unit="%")]


def part(times, first, second, rejects=()):
    columns = {"Time": times, "a": first, "b": second}
    frame = pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.String))
    return TablePart(frame, pl.Series("line", range(2, 2 + len(times))), rejects)


def table():
    return PrintedTable(Path("x.csv"), ReadOptions(zone="UTC"), ["a", "b"], SERIES)


def test_columns_follow_each_other_and_keep_their_units():
    rows = table()
    times = ["2025-10-09 08:53:20", "2025-10-09 08:53:35"]
    chunk = rows.chunk(part(times, ["412 ms", None], ["97", "x"]))
    assert chunk.samples["series"].to_list() == [0, 1]
    assert chunk.samples["value"].to_list() == [0.412, 97.0]
    assert [one.unit for one in chunk.series] == ["s", "%"]
    assert chunk.rejects == (Reject(3, "bad_number", "b: x"),)
    assert chunk.rows_read == 3
    end = rows.end([])
    assert [one.unit for one in end.series] == ["s", "%"]
    assert [f.code for f in end.findings] == ["formatted_cells", "zone_assumed", "step_aligned"]


def test_milliseconds_are_read_as_such():
    chunk = table().chunk(part(["1760000000500"], ["1"], ["2"]))
    assert chunk.samples["ts"].dt.epoch("ms").to_list() == [1760000000500] * 2


def test_rejects_are_rows_too():
    rows = table()
    rows.chunk(part([], [], [], (Reject(2, "open_quote", "x"),)))
    assert rows.end([]).samples is None
    with pytest.raises(InputError, match="no row"):
        table().end([])
