"""A document as Markdown: the same text and tables, without the figures."""

from __future__ import annotations

import re

from signals.report.document import (
    Block,
    Cell,
    Document,
    Figure,
    Findings,
    Heading,
    KeyFigures,
    Paragraph,
    Table,
)
from signals.report.words import finding_text, moment_text, verdict_title

__all__ = ["render_markdown"]

_SPECIAL = re.compile(r"([\\`*_\[\]<>|#~])")


def render_markdown(document: Document) -> str:
    """The report as GitHub-flavoured Markdown.

    Args:
        document: the report.

    Returns:
        Text that ends with a newline; signs with a meaning in Markdown are escaped in what comes from data.
    """
    lines = [f"# {_text(document.title)}", "", _text(document.subtitle), ""]
    for block in document.answer.blocks:
        lines += _block(block)
    for section in document.sections:
        lines += [f"## {_text(section.title)}", ""]
        for block in section.blocks:
            lines += _block(block)
    figures = any(isinstance(b, Figure) for section in document.sections for b in section.blocks)
    where = " Figures are in the HTML form of this report." if figures else ""
    lines.append(f"Written {moment_text(document.generated_at)} UTC.{where}")
    return "\n".join(lines) + "\n"


def _block(block: Block) -> list[str]:
    if isinstance(block, Paragraph):
        text = _text(block.text)
        if block.tone == "code":
            return ["```text", block.text, "```", ""]
        return [f"**{text}**" if block.tone == "money" else text, ""]
    if isinstance(block, Heading):
        verdict = f" ({verdict_title(block.verdict)})" if block.verdict else ""
        return [f"### {_text(block.text)}{verdict}", ""]
    if isinstance(block, KeyFigures):
        return [
            *(
                f"- {_text(item.label)}: **{_text(item.value)}**"
                f"{f' ({_text(item.note)})' if item.note else ''}"
                for item in block.items
            ),
            "",
        ]
    if isinstance(block, Table):
        return _table(block)
    if isinstance(block, Figure) and block.finding:
        return [f"- {_text(block.title)} {_text(block.finding)}", ""]
    if isinstance(block, Findings):
        return [*(f"- {item.severity}: `{item.code}`: {_text(finding_text(item))}" for item in block.items), ""]  # fmt: skip
    return []


def _table(table: Table) -> list[str]:
    titles = [
        _text(f"{c.title} ({c.unit})" if c.unit else c.title).replace("\n", " ")
        for c in table.columns
    ]
    rules = ["---:" if c.align == "right" else "---" for c in table.columns]
    rows = [" | ".join(_cell(cell) for cell in row) for row in table.rows]
    return [
        f"**{_text(table.caption)}**",
        "",
        f"| {' | '.join(titles)} |",
        f"| {' | '.join(rules)} |",
        *(f"| {row} |" for row in rows),
        "",
    ]


def _cell(cell: Cell) -> str:
    note = f" ({cell.note})" if cell.note else ""
    return _text(cell.text + note)


def _text(text: str) -> str:
    """One line with Markdown's own signs escaped; `_` inside a word needs none."""
    flat = " ".join(text.split())
    return re.sub(r"(?<=\w)\\_(?=\w)", "_", _SPECIAL.sub(r"\\\1", flat))
