"""CloudWatch's download of a graph."""

from __future__ import annotations

import gzip
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signals.errors import InputError
from signals.store.parsed import NameChoice, ReadOptions
from signals.store.sources.cloudwatch_csv import CLOUDWATCH_CSV

HEAD = """Label,decode gpu,speed
Full label,CWAgent nvidia_smi_utilization_gpu ip-9 0,Custom Speed i-1
ID,m1,m2
Metric name,nvidia_smi_utilization_gpu,Speed
Statistic,Average,Sum
Period,60,60
"""
ROWS = """2025/10/09 08:53:20,97.25,1
2025/10/09 08:54:20,,2
"""
UTC = ReadOptions(zone="UTC")


def test_rows_become_samples(whole, write):
    found = whole(write("x.csv", HEAD + ROWS), UTC)
    assert found.format == "cloudwatch-csv"
    assert found.rows == [
        ("gpu_util", {"instance": "ip-9", "gpu": "0"}, 0.0, 97.25),
        ("speed", {}, 0.0, 1.0),
        ("speed", {}, 60.0, 2.0),
    ]
    util = found.series["gpu_util", frozenset({("instance", "ip-9"), ("gpu", "0")})]
    assert (util.unit, util.pool, util.sampling) == ("%", "decode", "step_aligned")
    assert found.codes == {
        "statistic": 1,
        "step_aligned": 1,
        "unnamed_column": 1,
        "zone_assumed": 2,
    }


@pytest.mark.parametrize("key", ["speed", "m2", "Speed", "Custom Speed i-1"])
def test_columns_are_mapped_by_any_of_their_names(whole, write, key):
    options = ReadOptions(zone="UTC", columns={key: NameChoice("decode:running", "")})
    assert whole(write("x.csv", HEAD + ROWS), options).rows[1][0] == "running"


def test_other_orders_line_ends_and_times(whole, write):
    text = "ID,m1\r\nLabel,a b\r\n\r\n2025-10-09T08:53:20.000Z,1\r\n"
    options = ReadOptions(as_name=NameChoice("running", ""))
    for content in (
        text,
        gzip.compress(text.encode()),
        "\ufeff" + text,
        ("\ufeff" + text).encode("utf-16-le"),
    ):
        assert whole(write("x.csv", content), options).rows == [("running", {}, 0.0, 1.0)]


def test_quoted_labels_with_commas(whole, write):
    text = 'Label,"a, b","a, b"\nID,m1,m2\n1760000000,1,2\n'
    columns = {"m1": NameChoice("decode:running", ""), "m2": NameChoice("prefill:running", "")}
    found = whole(write("x.csv", text), ReadOptions(columns=columns))
    assert found.values == [1.0, 2.0]


def test_times_need_a_zone(whole, write):
    with pytest.raises(InputError, match="no zone") as caught:
        whole(write("x.csv", HEAD + ROWS))
    assert "line 7" in caught.value.where
    assert "--tz" in caught.value.hint


def test_case_14_the_hour_that_happens_twice(whole, write):
    clock = ["01:30", "02:00", "02:30", "02:00", "02:30", "03:00"]
    rows = "".join(f"2024/10/27 {t}:00,{n}\n" for n, t in enumerate(clock))
    path = write("x.csv", "Label,a\nID,m1\n" + rows)
    name = NameChoice("running", "")
    found = whole(path, ReadOptions(zone="Europe/Paris", as_name=name))
    assert [b - a for a, b in zip(found.seconds, found.seconds[1:], strict=False)] == [1800.0] * 5
    with pytest.raises(InputError, match="2 local times repeat"):
        whole(path, ReadOptions(as_name=name))


def test_bad_cells_name_their_line(whole, write):
    text = HEAD + ROWS + "2025/13/09 08:53:20,1,2\n2025/10/09 08:55:20,x,2\n2025/10/09 08:56:20,1\n"
    found = whole(write("x.csv", text), UTC)
    assert found.rejected == [(9, "bad_time"), (10, "bad_number"), (11, "wrong_column_count")]


def test_order_repeats_nan_and_huge_numbers_are_handed_on(whole, write):
    rows = "1760000060,1\n1760000000,NaN\n1760000000,1e400\n"
    found = whole(
        write("x.csv", "Label,a\nID,m1\n" + rows), ReadOptions(as_name=NameChoice("running", ""))
    )
    assert found.seconds == [60.0, 0.0, 0.0]
    assert math.isnan(found.values[1])
    assert found.values[2] == math.inf


@pytest.mark.parametrize(
    ("content", "what"),
    [
        ("", "empty"),
        (ROWS, "no lines that describe"),
        ("a,b\nc,d\n", "no lines that describe"),
        ("Label\nID\n" + ROWS, "no lines that describe"),
        (HEAD, "no row"),
        ("Label,a b\n2025/10/09 08:53:20,1\n", "no series has the name"),
        (HEAD.encode() + b"\xff\n", "not UTF-8"),
        (HEAD + ROWS + "x" * (5 << 20), "longer than"),
    ],
)
def test_what_is_wrong_with_the_whole_file(whole, write, content, what):
    with pytest.raises(InputError, match=what) as caught:
        whole(write("x.csv", content), UTC, form="cloudwatch-csv")
    assert "x.csv" in caught.value.where


@pytest.mark.parametrize(
    ("text", "sure"),
    [
        (HEAD + ROWS, 1.0),
        ("\ufeff" + HEAD, 1.0),
        ("Label,a\n2025/10/09 08:53:20,1\n", 0.6),
        ("Label,a\n1,2\n", 0.0),
        ("id,label\n1760000000,1\n", 0.0),
        ("time,a\nLabel,b\n", 0.0),
        ("", 0.0),
    ],
)
def test_how_sure_it_is(tmp_path, text, sure):
    assert CLOUDWATCH_CSV.detect(text.encode(), tmp_path) == sure


@given(st.binary(max_size=200))
def test_no_head_breaks_detection(tmp_path_factory, head):
    for start in (b"", b"Label,a\n", b'Label,"'):
        assert 0 <= CLOUDWATCH_CSV.detect(start + head, tmp_path_factory.getbasetemp()) <= 1


def test_the_sample(shared, whole):
    found = whole(shared / "formats" / "cloudwatch_console.csv", UTC)
    assert found.format == "cloudwatch-csv"
    assert found.values == [97.25, 92.0, 95.5, 88.5, 91.75, 90.1, 89.0]
    assert [one.pool for one in found.series.values()] == ["prefill", "decode"]
    assert {one.unit for one in found.series.values()} == {"%"}
