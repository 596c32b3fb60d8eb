"""Line protocol: types, escapes, precisions, points without time, broken lines."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from signals.errors import InputError
from signals.store.parsed import NameChoice, ReadOptions
from signals.store.sources.influx_line import INFLUX_LINE

NS = "1760000000000000000"
AT = ReadOptions(at=datetime(2025, 10, 9, 8, 53, 20, tzinfo=UTC))


def test_a_point_has_fields(whole, write):
    found = whole(write("x.lp", f"vllm,pod=a,role=decode waiting=3,usage=0.5 {NS}\n"))
    assert found.format == "influx-line"
    labels = {"pod": "a", "role": "decode"}
    assert found.rows == [("vllm_waiting", labels, 0.0, 3.0), ("vllm_usage", labels, 0.0, 0.5)]
    assert (found.codes, found.rejects, found.rows_read) == ({}, [], 2)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("97i", 97), ("-3i", -3), ("18446744073709551615u", 18446744073709551615), ("1e3", 1000),
        (".5", 0.5), ("-0.25", -0.25), ("9223372036854775807i", 9223372036854775807),
        ("t", 1), ("True", 1), ("TRUE", 1), ("f", 0), ("false", 0),
    ],
)  # fmt: skip
def test_values(whole, write, text, value):
    assert whole(write("x.lp", f"m v={text} {NS}\n")).values == [float(value)]


@pytest.mark.parametrize("text", ["abc", "1.5i", "0x10", "1_000", "tru", "-"])
def test_what_is_no_value(whole, write, text):
    found = whole(write("x.lp", f"m v={text},w=1 {NS}\n"), form="influx-line")
    assert found.rejected == [(1, "bad_number")]
    assert found.values == [1.0]


def test_not_a_number_is_handed_over(whole, write):
    values = whole(write("x.lp", f"m v=NaN,w=inf {NS}\n"), form="influx-line").values
    assert str(values) == "[nan, inf]"


def test_texts_are_counted(whole, write):
    text = f'm v="a b=c, \\"d\\" \\\\",w=1 {NS}\nm v="",w=2 {NS}\n'
    found = whole(write("x.lp", text))
    assert found.values == [1.0, 2.0]
    assert found.codes == {"text_cells": 2}


def test_escapes(whole, write):
    text = f"a\\ b\\,c,k\\=ey=v\\ \\,\\=x,d=back\\slash f\\ \\=g=1,h=2i {NS}\n"
    found = whole(write("x.lp", text))
    labels = {"k=ey": "v ,=x", "d": "back\\slash"}
    assert found.rows == [("a b,c_f =g", labels, 0.0, 1.0), ("a b,c_h", labels, 0.0, 2.0)]


def test_the_agents_two_ways_to_scrape(whole, write):
    text = (
        f"prometheus,pod=a vllm:kv_cache_usage_perc=0.5 {NS}\n"
        f"prometheus,pod=a,le=0.1 ttft_bucket=3 {NS}\n"
        f"vllm:kv_cache_usage_perc,pod=a gauge=0.5 {NS}\n"
        f"ttft,pod=a 0.1=3,+Inf=5,count=5,sum=0.9 {NS}\n"
        f"wait,pod=a 0.5=3,0.9=5,count=5,sum=0.9 {NS}\n"
    )
    found = whole(write("x.lp", text))
    assert [(metric, labels.get("le"), labels.get("quantile")) for metric, labels, *_ in found.rows] == [
        ("vllm:kv_cache_usage_perc", None, None),
        ("ttft_bucket", "0.1", None),
        ("vllm:kv_cache_usage_perc", None, None),
        ("ttft_bucket", "0.1", None),
        ("ttft_bucket", "+Inf", None),
        ("ttft_count", None, None),
        ("ttft_sum", None, None),
        ("wait", None, "0.5"),
        ("wait", None, "0.9"),
        ("wait_count", None, None),
        ("wait_sum", None, None),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("time", "seconds"),
    [
        ("1760000000123456789", 0.123456),
        ("1760000000123456", 0.123456),
        ("1760000000123", 0.123),
        ("1760000001", 1.0),
    ],
)
def test_precisions(whole, write, time, seconds):
    found = whole(write("x.lp", f"m v=1 {time}\n"))
    assert found.seconds == [seconds]
    assert found.codes == ({} if len(time) == 19 else {"epoch_unit_inferred": 1})


def test_the_unit_of_times_may_be_named(whole, write):
    options = ReadOptions(columns={"timestamp": NameChoice("timestamp", "ms")})
    found = whole(write("x.lp", "m v=1 1760000000123\n"), options)
    assert (found.seconds, found.codes) == ([0.123], {})


def test_points_without_time(whole, write):
    path = write("x.lp", f"m v=1 {NS}\nm v=2\n")
    with pytest.raises(InputError, match="no time") as caught:
        whole(path)
    assert "line 2" in caught.value.where
    assert "--at" in caught.value.hint
    assert whole(path, AT).seconds == [0.0, 0.0]


def test_order_and_repeats_are_kept(whole, write):
    text = "".join(f"m,a=b v={n} {1_760_000_000 + n}000000000\n" for n in (3, 1, 1, 2))
    found = whole(write("x.lp", text))
    assert found.seconds == [3, 1, 1, 2]
    assert len(found.series) == 1


def test_an_exports_first_lines_are_passed_over(whole, write):
    text = (
        "# INFLUXDB EXPORT: a - b\n# DDL\nCREATE DATABASE db WITH NAME autogen\n# DML\n"
        f"# CONTEXT-DATABASE:db\n\r\nm,a=b v=1 {NS}\r\n"
    )
    found = whole(write("x.lp", text))
    assert (found.values, found.rejects) == ([1.0], [])


def test_broken_lines_are_rejects(whole, write):
    good = f"m,a=b v=1 {NS}\n"
    bad = [
        "m\n", f"m,a v=1 {NS}\n", f"m v= {NS}\n", f"m =1 {NS}\n", f"m v=1 {NS} x\n", "m v=1 soon\n",
        f'm v="open {NS}\n', f", v=1 {NS}\n", "m v=1 9999999999999999999999\n", f"m {NS}\n",
    ]  # fmt: skip
    found = whole(write("x.lp", good * 40 + "".join(bad) + good))
    assert [reason for _, reason in found.rejected] == [
        "bad_line", "bad_line", "bad_line", "bad_line", "bad_time", "bad_time",
        "bad_line", "bad_line", "bad_time", "bad_line",
    ]  # fmt: skip
    assert [line for line, _ in found.rejected] == list(range(41, 51))
    assert len(found.rows) == 41


def test_no_point_at_all(whole, write):
    with pytest.raises(InputError, match="no point"):
        whole(write("x.lp", "# nothing\n"), form="influx-line")


def test_bad_encoding_and_an_endless_line(whole, write):
    with pytest.raises(InputError, match="UTF-8"):
        whole(write("x.lp", b"m v=1 1\nm,a=\xff v=1 1\n"), form="influx-line")
    with pytest.raises(InputError, match="longer than"):
        whole(write("y.lp", "m v=" + "1" * (5 << 20)), form="influx-line")


@pytest.mark.parametrize(
    "text",
    [
        'up{pod="a"} 1 1760000000000\n',
        '{__name__="up",pod="a b=c"} 5 1760000000000\n',
        "level=info ts=2026-06-01T08:00:00Z msg=hello\n",
        "a,b,c\n1,2,3\n",
        "# only a comment\n",
    ],
)
def test_other_texts_are_not_taken_for_it(text, tmp_path):
    assert INFLUX_LINE.detect(text.encode(), tmp_path) == 0.0


def test_the_documented_sample(whole, shared):
    found = whole(shared / "formats" / "influx_line_protocol.txt")
    assert (len(found.rows), len(found.series), found.rejects, found.codes) == (17, 6, [], {})
    waiting = [row[3] for row in found.rows if row[0] == "vllm_num_requests_waiting"]
    assert waiting == [0, 2, 5]


names = st.text(
    st.characters(codec="ascii", exclude_characters='\\\n\r#"', min_codepoint=32), min_size=1
)


@settings(deadline=None)
@given(names, names, names.filter(str.strip), st.floats(allow_nan=False, allow_infinity=False))
def test_what_is_escaped_comes_back(tmp_path_factory, measurement, key, text, value):
    path = tmp_path_factory.mktemp("lp") / "x.lp"

    def escaped(name):
        return name.replace(",", "\\,").replace("=", "\\=").replace(" ", "\\ ")

    path.write_text(f"m{escaped(measurement)},{escaped(key)}={escaped(text)} f={value!r} {NS}\n")
    chunk = next(INFLUX_LINE.read(path, ReadOptions()))
    assert chunk.rejects == ()
    assert chunk.series[0].metric == f"m{measurement}_f"
    assert chunk.series[0].labels == {key: text}
    assert chunk.samples["value"].to_list() == [value]
