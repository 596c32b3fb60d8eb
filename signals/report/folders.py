"""Rows about many files, told as one row per folder where there are too many to read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import PurePath
from typing import TypeVar

__all__ = ["gather", "shortened"]

T = TypeVar("T")

MOST_ALONE = 3
"""As many files of one folder are still told one by one."""


def gather(
    rows: Sequence[T], uri: Callable[[T], str], like: Callable[[T], object]
) -> list[tuple[str, list[T]]]:
    """Put files of one folder together that are alike.

    Args:
        rows: one per file.
        uri: the file's path, or where an answer of a server came from.
        like: what files of one group have in common, such as their format.

    Returns:
        What to call each group, and its rows, in the order of the first row of each.
    """
    groups: dict[tuple[str, object], list[T]] = {}
    for row in rows:
        groups.setdefault((str(_path(uri(row)).parent), like(row)), []).append(row)
    told: list[tuple[str, list[T]]] = []
    for (folder, _), members in groups.items():
        if len(members) > MOST_ALONE:
            told.append((f"{shortened(folder)}/ ({len(members)} files)", members))
        else:
            told += [(shortened(uri(row)), [row]) for row in members]
    return told


def shortened(path: str) -> str:
    """The last two parts of a long path; the whole one stands in the JSON form."""
    parts = _path(path).parts
    return path.partition("://")[2] or path if len(parts) <= 3 else str(PurePath("…", *parts[-2:]))


def _path(uri: str) -> PurePath:
    """A path, also of what begins with the scheme of an address."""
    return PurePath(uri.partition("://")[2] or uri)
