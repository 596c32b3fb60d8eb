"""JSON objects, one per line, with the line of each."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from signals.errors import InputError
from signals.store.parsed import Reject
from signals.store.sources.part import clip
from signals.store.sources.stream import MAX_LINE_BYTES, line_blocks

__all__ = ["ObjectBlock", "first_object", "object_blocks"]


@dataclass(frozen=True, slots=True)
class ObjectBlock:
    """Some lines of a file.

    Attributes:
        lines: 1-based line of each object.
        objects: what the lines hold.
        rejects: lines that hold something else; blank ones are none.
    """

    lines: list[int]
    objects: list[dict[str, object]]
    rejects: tuple[Reject, ...]


def object_blocks(path: Path, *, max_line_bytes: int = MAX_LINE_BYTES) -> Iterator[ObjectBlock]:
    """Read a file of JSON lines.

    Args:
        path: plain or gzip.
        max_line_bytes: longest line, as `line_blocks` takes it.

    Yields:
        Blocks of some MiB.

    Raises:
        InputError: the file cannot be read, is empty, or ends in the middle of a line.
    """
    seen = False
    for block in line_blocks(path, max_line_bytes=max_line_bytes):
        texts = block.data.split(b"\n")
        lines: list[int] = []
        objects: list[dict[str, object]] = []
        rejects: list[Reject] = []
        for number, text in enumerate(texts):
            if not text.strip():
                continue
            seen = True
            line = block.first_line + number
            value = _parse(text)
            if isinstance(value, dict):
                lines.append(line)
                objects.append(value)
                continue
            if value is None and number == len(texts) - 1 and text.lstrip().startswith(b"{"):
                raise _cut(path, line, text)
            reason = "bad_json" if value is None else "no_object"
            rejects.append(Reject(line, reason, clip(text.decode("utf-8"))))
        yield ObjectBlock(lines, objects, tuple(rejects))
    if not seen:
        raise InputError("the file is empty", where=str(path), expected="one JSON object per line")


def _parse(text: bytes) -> object:
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if value is not None else "null"


def _cut(path: Path, line: int, text: bytes) -> InputError:
    return InputError(
        "the last line ends in the middle",
        where=f"{path}, line {line}: {clip(text.decode('utf-8'))}",
        expected="one whole JSON object per line",
        hint="copy or export it again",
    )


def first_object(head: bytes) -> dict[str, object]:
    """The object on the first line of a file's head; empty if there is none."""
    line = head.lstrip().split(b"\n", 1)[0]
    value = _parse(line) if line.startswith(b"{") else None
    return value if isinstance(value, dict) else {}
