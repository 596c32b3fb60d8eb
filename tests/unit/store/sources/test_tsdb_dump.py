"""Dumps of blocks: Go's quoting, stale markers, broken lines."""

from __future__ import annotations

import gzip
import math

import pytest

from signals.errors import InputError

UP = '{__name__="up", pod="a"} '


def test_samples(whole, write):
    text = UP + "1 1760000000000\n" + UP + "+Inf 1760000000123\n" + UP + "1e-05 1760000015000\n"
    expected = [
        ("up", {"pod": "a"}, 0.0, 1.0),
        ("up", {"pod": "a"}, 0.123, math.inf),
        ("up", {"pod": "a"}, 15.0, 1e-05),
    ]
    assert whole(write("x.txt", text)).rows == expected
    assert whole(write("x.txt.gz", gzip.compress(text.encode()))).rows == expected


def test_stale_markers_stay(whole, write):
    found = whole(write("x.txt", UP + "1 1760000000000\n" + UP + "NaN 1760000015000\n"))
    assert math.isnan(found.values[1])
    assert found.rejects == []


def test_go_quoting(whole, write):
    line = r'{__name__="up", a="q\"}\\ \t\u00e9\x41\U0001f600", "b.c"="é", d=""} 1 1760000000000'
    labels = whole(write("x.txt", line + "\n")).rows[0][1]
    assert labels == {"a": 'q"}\\ \té' + "A\U0001f600", "b.c": "é"}


def test_order_and_repeats_are_left_alone(whole, write):
    stamps = (1760000030, 1760000000, 1760000000)
    found = whole(write("x.txt", "".join(f"{UP}{n} {at}000\n" for n, at in enumerate(stamps))))
    assert found.seconds == [30.0, 0.0, 0.0]
    assert found.values == [0.0, 1.0, 2.0]


def test_broken_lines_are_rejects(whole, write):
    lines = [
        UP + "1 1760000000000",
        UP + "one 1760000000000",
        UP + "1",
        UP + "1 soon",
        '{__name__="up", pod=a} 1 1760000000000',
        '{pod="a"} 1 1760000000000',
        '{__name__="up", a="1", a="2"} 1 1760000000000',
        '{__name__="h"} {count:3, sum:1.5, [-1,1]:3} 1760000000000',
        UP + "1 -1760000000000",
        "",
        UP + "2 1760000015000",
    ]
    found = whole(write("x.txt", "\n".join(lines) + "\n"), form="tsdb-dump")
    assert found.values == [1.0, 2.0]
    assert found.rejected == [
        (2, "bad_line"),
        (3, "bad_line"),
        (4, "bad_time"),
        (5, "bad_line"),
        (6, "bad_line"),
        (7, "bad_line"),
        (8, "native_histogram"),
        (9, "bad_time"),
    ]
    assert found.rows_read == 10


def test_a_time_in_microseconds_is_no_time(whole, write):
    with pytest.raises(InputError, match="beyond the year 2200"):
        whole(write("x.txt", UP + "1 1760000000000000\n"))


@pytest.mark.parametrize("text", ["", "\n\n"])
def test_nothing_in_it(whole, write, text):
    with pytest.raises(InputError, match="no sample"):
        whole(write("x.txt", text), form="tsdb-dump")


def test_hostile_files(whole, write):
    with pytest.raises(InputError, match="longer than"):
        whole(write("x.txt", "{" + "x" * (5 << 20)), form="tsdb-dump")
    with pytest.raises(InputError, match="not UTF-8"):
        whole(write("x.txt", UP.encode() + b"\xff 1\n"), form="tsdb-dump")
    packed = gzip.compress((UP + "1 1760000000000\n").encode() * 1000)
    with pytest.raises(InputError, match="cut short"):
        whole(write("x.txt.gz", packed[:-12]), form="tsdb-dump")


def test_the_real_dump(whole, shared):
    found = whole(shared / "formats" / "promtool_tsdb_dump.txt")
    assert found.format == "tsdb-dump"
    assert (len(found.rows), len(found.series), found.rejects) == (36, 6, [])
