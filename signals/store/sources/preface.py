"""The lines before a table's rows: a mark for spreadsheets, a header, a block of descriptions."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path

from signals.errors import InputError
from signals.store.sources.stream import LineBlock, line_blocks

__all__ = ["head_lines", "spreadsheet_delimiter", "take_preface"]

_MAX_LINES = 100


def take_preface(
    path: Path, belongs: Callable[[list[str], str], bool]
) -> tuple[list[str], Iterator[LineBlock]]:
    """Split a text file into its first lines and the rest.

    Args:
        path: plain or gzip.
        belongs: told the lines taken so far and the next one that is not blank; False ends the taking.

    Returns:
        The lines, without line ends and blank ones; and what follows, with true line numbers.

    Raises:
        InputError: the file is empty or broken.
    """
    blocks = line_blocks(path)
    block = next(blocks, None)
    while block is not None and not block.data.strip():
        block = next(blocks, None)
    if block is None:
        raise InputError(
            "the file is empty", where=str(path), expected="a header line and rows of values"
        )
    lines: list[str] = []
    line, rest = block.first_line, block.data
    while rest and len(lines) < _MAX_LINES:
        head, newline, after = rest.partition(b"\n")
        text = head.decode("utf-8").strip()
        if text and not belongs(lines, text):
            break
        lines += [text] if text else []
        line, rest = line + len(newline), after
    return lines, itertools.chain([LineBlock(line, rest)] if rest else [], blocks)


def head_lines(head: bytes) -> list[str]:
    """Lines of a file's head that are not blank, the last one perhaps cut short."""
    texts = head.decode("utf-8", errors="replace").split("\n", _MAX_LINES)[:_MAX_LINES]
    return [text.strip() for text in texts if text.strip()]


def spreadsheet_delimiter(line: str) -> str:
    """The delimiter that a line `sep=;` announces; empty if it is another line."""
    text = line.strip('" ')
    return text[4] if len(text) == 5 and text.lower().startswith("sep=") else ""
