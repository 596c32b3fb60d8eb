"""Whether a file ends within a line, and so perhaps within a value."""

from __future__ import annotations

import os
from pathlib import Path

from signals.errors import InputError
from signals.schema import Finding, Severity
from signals.store.sources.parquet import is_parquet
from signals.store.sources.stream import byte_blocks

__all__ = ["open_end_findings"]

_TAIL_BYTES = 64 << 10
# bytes that are not those of the text: gzip, and UTF-16 with its mark
_CODED = (b"\x1f\x8b", b"\xff\xfe", b"\xfe\xff")
# a line of JSON, or a quoted cell, that ends so is whole: had it been cut, it would not be read
_WHOLE = (b"}", b"]", b'"')
_COMMENT = b"#"


def open_end_findings(path: Path, severity: Severity) -> tuple[Finding, ...]:
    """One finding if the last line has no end and a cut in it would show nowhere else.

    Half a number is a number, so no reader can tell a table that was cut in its last cell from one whose writer
    leaves the last line open.

    Args:
        path: a file that was read well, plain, gzip or Parquet.
        severity: how grave it is for its format.

    Raises:
        InputError: it can no longer be read.
    """
    line = _last_line(path)
    if not line or line.startswith(_COMMENT) or line.endswith(_WHOLE):
        return ()
    return (
        Finding(
            "last_line_open",
            severity,
            "the last line does not end: the file may be cut short, and so may its last value",
            subject=path.name,
            action="read as it stands",
        ),
    )


def _last_line(path: Path) -> bytes:
    """What follows the last line end, without blanks around it."""
    tail = _tail(path)
    return tail[max(tail.rfind(b"\n"), tail.rfind(b"\r")) + 1 :].strip()


def _tail(path: Path) -> bytes:
    """The last bytes of the text; empty for Parquet."""
    try:
        with path.open("rb") as raw:
            head = raw.read(4)
            if is_parquet(head):
                return b""
            if not head.startswith(_CODED):
                raw.seek(-min(_TAIL_BYTES, raw.seek(0, os.SEEK_END)), os.SEEK_END)
                return raw.read()
    except OSError as error:
        raise InputError(
            f"the file cannot be read: {error.strerror or error}", where=str(path)
        ) from error
    tail = b""
    for block in byte_blocks(path):
        tail = (tail + block)[-_TAIL_BYTES:]
    return tail
