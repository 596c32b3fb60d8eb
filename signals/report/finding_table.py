"""Findings by code, the gravest first, with what to do about each; and as tables for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from signals.report.grid import chip, note, title
from signals.report.words import count_text
from signals.schema import Finding, Severity

if TYPE_CHECKING:
    from signals.store.reports import SourceReport

__all__ = ["Told", "counted", "findings_tables", "gather_findings", "source_findings"]

_ORDER: Mapping[str, int] = {"error": 0, "warning": 1, "info": 2}
_MOST_INFO = 8
"""As many rows for the record are still told one by one."""
_MOST_SUBJECTS = 2


@dataclass(frozen=True, slots=True)
class Told:
    """All findings of one code.

    Attributes:
        code: of the findings.
        severity: the gravest of them.
        count: records or series they concern together.
        text: what the only one says, or what all of them mean.
        about: whom they are about; the first ones and how many more.
        action: what was done about all of them; empty if that differs.
        advice: what a user may do about them; empty where nothing needs doing.
    """

    code: str
    severity: Severity
    count: int
    text: str
    about: str
    action: str
    advice: str

    @property
    def sentence(self) -> str:
        """What, about whom, and what was done, in one line."""
        named = not self.about or self.about in self.text
        head = self.text if named else f"{self.text}: {self.about}"
        return f"{head} ({self.action})" if self.action else head


def gather_findings(findings: Iterable[Finding]) -> list[Told]:
    """Put findings of one code together, the gravest first.

    Args:
        findings: in any order.
    """
    from signals.store.quality import FINDINGS

    known = {row.code: row for row in FINDINGS}
    groups: dict[str, list[Finding]] = {}
    for finding in findings:
        groups.setdefault(finding.code, []).append(finding)
    told = []
    for code, members in groups.items():
        row = known.get(code)
        gravest = min(members, key=lambda f: _ORDER[f.severity]).severity
        advice = row.advice if row is not None and gravest != "info" else ""
        meaning = row.meaning if row is not None else members[0].text
        actions = {_done(finding.action, advice) for finding in members}
        told.append(
            Told(
                code,
                gravest,
                sum(finding.count for finding in members),
                members[0].text if len(members) == 1 else meaning,
                _about(members),
                actions.pop() if len(actions) == 1 else "",
                advice,
            )
        )
    return sorted(told, key=lambda one: (_ORDER[one.severity], one.code))


def _done(action: str, advice: str) -> str:
    """What was done; what a finding itself says to do next is left out where the advice for its code follows."""
    return action.partition("; ")[0] if advice else action


def counted(counts: Mapping[str, int]) -> list[Finding]:
    """Findings of which only the codes and counts are left, with what the table of codes says of them."""
    from signals.store.quality import FINDINGS

    known = {row.code: row for row in FINDINGS}
    found = []
    for code, count in counts.items():
        row = known.get(code)
        severity: Severity = "info"
        if row is not None and not row.severities.startswith("info"):
            severity = "error" if row.severities.startswith("error") else "warning"
        text = row.meaning if row is not None else code.replace("_", " ")
        found.append(Finding(code, severity, text, count))
    return found


def source_findings(sources: Iterable[SourceReport]) -> list[Finding]:
    """What a load found in its sources; nothing of those that it left as they were."""
    return [
        finding
        for source in sources
        if not source.already_loaded
        for finding in source.details or counted(source.findings)
    ]


def findings_tables(
    findings: Iterable[Finding], *, heading: str = "findings"
) -> list[RenderableType]:
    """Findings by code, a paragraph each; many that are only for the record are told in one line.

    Args:
        findings: in any order.
        heading: over the table.

    Returns:
        Renderables for a console of any width of 60 and more; nothing without a finding.
    """
    told = gather_findings(findings)
    if not told:
        return []
    record = [one for one in told if one.severity == "info"]
    shown = told if len(record) <= _MOST_INFO else [one for one in told if one.severity != "info"]
    parts: list[RenderableType] = [title(heading)]
    if shown:
        # two columns only: sentences need the width
        table = Table.grid(padding=(0, 2, 0, 0))
        table.add_column(no_wrap=True)
        table.add_column(overflow="fold")
        for one in shown:
            table.add_row(chip(one.severity, one.severity), _line(one))
        parts.append(table)
    if len(shown) < len(told):
        parts.append(
            note("info: " + ", ".join(f"{one.code} {count_text(one.count)}" for one in record))
        )
    return parts


def _line(one: Told) -> Text:
    times = f" ×{count_text(one.count)}" if one.count > 1 else ""
    line = Text(one.code, style="bold").append(f"{times}: {one.sentence}", style="not bold")
    return line.append(f"\n→ {one.advice}", style="not bold") if one.advice else line


def _about(members: list[Finding]) -> str:
    subjects = list(dict.fromkeys(f.subject for f in members if f.subject))
    named = ", ".join(subjects[:_MOST_SUBJECTS])
    more = len(subjects) - _MOST_SUBJECTS
    return f"{named} and {more} more" if more > 0 else named
