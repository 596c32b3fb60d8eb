"""A table that leaves out its least important columns until it fits the terminal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from rich.box import Box
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

__all__ = ["Column", "Grid", "chip", "note", "title"]

_RULED = Box("    \n    \n -- \n    \n    \n    \n    \n    \n")
_STYLES: Mapping[str, str] = {
    "proportional": "green",
    "feedback": "yellow",
    "unusable": "red",
    "insufficient_data": "dim",
    "ok": "green",
    "warn": "yellow",
    "fail": "red",
    "error": "red",
    "warning": "yellow",
    "info": "dim",
}


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a grid.

    Attributes:
        title: its heading.
        right: whether it is aligned to the right, as numbers are.
        keep: 0 to keep it always; the columns with the largest number go first.
        wrap: 0 to keep text on one line, else the narrowest width at which it may break into lines.
    """

    title: str
    right: bool = False
    keep: int = 0
    wrap: int = 0


@dataclass(frozen=True)
class Grid:
    """Rows under titled columns.

    Attributes:
        columns: at least one.
        rows: one cell per column.
    """

    columns: tuple[Column, ...]
    rows: tuple[tuple[Text | str, ...], ...]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Draw the columns that fit."""
        yield self._table(self._fitting(options))

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        """The width of what is drawn."""
        return Measurement.get(console, options, self._table(self._fitting(options)))

    def _fitting(self, options: ConsoleOptions) -> list[int]:
        shown = list(range(len(self.columns)))
        for level in sorted({c.keep for c in self.columns if c.keep}, reverse=True):
            if self._width(shown) <= options.max_width:
                break
            shown = [i for i in shown if self.columns[i].keep < level]
        return shown

    def _width(self, shown: list[int]) -> int:
        """Character cells that these columns need, two between neighbours."""
        return sum(self._column_width(i) for i in shown) + 2 * (len(shown) - 1)

    def _column_width(self, index: int) -> int:
        column = self.columns[index]
        cells: list[Text | str] = [column.title, *(row[index] for row in self.rows)]
        width = max(_cell(text).cell_len for text in cells)
        return min(width, column.wrap) if column.wrap else width

    def _table(self, shown: list[int]) -> Table:
        table = Table(
            box=_RULED, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold"
        )
        for index in shown:
            column = self.columns[index]
            table.add_column(
                Text(column.title),
                justify="right" if column.right else "left",
                no_wrap=not column.wrap,
                overflow="fold" if column.wrap else "ellipsis",
                vertical="top",
            )
        for row in self.rows:
            table.add_row(*(_cell(row[index]) for index in shown))
        return table


def _cell(text: Text | str) -> Text:
    """Text as it is: data never carries rich's markup."""
    return text if isinstance(text, Text) else Text(text)


def chip(text: str, state: str) -> Text:
    """A verdict, state or severity in its colour."""
    return Text(text, style=_STYLES.get(state, ""))


def note(text: str) -> Text:
    """A secondary line."""
    return Text(text, style="dim")


def title(text: str) -> RenderableType:
    """A heading over a table, with a line of space before it."""
    return Text(f"\n{text}", style="bold")
