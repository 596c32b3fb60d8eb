"""Annotated CSV: several tables, defaults, types, pivoted results, what a server says instead."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from signals.errors import InputError
from signals.store.parsed import NameChoice, ReadOptions
from signals.store.sources import stream
from signals.store.sources.influx_csv import INFLUX_CSV

NOTES = """#group,false,false,false,false,true,true,true
#datatype,string,long,dateTime:RFC3339,{kind},string,string,string
#default,_result,,,,,,
"""
HEADER = ",result,table,_time,_value,_field,_measurement,host\n"
HEAD = NOTES.format(kind="double") + HEADER
T = "2025-10-09T08:53:20"


def test_rows_become_samples(whole, write):
    text = HEAD + f",,0,{T}Z,97,usage,vllm,a\n,,1,{T}.5Z,0.5,usage,vllm,b\n"
    found = whole(write("x.csv", text))
    assert found.format == "influx-csv"
    assert found.rows == [
        ("vllm_usage", {"host": "a"}, 0.0, 97.0),
        ("vllm_usage", {"host": "b"}, 0.5, 0.5),
    ]
    assert (found.codes, found.rejects, found.rows_read) == ({}, [], 2)


def test_tables_with_other_columns_follow(whole, write):
    other = HEADER.replace(",_value,_field", ",pod,_field,_value")
    text = (
        HEAD
        + f",,0,{T}Z,1,usage,vllm,a\r\n\r\n"
        + "#datatype,string,long,dateTime:RFC3339,string,string,double,string,string\n"
        + other
        + f",,0,{T}Z,p,waiting,2,vllm,a\n\n{other},,1,{T}Z,q,waiting,3,vllm,a\n"
    )
    found = whole(write("x.csv", text))
    assert found.rows == [
        ("vllm_usage", {"host": "a"}, 0.0, 1.0),
        ("vllm_waiting", {"host": "a", "pod": "p"}, 0.0, 2.0),
        ("vllm_waiting", {"host": "a", "pod": "q"}, 0.0, 3.0),
    ]


def test_many_blank_lines_are_one(whole, write, monkeypatch):
    monkeypatch.setattr(stream, "BLOCK_BYTES", 1 << 10)
    row = f",,0,{T}Z,97,usage,vllm,a\n"
    text = "\n" * 5_000 + HEAD + row + "\r\n" * 5_000 + HEAD + row + "\n" * 5_000 + "x" + row
    found = whole(write("x.csv", text), form="influx-csv")
    assert found.values == [97.0, 97.0, 97.0]


def test_a_blank_line_within_a_table(whole, write):
    text = HEAD + f",,0,{T}Z,1,usage,vllm,a\n\n,,0,{T}Z,2,usage,vllm,a\n\n"
    assert whole(write("x.csv", text)).values == [1.0, 2.0]


def test_without_annotations(whole, write):
    text = f"{HEADER},_result,0,{T}Z,1,usage,vllm,a\n,_result,0,{T}Z,true,usage,vllm,a\n"
    found = whole(write("x.csv", text + f",_result,0,{T}Z,x,usage,vllm,a\n"))
    assert found.values == [1.0, 1.0]
    assert found.rejected == [(4, "bad_number")]
    assert whole(write("y.csv", f"_time,_value,_field,_measurement\n{T}Z,1,a,b\n")).rows == [
        ("b_a", {}, 0.0, 1.0)
    ]


@pytest.mark.parametrize(
    ("kind", "cell", "values"),
    [
        ("double", "NaN", "[nan]"),
        ("double", "1e3", "[1000.0]"),
        ("long", "-5", "[-5.0]"),
        ("unsignedLong", "18446744073709551615", "[1.8446744073709552e+19]"),
        ("boolean", "true", "[1.0]"),
        ("boolean", "false", "[0.0]"),
        ("string", "5", "[]"),
        ("double", "", "[]"),
    ],
)
def test_types(whole, write, kind, cell, values):
    text = NOTES.format(kind=kind) + HEADER + f",,0,{T}Z,{cell},usage,vllm,a\n"
    found = whole(write("x.csv", text))
    assert str(found.values) == values
    assert found.codes == ({"text_cells": 1} if kind == "string" else {})


def test_defaults_stand_for_empty_cells(whole, write):
    text = HEAD.replace("#default,_result,,,,,,", "#default,_result,,,7,,vllm,z")
    found = whole(write("x.csv", text + f",,0,{T}Z,,usage,,\n"))
    assert found.rows == [("vllm_usage", {"host": "z"}, 0.0, 7.0)]


def test_a_pivoted_result(whole, write):
    text = (
        "#datatype,string,long,dateTime:RFC3339,double,long,string,string\n"
        "#group,false,false,false,false,false,true,true\n#default,_result,,,,,,\n"
        ",result,table,_time,usage,waiting,_measurement,host\n"
        f",,0,{T}Z,0.5,3,vllm,a\n,,0,{T}Z,,4,vllm,a\n"
    )
    found = whole(write("x.csv", text))
    assert [(row[0], row[3]) for row in found.rows] == [
        ("vllm_usage", 0.5),
        ("vllm_waiting", 3.0),
        ("vllm_waiting", 4.0),
    ]


def test_buckets_and_quantiles(whole, write):
    names = [("ttft", "+Inf"), ("ttft", "0.5"), ("ttft", "count"), ("wait", "0.5"), ("size", "20")]
    text = HEAD + "".join(f",,0,{T}Z,1,{field},{name},a\n" for name, field in names)
    found = whole(write("x.csv", text))
    assert [(metric, labels.get("le"), labels.get("quantile")) for metric, labels, *_ in found.rows] == [
        ("ttft_bucket", "+Inf", None), ("ttft_bucket", "0.5", None), ("ttft_count", None, None),
        ("wait", None, "0.5"), ("size_bucket", "20", None),
    ]  # fmt: skip


def test_a_result_that_lost_its_name(whole, write):
    text = f",result,table,_time,_value,host\n,,0,{T}Z,5,a\n"
    with pytest.raises(InputError, match="has no name") as caught:
        whole(write("x.csv", text))
    assert "--as" in caught.value.hint
    found = whole(
        write("x.csv", text), ReadOptions(as_name=NameChoice("decode:decode_tps", "tokens/s"))
    )
    assert found.rows == [("decode_tps", {"host": "a"}, 0.0, 5.0)]
    one = next(iter(found.series.values()))
    assert (one.unit, one.pool) == ("tokens/s", "decode")


def test_only_the_field_is_left(whole, write):
    text = f",result,table,_time,_value,_field\n,,0,{T}Z,5,vllm:num_requests_running\n"
    assert whole(write("x.csv", text)).rows == [("vllm:num_requests_running", {}, 0.0, 5.0)]


def test_only_a_time_and_a_value(whole, write):
    options = ReadOptions(as_name=NameChoice("gpu_util", "%"))
    found = whole(write("x.csv", f"_time,_value\n{T}Z,5\n{T}Z,6\n"), options)
    assert found.rows == [("gpu_util", {}, 0.0, 5.0), ("gpu_util", {}, 0.0, 6.0)]


def test_several_results_are_kept_apart(whole, write):
    rows = "".join(f",{name},0,{T}Z,1,usage,vllm,a\n" for name in ("mean", "max"))
    found = whole(write("x.csv", HEAD + rows))
    assert len(found.series) == 2
    assert found.codes == {"several_results": 2}


def test_broken_rows(whole, write):
    text = (
        HEAD + f',,0,{T}Z,x,usage,vllm,a\n,,0,soon,1,usage,vllm,a\n,,0,{T}Z,1\n,,0,{T}Z,"1,a,b,c\n'
    )
    found = whole(write("x.csv", text + f",,0,{T}Z,1,usage,vllm,a\n"))
    assert found.rejected == [
        (5, "bad_number"), (6, "bad_time"), (7, "wrong_column_count"), (8, "open_quote"),
    ]  # fmt: skip
    assert len(found.rows) == 1


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (HEAD, "no row"),
        (",error,reference\n,query timed out,897\n", "query timed out"),
        (
            "#datatype,string,string\n#group,true,true\n#default,,\n,error,reference\n,bad,1\n",
            "bad",
        ),
        (f",result,table,_start,_stop,_value,_field\n,,0,{T}Z,{T}Z,1,a\n", "no time"),
        ("#datatype,string\n#group,false\n", "no row"),
        (HEAD + f",,0,{T},1,usage,vllm,a\n", "no zone"),
    ],
)
def test_what_is_no_result(whole, write, text, what):
    with pytest.raises(InputError, match=what):
        whole(write("x.csv", text), form="influx-csv")


def test_rows_before_a_header(whole, write):
    with pytest.raises(InputError, match="before any header"):
        whole(write("x.csv", f",,0,{T}Z,1\n"), form="influx-csv")


def test_bad_encoding_and_an_endless_line(whole, write):
    with pytest.raises(InputError, match="UTF-8"):
        whole(write("x.csv", HEAD.encode() + b",,0,\xff\n"))
    with pytest.raises(InputError, match="longer than"):
        whole(write("y.csv", HEAD + "9" * (5 << 20)))


def test_the_documented_sample(whole, shared):
    found = whole(shared / "formats" / "influx_annotated.csv")
    assert found.values == [97, 100, 99, 88, 91]
    assert {labels["host"] for _, labels, *_ in found.rows} == {"node0", "node1"}
    assert (found.codes, found.rejects) == ({}, [])


def test_an_endless_header(whole, write):
    names = "".join(f",a{number}" for number in range(9000))
    with pytest.raises(InputError, match="more than 5000 columns"):
        whole(write("x.csv", HEAD.rstrip() + names + "\n"))


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from("ab"), st.floats(allow_nan=False)), min_size=1, max_size=30)
)
def test_rows_come_out_in_their_order(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("flux") / "x.csv"
    path.write_text(HEAD + "".join(f",,0,{T}Z,{value!r},f,m,{host}\n" for host, value in rows))
    chunk = next(INFLUX_CSV.read(path, ReadOptions()))
    hosts = [one.labels["host"] for one in chunk.series]
    assert [(hosts[index], value) for index, _, value in chunk.samples.rows()] == rows
