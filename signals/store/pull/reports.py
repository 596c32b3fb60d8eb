"""What became of a pull."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from signals.errors import InputError
from signals.schema import Finding
from signals.store.pull.faults import RefusedError, one_line
from signals.store.pull.selection import Selection
from signals.store.reports import LoadReport, SourceReport

__all__ = ["PullReport", "Pulled"]

_MOST_REFUSED = 10
"""As many refusals of a pull that follows are kept whole."""


@dataclass
class Pulled:
    """What became of one selection.

    Attributes:
        selection: what was asked.
        questions: windows that were answered.
        samples: samples in the answers.
        answer_bytes: bytes that arrived.
        asked_ms: time that was asked, milliseconds.
        stored_ms: time that was in the store already, milliseconds.
    """

    selection: Selection
    questions: int = 0
    samples: int = 0
    answer_bytes: int = 0
    asked_ms: int = 0
    stored_ms: int = 0


@dataclass
class PullReport:
    """What became of a pull.

    Attributes:
        server: its address.
        service: service the rows went to.
        first: begin of the time asked, UTC.
        last: its end, UTC.
        selections: one by one.
        sources: what was loaded, window by window; the rounds of a pull that follows have one for each selection.
        remarks: what the user should know beside what was found in the samples.
        refused: why answers could not be stored.
        repeats: questions that had to be repeated.
        stopped: True if the user ended it before all was there.
    """

    server: str
    service: str
    first: datetime
    last: datetime
    selections: list[Pulled]
    sources: list[SourceReport] = field(default_factory=list)
    remarks: list[Finding] = field(default_factory=list)
    refused: list[InputError] = field(default_factory=list)
    repeats: int = 0
    stopped: bool = False

    @property
    def rows_read(self) -> int:
        """Samples and buckets of the answers."""
        return sum(source.rows_read for source in self.sources)

    @property
    def rows_kept(self) -> int:
        """Of those stored."""
        return sum(source.rows_kept for source in self.sources)

    @property
    def rows_rejected(self) -> int:
        """Of those that could not be parsed."""
        return sum(source.rows_rejected for source in self.sources)

    @property
    def rejects(self) -> Counter[str]:
        """Rejected records by reason."""
        return sum((Counter(source.rejects) for source in self.sources), Counter())

    @property
    def findings(self) -> Counter[str]:
        """Records concerned, by finding code."""
        return sum((Counter(source.findings) for source in self.sources), Counter())

    def add(self, loaded: LoadReport) -> None:
        """Take what a load tells of the answers."""
        self.sources += loaded.sources

    def refuse(self, selection: Selection, error: InputError) -> None:
        """Take down that an answer could not be stored."""
        self.refused.append(error)
        text = f"{error.what} ({error.where})"
        self.remarks.append(
            Finding("window_refused", "error", text, subject=selection.name, action="left out")
        )

    def hear(self, warnings: Sequence[str]) -> None:
        """Take down what a server warned of with an answer that held nothing, so that no load tells it."""
        found = [
            Finding("server_warning", "warning", f"the server said: {one_line(text)}")
            for text in warnings
        ]
        self.remarks += [finding for finding in found if finding not in self.remarks]

    def refusal(self) -> RefusedError:
        """All answers that could not be stored, as one error."""
        first, more = self.refused[0], len(self.refused) - 1
        also = f"; {more} more answer{'s' if more > 1 else ''} not either" if more else ""
        return RefusedError(
            f"{first.what}{also}", where=first.where, expected=first.expected, hint=first.hint
        )

    def merge(self, more: PullReport) -> None:
        """Add a later round of the same selections."""
        known = {one.selection: one for one in self.selections}
        for one in more.selections:
            mine = known[one.selection]
            mine.questions += one.questions
            mine.samples += one.samples
            mine.answer_bytes += one.answer_bytes
            mine.asked_ms += one.asked_ms
        self.last = more.last
        self.sources = _folded([*self.sources, *more.sources])
        self.remarks = _merged([*self.remarks, *more.remarks])
        self.refused = [*self.refused, *more.refused][-_MOST_REFUSED:]
        self.repeats = more.repeats
        self.stopped = more.stopped


def _folded(sources: list[SourceReport]) -> list[SourceReport]:
    """One report for each selection: rounds are without number."""
    whole: dict[str, SourceReport] = {}
    for source in sources:
        place = source.uri.rpartition("/")[0] if not source.uri.endswith("/") else source.uri[:-1]
        one = replace(source, uri=f"{place}/")
        whole[place] = _both(whole[place], one) if place in whole else one
    return list(whole.values())


def _both(one: SourceReport, two: SourceReport) -> SourceReport:
    return replace(
        one,
        rows_read=one.rows_read + two.rows_read,
        rows_kept=one.rows_kept + two.rows_kept,
        rows_rejected=one.rows_rejected + two.rows_rejected,
        rejects=Counter(one.rejects) + Counter(two.rejects),
        findings=Counter(one.findings) + Counter(two.findings),
        series=max(one.series, two.series),
        first=min((at for at in (one.first, two.first) if at), default=None),
        last=max((at for at in (one.last, two.last) if at), default=None),
        already_loaded=one.already_loaded and two.already_loaded,
        details=tuple(_merged([*one.details, *two.details])),
    )


def _merged(findings: list[Finding]) -> list[Finding]:
    """One finding for each code and subject, with the last one's words."""
    merged: dict[tuple[str, str], Finding] = {}
    for finding in findings:
        key = (finding.code, finding.subject)
        before = merged.get(key)
        merged[key] = replace(finding, count=finding.count + (before.count if before else 0))
    return list(merged.values())
