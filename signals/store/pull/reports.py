"""What became of a pull."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime

from signals.schema import Finding
from signals.store.pull.selection import Selection
from signals.store.reports import LoadReport

__all__ = ["PullReport", "Pulled"]


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
        sources: files that were loaded.
        rows_read: samples and buckets read from them.
        rows_kept: of those stored.
        rows_rejected: records that could not be parsed.
        findings: records concerned, by finding code.
        remarks: what else the user should know.
        repeats: questions that had to be repeated.
        stopped: True if the user ended it before all was there.
    """

    server: str
    service: str
    first: datetime
    last: datetime
    selections: list[Pulled]
    sources: int = 0
    rows_read: int = 0
    rows_kept: int = 0
    rows_rejected: int = 0
    findings: Counter[str] = field(default_factory=Counter)
    remarks: list[Finding] = field(default_factory=list)
    repeats: int = 0
    stopped: bool = False

    def add(self, loaded: LoadReport) -> None:
        """Count what a load took."""
        for source in loaded.sources:
            self.sources += 1
            self.rows_read += source.rows_read
            self.rows_kept += source.rows_kept
            self.rows_rejected += source.rows_rejected
            self.findings.update(source.findings)

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
        self.sources += more.sources
        self.rows_read += more.rows_read
        self.rows_kept += more.rows_kept
        self.rows_rejected += more.rows_rejected
        self.findings.update(more.findings)
        self.repeats = more.repeats
        self.stopped = more.stopped
