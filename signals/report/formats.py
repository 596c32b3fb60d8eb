"""The formats that can be loaded, as people are shown them on a terminal."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from signals.report.grid import Column, Grid, note, title

if TYPE_CHECKING:
    from signals.store.parsed import Source

__all__ = ["format_card", "formats_tables", "load_command", "needed_options"]

_BEGUN = 48

# an option and its value, which may be quoted and hold brackets; all of it in brackets if it may be left out
_OPTION = re.compile(r"(?P<left_out>\[)?(?P<text>--[a-z-]+ (?:'[^']*'|[^\s\]]+))(?(left_out)\])")


def load_command(source: Source) -> str:
    """What to type to load a file of this format, options that depend on the file in brackets."""
    return f"signals load FILE{source.suffixes[0]} {source.load}".strip()


def needed_options(source: Source) -> tuple[str, ...]:
    """The options that no file of this format can do without, each with its value."""
    return tuple(
        found["text"] for found in _OPTION.finditer(source.load) if found["left_out"] is None
    )


def formats_tables() -> list[RenderableType]:
    """The file formats that can be loaded."""
    from signals.store.sources import SOURCES

    columns = (
        Column("format"),
        Column("endings", keep=2),
        Column("what", wrap=24),
        Column("options", wrap=12),
        Column("looks like", keep=3),
    )
    rows = tuple(
        (
            source.name,
            " ".join(source.suffixes),
            source.title,
            _names(source.load),
            _begun(source.example),
        )
        for source in SOURCES
    )
    return [
        Grid(columns, rows),
        note("\noptions in brackets depend on the file; signals formats NAME: all about one"),
    ]


def _begun(example: str) -> str:
    """As much of an example as tells formats apart."""
    return example if len(example) <= _BEGUN else example[: _BEGUN - 1] + "…"


def _names(load: str) -> str:
    """The options' names, those that depend on the file in brackets."""
    words = []
    for found in _OPTION.finditer(load):
        name = found["text"].partition(" ")[0]
        words.append(name if found["left_out"] is None else f"[{name}]")
    return " ".join(dict.fromkeys(words))


def format_card(source: Source) -> list[RenderableType]:
    """All about one format: what produces it, how to load it, what to mind.

    Args:
        source: the format.

    Returns:
        Renderables for a console of any width of 60 and more.
    """
    facts = Table.grid(padding=(0, 2, 0, 0))
    facts.add_column(no_wrap=True, style="dim")
    facts.add_column(overflow="fold")
    for name, text in (
        ("endings", " ".join(source.suffixes)),
        ("looks like", source.example),
        ("export", source.export),
        ("load", load_command(source)),
        ("folder", "scrapes with their times in an index or in file names" * source.folder),
    ):
        if text:
            facts.add_row(name, Text(text))
    parts: list[RenderableType] = [Text(f"{source.name}: {source.title}", style="bold"), facts]
    if source.traps:
        parts += [title("traps"), _list(source.traps)]
    return parts


def _list(texts: tuple[str, ...]) -> Table:
    table = Table.grid(padding=(0, 1, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for text in texts:
        table.add_row("-", Text(text))
    return table
