"""What is counted while a source is read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from signals.schema import Finding, Severity
from signals.store.parsed import Reject

__all__ = ["SourceTally"]

_KEPT_REJECTS = 1000
_COPIES: dict[str, tuple[Severity, str, str]] = {
    "duplicate": (
        "info",
        "the source says samples twice, with the same time and value",
        "one of each was kept",
    ),
    "conflict": (
        "warning",
        "samples have the time of another one of their series, but a different value",
        "the first was kept",
    ),
    "out_of_order": (
        "info",
        "samples are older than the one before them in the file",
        "sorted by time",
    ),
    "overlap": (
        "info",
        "another source brought the same rows, in this load or before",
        "stored as the other's, not twice",
    ),
}


@dataclass
class SourceTally:
    """Counts of one source.

    Attributes:
        source_id: its number.
        service: service its rows go to.
        uri: path as given.
        rows_read: records seen.
        rows_kept: samples, buckets and requests stored.
        overlapping: rows left out since an earlier source had brought them, or other values of their moments.
        series: numbers of its series.
        first_us, last_us: extent of its samples and arrivals, microseconds since the epoch; None without any.
        rejects: rejected records by reason.
        excerpts: the first of them.
        remarks: findings, equal ones merged.
        blanks: samples without a value (NaN) by the number of their series.
        returns: of exported series that go through some time again, the last time before and the hours.
    """

    source_id: int
    service: str
    uri: str
    rows_read: int = 0
    rows_kept: int = 0
    overlapping: int = 0
    series: set[int] = field(default_factory=set)
    first_us: int | None = None
    last_us: int | None = None
    rejects: Counter[str] = field(default_factory=Counter)
    excerpts: list[Reject] = field(default_factory=list)
    remarks: dict[tuple[str, str], Finding] = field(default_factory=dict)
    blanks: Counter[int] = field(default_factory=Counter)
    returns: list[tuple[int, int]] = field(default_factory=list)

    @property
    def rows_rejected(self) -> int:
        """Records that could not be parsed."""
        return sum(self.rejects.values())

    def remark(self, finding: Finding) -> None:
        """Note a finding; the counts of equal ones add up."""
        key = (finding.code, finding.subject)
        before = self.remarks.get(key)
        self.remarks[key] = (
            finding if before is None else replace(before, count=before.count + finding.count)
        )

    def count(self, code: str, rows: int) -> None:
        """Note copies of samples or requests: `duplicate`, `conflict`, `out_of_order` or `overlap`."""
        if rows:
            severity, text, action = _COPIES[code]
            self.remark(Finding(code, severity, text, rows, action=action))

    def extend(self, first_us: int, last_us: int) -> None:
        """Note when samples or arrivals lie."""
        self.first_us = first_us if self.first_us is None else min(self.first_us, first_us)
        self.last_us = last_us if self.last_us is None else max(self.last_us, last_us)

    def finding_counts(self) -> dict[str, int]:
        """Records concerned by finding code."""
        counts: Counter[str] = Counter()
        for finding in self.remarks.values():
            counts[finding.code] += finding.count
        return dict(sorted(counts.items()))

    def reject(self, rejects: Iterable[Reject]) -> None:
        """Count rejected records and keep the first of them."""
        found = tuple(rejects)
        for reject in found:
            self.rejects[reject.reason] += reject.count
        room = _KEPT_REJECTS - len(self.excerpts)
        self.excerpts.extend(found[:room])
