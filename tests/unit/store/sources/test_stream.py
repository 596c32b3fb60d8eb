"""Blocks of bytes and lines: what is refused, and where it says the trouble is."""

from __future__ import annotations

import bz2
import gzip
import lzma
import zlib

import pytest

from signals.errors import InputError
from signals.store.sources import stream


def lines_of(path):
    return [(block.first_line, block.data) for block in stream.line_blocks(path)]


def test_plain_and_gzip_read_alike(write):
    text = "a\nb\nc"
    assert lines_of(write("x.csv", text)) == [(1, b"a\nb\n"), (3, b"c")]
    assert lines_of(write("x.csv.gz", gzip.compress(text.encode()))) == [(1, b"a\nb\n"), (3, b"c")]


def test_compression_is_told_by_content_not_by_name(write):
    assert lines_of(write("x.csv", gzip.compress(b"a\n"))) == [(1, b"a\n")]


def test_byte_order_mark_is_taken_off(write):
    assert lines_of(write("x.csv", b"\xef\xbb\xbfts\n")) == [(1, b"ts\n")]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("size", [2, 3, 7, 1 << 20])
def test_utf16_with_a_mark_reads_as_utf8(write, monkeypatch, encoding, size):
    monkeypatch.setattr(stream, "BLOCK_BYTES", size)
    text = "ts,µs 𝄞\r\n1,2\r\n"
    mark = "" if encoding == "utf-16" else "\ufeff"
    path = write("x.csv", (mark + text).encode(encoding))
    assert b"".join(data for _, data in lines_of(path)) == text.encode()


def test_lines_are_counted_across_blocks(write, monkeypatch):
    monkeypatch.setattr(stream, "BLOCK_BYTES", 4)
    found = lines_of(write("x.csv", "aa\nbb\ncc\ndd\n"))
    assert b"".join(data for _, data in found) == b"aa\nbb\ncc\ndd\n"
    for first, data in found:
        assert data.startswith({1: b"aa", 2: b"bb", 3: b"cc", 4: b"dd"}[first])


def test_a_long_line_is_refused_without_reading_on(write, monkeypatch):
    monkeypatch.setattr(stream, "MAX_LINE_BYTES", 16)
    monkeypatch.setattr(stream, "BLOCK_BYTES", 8)
    path = write("x.csv", "ab\n" + "x" * 1000)
    with pytest.raises(InputError, match="a line is longer") as caught:
        lines_of(path)
    assert caught.value.where.endswith("line 2")


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"\xff\xfe\x00\xdc\x00\xdc", "no sound UTF-16"),
        ("ts,a\n1,2\n".encode("utf-16")[:-1], "no sound UTF-16"),
        ("ts,\0\n".encode("utf-16"), "NUL byte"),
        ("ts,a\n1,2\n".encode("utf-32"), "in UTF-32"),
        (b"\0\0\xfe\xff" + "ts,a\n1,2\n".encode("utf-32-be"), "in UTF-32"),
        (b"ts,a\n1,2\x00\n", "NUL byte"),
        (b"PK\x03\x04...", "ZIP archive"),
        (bz2.compress(b"ts,a\n"), "bzip2"),
        (lzma.compress(b"ts,a\n"), "xz"),
        (b"SQLite format 3\0\x10\0", "an SQLite database"),
        (bytes(8) + b"DUCK" + bytes(8), "a DuckDB database"),
        (b"ts,a\r1,2\r3,4", "CR alone"),
    ],
)
def test_what_is_no_text_is_refused(write, content, what):
    with pytest.raises(InputError, match=what):
        lines_of(write("x.csv", content))


def test_a_nul_byte_has_a_line_and_a_remedy(write):
    with pytest.raises(InputError) as caught:
        lines_of(write("x.csv", b"ts,a\n1,2\n3,\x004\n"))
    assert caught.value.where.endswith("x.csv, line 3, byte 11")
    assert "export it again" in caught.value.hint


@pytest.mark.parametrize("content", [b"ts,a\r", b"ts,a\r\n1,2\r\n", b"ts,a\n1,2\r3,4\n", b"\r\r"])
def test_a_return_beside_line_feeds_does_no_harm(write, content):
    assert b"".join(data for _, data in lines_of(write("x.csv", content))) == content


def test_latin_1_names_the_line(write):
    with pytest.raises(InputError, match="0xe9") as caught:
        lines_of(write("x.csv", "ts\n1\né\n".encode("latin-1")))
    assert caught.value.where.endswith("line 3")


def test_truncated_gzip(write):
    packed = gzip.compress(b"".join(b"%d\n" % n for n in range(50_000)))
    half = packed[: len(packed) // 2]
    well = len(zlib.decompressobj(wbits=31).decompress(half))
    with pytest.raises(InputError, match="damaged or cut short") as caught:
        lines_of(write("x.gz", half))
    assert f"after {well} bytes" in caught.value.where
    assert well > 100_000


def test_damaged_gzip(write):
    packed = bytearray(gzip.compress(b"".join(b"%d\n" % (n * n) for n in range(50_000))))
    packed[len(packed) // 2] ^= 0xFF
    with pytest.raises(InputError):
        lines_of(write("x.gz", bytes(packed)))


def test_a_bomb_is_refused(write, monkeypatch):
    monkeypatch.setattr(stream, "_BOMB_BYTES", 1 << 20)
    path = write("x.csv.gz", gzip.compress(b"1,1\n" * 5_000_000, compresslevel=9))
    with pytest.raises(InputError, match="compressed size"):
        lines_of(path)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        lines_of(tmp_path / "none.csv")
