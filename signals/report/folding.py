"""Text in lines of a given width, names and paths broken behind their signs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rich.cells import cell_len, chop_cells

__all__ = ["folded", "longest_piece"]

_PIECE = re.compile(r"[^/_,=&|-]*[/_,=&|-]+|[^/_,=&|-]+")


def folded(text: str, width: int) -> str:
    """Break text at blanks, and words that are too long behind `/`, `_`, `,`, `=`, `-` and the like.

    Args:
        text: of one line.
        width: character cells, at least 1.
    """
    lines = [""]
    for word in text.split():
        gap = " " if lines[-1] else ""
        if cell_len(lines[-1] + gap + word) <= width:
            lines[-1] += gap + word
        elif cell_len(word) <= width:
            lines.append(word)
        else:
            _fill(lines, gap, word, width)
    return "\n".join(lines)


def _fill(lines: list[str], gap: str, word: str, width: int) -> None:
    for piece in _pieces(word, width):
        if cell_len(lines[-1] + gap + piece) <= width:
            lines[-1] += gap + piece
        else:
            lines.append(piece)
        gap = ""


def _pieces(word: str, width: int) -> Iterator[str]:
    for piece in _PIECE.findall(word):
        yield from chop_cells(piece, width) if cell_len(piece) > width else (piece,)


def longest_piece(text: str) -> int:
    """Character cells of the longest part of a text that need not be broken."""
    return max(
        (cell_len(piece) for word in text.split() for piece in _PIECE.findall(word)), default=0
    )
