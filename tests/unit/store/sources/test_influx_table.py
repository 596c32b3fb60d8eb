"""Columns of annotated CSV: which hold values, which are tags."""

from __future__ import annotations

import pytest

from signals.errors import InputError
from signals.store.sources.influx_table import InfluxTable, looks_like_header

LONG = [
    "",
    "result",
    "table",
    "_start",
    "_stop",
    "_time",
    "_value",
    "_field",
    "_measurement",
    "host",
]


def test_a_long_table():
    notes = {"#default": ["#default", "mean"], "#datatype": ["#datatype", "string", "long"]}
    table = InfluxTable.of(LONG, notes, "x")
    assert table.fields == ("_value",)
    assert table.labels == ("result", "host")
    assert table.defaults == {"result": "mean"}
    assert table.datatypes == {"result": "string", "table": "long"}
    assert table.names[0] == "annotation"


def test_a_pivoted_table():
    header = ["", "result", "table", "_time", "host", "slot", "usage", "waiting"]
    notes = {
        "#datatype": ["#datatype", "string", "long", "dateTime:RFC3339", "string", "long", "double", "long"],
        "#group": ["#group", "false", "false", "false", "true", "true", "false", "false"],
    }  # fmt: skip
    table = InfluxTable.of(header, notes, "x")
    assert table.fields == ("usage", "waiting")
    assert table.labels == ("result", "host", "slot")
    with pytest.raises(InputError, match="no column holds values"):
        InfluxTable.of(header, {}, "x")


@pytest.mark.parametrize(
    ("header", "notes", "what"),
    [
        (["", "_time", "_value", "a", "a"], {}, "name of another"),
        (["", "_time", "_value", ""], {}, "no name"),
        (["", "_start", "_stop", "_value"], {}, "no time"),
        (["m", "v"], {"#datatype": ["#datatype", "double"]}, "no time"),
        (["", "m", "v", "time"], {"#datatype": ["#datatype", "measurement", "double"]}, "upload"),
    ],
)
def test_no_table_of_samples(header, notes, what):
    with pytest.raises(InputError, match=what):
        InfluxTable.of(header, notes, "x")


@pytest.mark.parametrize(
    ("cells", "header"),
    [(LONG, True), (["", "error", "reference"], True), (["", "_result", "0", "5"], False), ([""], False)],
)  # fmt: skip
def test_headers_that_nothing_announces(cells, header):
    assert looks_like_header(cells) == header
