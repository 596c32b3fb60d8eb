"""Tables: lines of rows, records that are no rows, Parquet."""

from __future__ import annotations

from datetime import timedelta

import polars as pl
import pytest

from signals.errors import InputError
from signals.store.sources.table import clip, open_table, parse_header


def rows_of(path):
    names, parts = open_table(path)
    frames, lines, rejects = [], [], []
    for part in parts:
        frames += part.frame.rows()
        lines += part.lines.to_list()
        rejects += [(reject.line, reject.reason) for reject in part.rejects]
    return names, frames, lines, rejects


def test_rows_keep_their_lines(write):
    text = "a,b\n1,2\n\n3,4\n5\n6,7,8\n 9 , \n"
    names, rows, lines, rejects = rows_of(write("x.csv", text))
    assert names == ["a", "b"]
    assert rows == [("1", "2"), ("3", "4"), ("9", None)]
    assert lines == [2, 4, 7]
    assert rejects == [(5, "wrong_column_count"), (6, "wrong_column_count")]


def test_an_open_quote_costs_its_own_line_only(write):
    _, rows, lines, rejects = rows_of(write("x.csv", 'a,b\n"1",2\n"3,4\n5,"6""7"\n'))
    assert rows == [("1", "2"), ("5", '6"7')]
    assert lines == [2, 4]
    assert rejects == [(3, "open_quote")]


def test_a_quoted_cell_that_swallows_lines_costs_its_own_line_only(write):
    # the quotes are even: the last one opens a cell, and two of one cell stand for one
    _, rows, lines, rejects = rows_of(write("x.csv", 'a,b\n1,2\n5","{""n\n3,"4,"\n7,8"\n9,10\n'))
    assert rows == [("1", "2"), ("3", "4,"), ("9", "10")]
    assert lines == [2, 4, 6]
    assert rejects == [(5, "open_quote"), (3, "open_quote")]


def test_blank_lines_take_no_row_of_a_wide_table(write):
    # with a row for each there would be a billion cells
    header = ",".join(f"c{k}" for k in range(500))
    names, rows, lines, rejects = rows_of(
        write("x.csv", header + "\n" * 2_000_000 + "1" + "," * 499)
    )
    assert len(names) == 500
    assert (rows[0][0], lines, rejects) == ("1", [2_000_001], [])


def test_crlf_and_blank_lines_before_the_header(write):
    names, rows, lines, _ = rows_of(write("x.csv", "\r\n\r\na,b\r\n1,2\r\n"))
    assert (names, rows, lines) == (["a", "b"], [("1", "2")], [4])


@pytest.mark.parametrize("mark", [",", ";", "\t"])
def test_delimiters(mark):
    assert parse_header(f'ts{mark}"x [%]"') == (["ts", "x [%]"], mark)


def test_a_column_that_appears_twice(write):
    with pytest.raises(InputError, match="'a' appears more than once"):
        open_table(write("x.csv", "a,b,a\n1,2,3\n"))


@pytest.mark.parametrize("content", ["", "\n\n", "  \n"])
def test_an_empty_file(write, content):
    with pytest.raises(InputError, match="empty"):
        open_table(write("x.csv", content))


def test_parquet(tmp_path):
    path = tmp_path / "x.parquet"
    pl.DataFrame({"a": [1, 2], "b": ["x", None]}).write_parquet(path)
    assert rows_of(path) == (["a", "b"], [(1, "x"), (2, None)], [1, 2], [])


def test_half_a_parquet_file(tmp_path):
    path = tmp_path / "x.parquet"
    pl.DataFrame({"a": range(1000)}).write_parquet(path)
    path.write_bytes(path.read_bytes()[:500])
    with pytest.raises(InputError, match="Parquet file cannot be read"):
        open_table(path)


def test_excerpts_are_bounded():
    assert len(clip("x" * 5000)) == 200
    assert clip("short") == "short"


def test_a_block_of_broken_lines_only(write):
    assert rows_of(write("x.csv", 'a,b\n"1,2\n'))[1:] == ([], [], [(2, "open_quote")])


def test_parquet_of_odd_types_becomes_plain(tmp_path):
    path = tmp_path / "x.parquet"
    pl.DataFrame(
        {
            "list": [[1, 2], None],
            "bytes": [b"ab", b"\xff"],
            "span": [timedelta(milliseconds=1500), None],
        }
    ).write_parquet(path)
    assert rows_of(path)[1] == [("[1, 2]", "ab", 1.5), (None, "\ufffd", None)]


def test_many_columns_are_checked_at_once(write):
    names = [f"c{number}" for number in range(20_000)]
    path = write("x.csv", ",".join(names) + "\n")
    assert open_table(path)[0] == names


def test_a_header_without_end(write):
    with pytest.raises(InputError, match="the header has 1000001 columns"):
        rows_of(write("x.csv", "a" + "," * 1_000_000 + "\n1,2\n"))


def test_a_very_wide_table(write):
    header = ",".join(f"c{k}" for k in range(40_000))
    _, rows, lines, rejects = rows_of(write("x.csv", header + "\n" + "7," * 39_999 + "8\n"))
    assert (rows[0][0], rows[0][-1], lines, rejects) == ("7", "8", [2], [])
