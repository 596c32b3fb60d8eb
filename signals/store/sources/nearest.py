"""Formats that a file nearly has: those of whose names it holds the most, and what it lacks of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from signals.store.parsed import Source
from signals.store.sources.header import split_unit
from signals.store.sources.table import parse_header

__all__ = ["nearest_formats"]

_KEY = re.compile(r'"([^"\\]{1,80})"\s*:')
_NO_SIGN = re.compile(r"[^a-z0-9]+")
_ENOUGH = 0.5
_SHOWN = 3


def nearest_formats(head: bytes, columns: Sequence[str], sources: Iterable[Source]) -> list[str]:
    """The formats of whose names a file has at least half, the nearest first.

    Args:
        head: the file's first bytes; of a table its first line counts, of JSON its keys.
        columns: of a Parquet file; empty for text.
        sources: all formats.

    Returns:
        At most three, each as `aibrix-trace (lacks timestamp_ms)`.
    """
    found = {_plain(name) for name in columns or _names(head)}
    scored = []
    for source in sources:
        missing = [name for name in source.marks if _plain(name) not in found]
        held = len(source.marks) - len(missing)
        if missing and held >= _ENOUGH * len(source.marks):
            scored.append((len(missing), -held, source.name, missing))
    return [
        f"{name} (lacks {', '.join(missing)})" for _, _, name, missing in sorted(scored)[:_SHOWN]
    ]


def _names(head: bytes) -> list[str]:
    text = head.decode("utf-8", errors="replace").lstrip()
    if text[:1] in {"{", "["}:
        return _KEY.findall(text)
    lines = (line for line in text.splitlines() if line.strip() and not line.startswith("#"))
    return [split_unit(cell)[0] for cell in parse_header(next(lines, ""))[0]]


def _plain(name: str) -> str:
    return _NO_SIGN.sub("", name.lower())
