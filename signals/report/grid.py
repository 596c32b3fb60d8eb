"""A table that leaves out its least important columns until it fits the terminal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from rich.box import Box
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from signals.report.folding import folded, longest_piece

__all__ = ["Column", "Grid", "chip", "note", "title"]

# what a terminal narrower than all of the columns still leaves to one that may wrap
_LEAST = 4
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
        yield self._table(self._fitting(options), options.max_width)

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        """The width of what is drawn."""
        table = self._table(self._fitting(options), options.max_width)
        return Measurement.get(console, options, table)

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
        column, width = self.columns[index], self._whole_width(index)
        return min(width, column.wrap) if column.wrap else width

    def _whole_width(self, index: int) -> int:
        return max(_cell(text).cell_len for text in self._cells(index))

    def _cells(self, index: int) -> list[Text | str]:
        return [self.columns[index].title, *(row[index] for row in self.rows)]

    def _widths(self, shown: list[int], room: int) -> dict[int, int]:
        """Character cells of each column: those that may wrap give way, the widest first.

        As long as it helps, no name or path is broken but behind a sign.
        """
        widths = {i: self._whole_width(i) for i in shown}
        widths |= {i: min(widths[i], room) for i in shown if self.columns[i].wrap}
        over = sum(widths.values()) + 2 * (len(shown) - 1) - room
        wrapped = [i for i in shown if self.columns[i].wrap]
        whole = {i: max(longest_piece(_cell(c).plain) for c in self._cells(i)) for i in wrapped}
        asked = {i: self.columns[i].wrap for i in wrapped}
        stages = (
            {i: max(whole[i], asked[i]) for i in wrapped},
            asked,
            dict.fromkeys(wrapped, _LEAST),
        )
        for least in stages:
            while over > 0 and any(widths[i] > least[i] for i in wrapped):
                widest = max((i for i in wrapped if widths[i] > least[i]), key=widths.__getitem__)
                widths[widest] -= 1
                over -= 1
        return widths

    def _table(self, shown: list[int], room: int) -> Table:
        table = Table(
            box=_RULED, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold"
        )
        widths = self._widths(shown, room)
        for index in shown:
            column = self.columns[index]
            table.add_column(
                Text(column.title),
                justify="right" if column.right else "left",
                no_wrap=not column.wrap,
                overflow="fold" if column.wrap else "ellipsis",
                vertical="top",
                width=widths[index] if column.wrap else None,
            )
        for row in self.rows:
            table.add_row(
                *(
                    _folded(row[index], widths[index])
                    if self.columns[index].wrap
                    else _cell(row[index])
                    for index in shown
                )
            )
        return table


def _cell(text: Text | str) -> Text:
    """Text as it is: data never carries rich's markup."""
    return text if isinstance(text, Text) else Text(text)


def _folded(text: Text | str, width: int) -> Text:
    """A cell in as many lines as it needs; styled text is left to the terminal."""
    return text if isinstance(text, Text) else Text(folded(text, width))


def chip(text: str, state: str) -> Text:
    """A verdict, state or severity in its colour."""
    return Text(text, style=_STYLES.get(state, ""))


def note(text: str) -> Text:
    """A secondary line."""
    return Text(text, style="dim")


def title(text: str) -> RenderableType:
    """A heading over a table, with a line of space before it."""
    return Text(f"\n{text}", style="bold")
