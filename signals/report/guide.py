"""The parts of the guides that are written from tables: formats and findings of ingest, rules of the verdict."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from signals.errors import InputError
from signals.report.formats import load_command

if TYPE_CHECKING:
    from signals.store.parsed import Source

__all__ = [
    "findings_text",
    "formats_text",
    "renew",
    "renew_rules",
    "renewed",
    "rules_text",
    "with_parts",
]

# options with their values, and names that Markdown would take for emphasis
_WORD = r"(?:[^\s,;:()`']|:(?=\w))"
_CODE = re.compile(
    r"`[^`]*`|--[a-z][a-z-]*(?: (?:'[^']*'|[A-Z]+\b))?" rf"|{_WORD}*_{_WORD}*[^\s,;:.()`'](?:\(\))?"
)
_BEGIN, _END = "<!-- begin {} (make docs) -->", "<!-- end {} -->"


def renew(path: Path) -> None:
    """Write the generated parts of the guide to ingest anew, and leave the rest of it.

    Args:
        path: the guide.

    Raises:
        InputError: a mark between which a part stands is missing.
    """
    path.write_text(renewed(path.read_text(encoding="utf-8")), encoding="utf-8")


def renew_rules(path: Path) -> None:
    """Write the rules of the verdict anew in the guide to the measures, and leave the rest of it.

    Args:
        path: the guide.

    Raises:
        InputError: the marks between which they stand are missing.
    """
    text = path.read_text(encoding="utf-8")
    path.write_text(with_parts(text, {"rules": rules_text()}), encoding="utf-8")


def renewed(text: str) -> str:
    """The guide to ingest with its generated parts written anew.

    Args:
        text: of the guide.

    Raises:
        InputError: a mark between which a part stands is missing.
    """
    return with_parts(text, {"formats": formats_text(), "findings": findings_text()})


def with_parts(text: str, parts: Mapping[str, str]) -> str:
    """A text with what stands between marks replaced.

    Args:
        text: Markdown.
        parts: what is to stand there, by the name in the marks.

    Raises:
        InputError: a mark between which a part stands is missing.
    """
    for name, part in parts.items():
        head, begin, rest = text.partition(_BEGIN.format(name))
        _, end, tail = rest.partition(_END.format(name))
        if not end:
            raise InputError(
                f"the part '{name}' has no place",
                where="the guide",
                expected=f"{_BEGIN.format(name)} and below it {_END.format(name)}",
            )
        text = f"{head}{begin}\n\n{part}\n\n{end}{tail}"
    return text


def formats_text() -> str:
    """Markdown about every format: a table of all, then what produces each, its command and its traps."""
    from signals.store.sources import SOURCES

    rows = [
        _row(f"[`{source.name}`](#{source.name})", source.title, f"`{load_command(source)}`")
        for source in SOURCES
    ]
    table = [_row("format", "what", "one command"), _row("---", "---", "---"), *rows]
    return "\n\n".join(("\n".join(table), *(_section(source) for source in SOURCES)))


def _section(source: Source) -> str:
    endings = ", ".join(f"`{suffix}`" for suffix in source.suffixes)
    lines = [
        f"### {source.name}",
        "",
        f"{source.title}; {endings}.",
        "",
        "```",
        source.example,
        "```",
        "",
        f"- **Export:** {_marked(source.export)}",
        f"- **Load:** `{load_command(source)}`",
        *(f"- {_marked(trap)}" for trap in source.traps),
    ]
    return "\n".join(lines)


def findings_text() -> str:
    """Markdown about every code of a finding: how grave it is, what was seen, what to do."""
    from signals.store.quality import FINDINGS

    rows = [
        _row(
            f"`{row.code}`",
            row.severities.replace("/", " or "),
            _marked(row.meaning),
            _marked(row.advice),
        )
        for row in FINDINGS
    ]
    head = [_row("code", "severity", "what was seen", "what to do"), _row(*["---"] * 4)]
    return "\n".join([*head, *rows])


_DECIDES: Mapping[str, str] = {
    "insufficient": "class `insufficient_data`",
    "unusable": "class `unusable`",
    "not_proportional": "class `feedback`",
    "condition": "condition",
    "circumstance": "condition, whether or not the signal can be judged",
}
_PLACE = re.compile(r"\{[^}]*\}")


def rules_text() -> str:
    """Markdown about every rule of the verdict: its code, when it fires, what it decides, its sentence."""
    from signals.study.verdict import RULES

    rows = [
        _row(
            f"`{rule.code}`",
            f"`{rule.figure}` {rule.side} {rule.threshold:g}",
            _DECIDES[rule.group] + ("" if rule.accept else "; no recommendation"),
            _PLACE.sub("…", rule.text),
        )
        for rule in RULES
    ]
    head = [_row("code", "fires when", "decides", "sentence"), _row(*["---"] * 4)]
    return "\n".join([*head, *rows])


def _marked(text: str) -> str:
    """A sentence with its options and names as code; what stands in backticks already stays."""
    return _CODE.sub(lambda found: f"`{found[0].strip('`')}`", text)


def _row(*cells: str) -> str:
    safe = (cell.replace("|", "\\|") for cell in cells)
    return f"| {' | '.join(safe)} |"
