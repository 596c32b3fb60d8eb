"""Bytes of a file, decompressed and checked, in blocks of bounded size."""

from __future__ import annotations

import codecs
import gzip
import itertools
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from signals.errors import FormatError, InputError

__all__ = [
    "BLOCK_BYTES",
    "HEAD_BYTES",
    "MAX_LINE_BYTES",
    "LineBlock",
    "byte_blocks",
    "line_blocks",
    "read_head",
    "refuse_bare_returns",
    "refuse_binary",
]

BLOCK_BYTES = 4 << 20
HEAD_BYTES = 64 << 10
MAX_LINE_BYTES = 4 << 20
"""Longest line of a line-based format: a header of some ten thousand columns."""

_GZIP_MAGIC = b"\x1f\x8b"
_UTF8_BOM = b"\xef\xbb\xbf"
_ARCHIVES = {
    b"PK\x03\x04": "a ZIP archive",
    b"(\xb5/\xfd": "compressed with zstd",
    b"BZh": "compressed with bzip2",
    b"\xfd7zXZ": "compressed with xz",
}
_SQLITE = b"SQLite format 3\0"
_DUCKDB, _DUCKDB_AT = b"DUCK", 8
# the longer marks first: UTF-32 of little end begins as UTF-16 does
_WIDE_BOMS = {
    b"\xff\xfe\0\0": "UTF-32",
    b"\0\0\xfe\xff": "UTF-32",
}
# what spreadsheets want, and what Grafana therefore writes for them
_UTF16_BOMS = (b"\xff\xfe", b"\xfe\xff")
# telemetry compresses 10 to 100 times; a file past both bounds is a bomb
_BOMB_RATIO = 400
_BOMB_BYTES = 512 << 20


@dataclass(frozen=True, slots=True)
class LineBlock:
    """Whole lines of a file.

    Attributes:
        first_line: 1-based number of the first line.
        data: the lines, UTF-8; each ends in a newline except perhaps the file's last one.
    """

    first_line: int
    data: bytes


def byte_blocks(path: Path) -> Iterator[bytes]:
    """Read a plain or gzip file.

    Args:
        path: the file; compression is told from its first bytes.

    Yields:
        Blocks of decompressed bytes, a leading byte-order mark of UTF-8 taken off; UTF-16 with a mark as UTF-8.

    Raises:
        InputError: it cannot be read, is truncated, is no text, or grows beyond any sense when decompressed.
    """
    read_bytes = 0
    block = bytearray()
    try:
        with path.open("rb") as raw:
            packed = raw.read(2) == _GZIP_MAGIC
            raw.seek(0)
            unpacked: BinaryIO = gzip.GzipFile(fileobj=raw, mode="rb") if packed else raw  # type: ignore[assignment]
            for data in _text_blocks(unpacked, block, path):
                refuse_binary(data, path, read_bytes)
                read_bytes += len(data)
                if packed and read_bytes > _BOMB_BYTES and read_bytes > _BOMB_RATIO * raw.tell():
                    raise InputError(
                        f"the file holds more than {_BOMB_RATIO} times its compressed size",
                        where=str(path),
                        expected=f"at most {_BOMB_BYTES >> 20} MiB at such a ratio",
                        hint="decompress it yourself if it is what it should be",
                    )
                yield data.removeprefix(_UTF8_BOM) if read_bytes == len(data) else data
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InputError(
            "the gzip file is damaged or cut short",
            where=f"{path}, after {read_bytes + len(block)} bytes that decompress well",
            expected="a complete gzip stream",
            hint=f"copy or export it again ({error})",
        ) from error
    except OSError as error:
        raise InputError(
            f"the file cannot be read: {error.strerror or error}", where=str(path)
        ) from error


def _text_blocks(unpacked: BinaryIO, block: bytearray, path: Path) -> Iterator[bytes]:
    """Blocks as they are; those of UTF-16 as UTF-8."""
    first = _read_block(unpacked, block)
    if not first.startswith(_UTF16_BOMS) or first.startswith(tuple(_WIDE_BOMS)):
        yield from itertools.takewhile(bool, _blocks_from(first, unpacked, block))
        return
    wide = codecs.getincrementaldecoder("utf-16")()
    read_bytes = 0
    try:
        for data in _blocks_from(first, unpacked, block):
            # a character that a block cuts goes to the next one
            text = wide.decode(data, final=not data)
            read_bytes += len(data)
            if text:
                yield text.encode()
            if not data:
                return
    except UnicodeError as error:
        raise InputError(
            "the text is no sound UTF-16, although its mark says so",
            where=f"{path}, after byte {read_bytes}",
            expected="text in UTF-8, or in UTF-16 with a byte-order mark",
            hint="export it again, or save it as UTF-8",
        ) from error


def _blocks_from(first: bytes, unpacked: BinaryIO, block: bytearray) -> Iterator[bytes]:
    """The first block and all others, without end: empty ones follow the last."""
    yield first
    while True:
        yield _read_block(unpacked, block)


def _read_block(unpacked: BinaryIO, block: bytearray) -> bytes:
    """The next block; `block` keeps what could be read of it if an error ends the reading."""
    block.clear()
    while len(block) < BLOCK_BYTES and (some := unpacked.read1(BLOCK_BYTES - len(block))):  # type: ignore[attr-defined]
        block += some
    data = bytes(block)
    block.clear()
    return data


def refuse_binary(block: bytes, path: Path, offset: int) -> None:
    """Raise FormatError if a block of bytes is no text: an archive, UTF-16 or UTF-32, or a NUL byte."""
    for magic, what in _ARCHIVES.items():
        if offset == 0 and block.startswith(magic):
            raise FormatError(
                f"the file is {what}",
                where=str(path),
                expected="plain text, gzip or Parquet",
                hint="unpack it first",
            )
    database = _database_of(block) if offset == 0 else ""
    if database:
        raise FormatError(
            f"the file is {database}",
            where=str(path),
            expected="plain text, gzip or Parquet",
            hint="export its table to CSV or Parquet and load that; signals inventory shows what a store holds",
        )
    wide = next((name for mark, name in _WIDE_BOMS.items() if block.startswith(mark)), "")
    if offset == 0 and wide:
        raise FormatError(
            f"the file is written in {wide}",
            where=str(path),
            expected="UTF-8",
            hint="save it as UTF-8",
        )
    at = block.find(b"\0")
    if at >= 0:
        number = block.count(b"\n", 0, at) + 1
        line = f", line {number}" if offset == 0 else ""
        raise FormatError(
            "the file holds a NUL byte, so it is no text (or UTF-16 or UTF-32 without a mark)",
            where=f"{path}{line}, byte {offset + at}",
            expected="text in UTF-8",
            hint="export it again, or save it as UTF-8; a writer that was killed or a full disk leaves such bytes",
        )


def _database_of(block: bytes) -> str:
    if block.startswith(_SQLITE):
        return "an SQLite database"
    return "a DuckDB database" if block.startswith(_DUCKDB, _DUCKDB_AT) else ""


def line_blocks(path: Path, *, max_line_bytes: int | None = None) -> Iterator[LineBlock]:
    """Read whole lines.

    Args:
        path: a plain or gzip text file.
        max_line_bytes: longest line, not below `BLOCK_BYTES`; None for `MAX_LINE_BYTES`.

    Yields:
        Blocks of about `BLOCK_BYTES`, never cut inside a line.

    Raises:
        InputError: as `byte_blocks`; or a line is longer than allowed; or bytes are not UTF-8.
    """
    longest = max_line_bytes or MAX_LINE_BYTES
    first_line, rest = 1, b""
    for block in byte_blocks(path):
        cut = block.rfind(b"\n") + 1
        if cut == 0:
            if first_line == 1 and not rest:
                refuse_bare_returns(block, path)
            rest += block
            _check_length(rest, path, first_line, longest)
            continue
        data, rest = rest + block[:cut], block[cut:]
        _check_lines(data, path, first_line, longest)
        yield LineBlock(first_line, data)
        first_line += data.count(b"\n")
        _check_length(rest, path, first_line, longest)
    if rest:
        _check_lines(rest, path, first_line, longest)
        yield LineBlock(first_line, rest)


def refuse_bare_returns(block: bytes, path: Path) -> None:
    """Raise FormatError if lines end in CR alone, as nothing but some spreadsheets has written for long.

    Args:
        block: the begin of a text without any LF.
        path: the file.
    """
    if b"\r" in block.strip():
        raise FormatError(
            "its lines end in CR alone, so all of it would be one line",
            where=f"{path}, line 1",
            expected="lines that end in LF or CR LF",
            hint="convert it, for example tr '\\r' '\\n' < FILE > NEW, or save it as CSV for other systems",
        )


def _check_lines(data: bytes, path: Path, first_line: int, longest: int) -> None:
    # blocks are no longer than the limit, so only a line that began in an earlier block can exceed it
    _check_length(data[: data.find(b"\n") + 1], path, first_line, longest)
    if data.isascii():
        return
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = first_line + data.count(b"\n", 0, error.start)
        raise InputError(
            f"byte 0x{data[error.start]:02x} is not UTF-8",
            where=f"{path}, line {line}",
            expected="text in UTF-8",
            hint="the file may be in Latin-1 or Windows-1252: save it as UTF-8",
        ) from error


def _check_length(line_bytes: bytes, path: Path, line: int, longest: int) -> None:
    if len(line_bytes) > longest:
        raise InputError(
            f"a line is longer than {longest >> 20} MiB",
            where=f"{path}, line {line}",
            expected="one record per line",
        )


def read_head(path: Path) -> bytes:
    """The first `HEAD_BYTES` of a file, decompressed as far as they go; empty for an empty file.

    Raises:
        InputError: as `byte_blocks`.
    """
    for block in byte_blocks(path):
        return block[:HEAD_BYTES]
    return b""
