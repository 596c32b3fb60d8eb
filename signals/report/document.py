"""A report as data: sections of paragraphs, key figures, tables, figures and findings.

Renderers turn a `Document` into HTML or Markdown; nothing here knows about either.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, Protocol

import plotly.graph_objects as go
import polars as pl

from signals.replay.result import Comparison
from signals.schema import Finding
from signals.study.score import Scorecard, SignalDetail, Verdict

__all__ = [
    "Block",
    "Cell",
    "Document",
    "Evidence",
    "Figure",
    "Findings",
    "Heading",
    "KeyFigure",
    "KeyFigures",
    "Paragraph",
    "Section",
    "Stock",
    "Table",
    "TableColumn",
]

Tone = Literal["plain", "note", "lead", "money", "code"]


class Stock(Protocol):
    """What is loaded, as frames with the columns of `signals.store.Inventory`."""

    @property
    def services(self) -> pl.DataFrame:
        """One row per service."""
        ...

    @property
    def pools(self) -> pl.DataFrame:
        """One row per pool."""
        ...

    @property
    def targets(self) -> pl.DataFrame:
        """One row per thing scraped, with its pool and what decided."""
        ...

    @property
    def signals(self) -> pl.DataFrame:
        """One row per signal of a pool."""
        ...

    @property
    def findings(self) -> pl.DataFrame:
        """One row per finding of a load."""
        ...

    @property
    def sources(self) -> pl.DataFrame:
        """One row per loaded file."""
        ...


@dataclass(frozen=True)
class Evidence:
    """All that a report is made from.

    Attributes:
        scorecard: the scores of the service.
        generated_at: time of writing, UTC.
        details: curves of the signals to show closely.
        comparisons: backtests, the most telling first.
        stock: what is loaded; None to leave it out.
        versions: versions of this program and of what computed the results, by name.
    """

    scorecard: Scorecard
    generated_at: datetime
    details: tuple[SignalDetail, ...] = ()
    comparisons: tuple[Comparison, ...] = ()
    stock: Stock | None = None
    versions: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A few sentences; `lead` opens a section, `note` says how to read it, `money` is the backtest's answer, `code` is for machines."""

    text: str
    tone: Tone = "plain"


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading inside a section, with a verdict beside it where it names a signal."""

    text: str
    verdict: Verdict | None = None


@dataclass(frozen=True, slots=True)
class KeyFigure:
    """One number that matters.

    Attributes:
        label: what it is.
        value: with its unit.
        note: its interval, or what it means.
    """

    label: str
    value: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class KeyFigures:
    """A row of key figures."""

    items: tuple[KeyFigure, ...]


@dataclass(frozen=True, slots=True)
class TableColumn:
    """A column: its title, the unit of all its values (empty if each says its own), its alignment."""

    title: str
    unit: str = ""
    align: Literal["left", "right"] = "left"


@dataclass(frozen=True, slots=True)
class Cell:
    """One value of a table.

    Attributes:
        text: as shown, with its unit unless the column has one.
        note: second line, such as an interval.
        verdict: shows the text as a chip in the verdict's colour.
        why: what explains a missing or special value.
    """

    text: str
    note: str = ""
    verdict: Verdict | None = None
    why: str = ""


@dataclass(frozen=True)
class Table:
    """Rows under titled columns.

    Attributes:
        caption: what it shows.
        columns: at least one; the first names the row.
        rows: one cell per column.
        folded: True for a long table that is opened on demand where the form allows it.
    """

    caption: str
    columns: tuple[TableColumn, ...]
    rows: tuple[tuple[Cell, ...], ...]
    folded: bool = False


@dataclass(frozen=True)
class Figure:
    """A figure in the light theme.

    Attributes:
        name: unique in the document, letters, digits and `-`.
        caption: what it shows and how to read it.
        figure: the plotly figure.
        width: `half` figures stand side by side where there is room.
        title: the question it answers; empty for none.
        finding: what it shows, in words, for readers who do not see it.
    """

    name: str
    caption: str
    figure: go.Figure
    width: Literal["full", "half"] = "full"
    title: str = ""
    finding: str = ""


@dataclass(frozen=True, slots=True)
class Findings:
    """Remarks about data and analysis, worst first."""

    items: tuple[Finding, ...]


Block = Paragraph | Heading | KeyFigures | Table | Figure | Findings


@dataclass(frozen=True)
class Section:
    """A titled part of a document.

    Attributes:
        name: unique in the document, for links.
        title: heading.
        blocks: its content.
    """

    name: str
    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Document:
    """A report.

    Attributes:
        title: of the page.
        subtitle: what was looked at: span, grid, load.
        generated_at: time of writing, UTC.
        answer: verdict and blocks at the very top, to be read in ten seconds.
        sections: the rest.
        evidence: the results it was made from.
    """

    title: str
    subtitle: str
    generated_at: datetime
    answer: Section
    sections: tuple[Section, ...]
    evidence: Evidence
