"""First lines of a table, and true line numbers behind them."""

from __future__ import annotations

import gzip

import pytest

from signals.errors import InputError
from signals.store.sources import stream
from signals.store.sources.preface import head_lines, spreadsheet_delimiter, take_preface


def take(path, count):
    lines, blocks = take_preface(path, lambda taken, _: len(taken) < count)
    return lines, [(block.first_line, block.data) for block in blocks]


def test_lines_are_taken_as_long_as_they_belong(write):
    path = write("x.csv", "sep=,\r\n\r\nTime,a\r\n1,2\r\n3,4\r\n")
    assert take(path, 2) == (["sep=,", "Time,a"], [(4, b"1,2\r\n3,4\r\n")])
    assert take(path, 0) == ([], [(1, b"sep=,\r\n\r\nTime,a\r\n1,2\r\n3,4\r\n")])


def test_a_file_of_header_lines_only(write):
    assert take(write("x.csv", "Time,a"), 5) == (["Time,a"], [])
    assert take(write("x.csv.gz", gzip.compress(b"Time,a\n")), 5) == (["Time,a"], [])


def test_the_next_line_may_decide(write):
    path = write("x.csv", "Label,a\nID,m1\n2026,1\nID,9\n")
    lines, blocks = take_preface(path, lambda _, line: not line[0].isdigit())
    assert lines == ["Label,a", "ID,m1"]
    assert next(blocks).first_line == 3


def test_blocks_behind_the_first_follow(write, monkeypatch):
    monkeypatch.setattr(stream, "BLOCK_BYTES", 8)
    lines, blocks = take(write("x.csv", "Time,a\n" + "1,2\n" * 6), 1)
    assert lines == ["Time,a"]
    assert b"".join(data for _, data in blocks) == b"1,2\n" * 6
    assert blocks[-1][0] + blocks[-1][1].count(b"\n") == 8


def test_not_all_of_a_file_is_a_preface(write):
    lines, blocks = take(write("x.csv", "a,b\n" * 500), 1000)
    assert len(lines) == 100
    assert blocks[0][0] == 101


@pytest.mark.parametrize("content", ["", "\n \n"])
def test_an_empty_file(write, content):
    with pytest.raises(InputError, match="empty"):
        take(write("x.csv", content), 1)


def test_heads_and_marks():
    assert head_lines(b"\xef\xbb\xbf a \r\n\r\nb\xff") == ["\ufeff a", "b�"]
    assert [spreadsheet_delimiter(t) for t in ("sep=,", '"sep=;"', "SEP=\t", "sep", "sep=ab")] == [
        ",",
        ";",
        "\t",
        "",
        "",
    ]
