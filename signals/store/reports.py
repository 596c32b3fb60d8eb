"""What the store is asked to load and what it tells about a load."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from signals.schema import Finding
from signals.store.parsed import ReadOptions
from signals.store.tree import Skipped

__all__ = ["ForgetReport", "LoadOptions", "LoadReport", "SourceReport"]


@dataclass(frozen=True)
class LoadOptions:
    """What the user said about a load.

    Attributes:
        read: how to read the files.
        source_format: name of the format; empty to detect it.
        pool_rules: `pool=label:value` or `pool=label:~regex`, first match wins.
        max_reject: share 0..1 of unreadable records above which the load fails.
    """

    read: ReadOptions = field(default_factory=ReadOptions)
    source_format: str = ""
    pool_rules: tuple[str, ...] = ()
    max_reject: float = 0.05


@dataclass(frozen=True)
class SourceReport:
    """What became of one file; a row is a sample, a bucket of a histogram, or a request.

    Attributes:
        uri: path as given.
        format: name of the format.
        service: service its rows went to.
        rows_read: records seen.
        rows_kept: rows stored.
        rows_rejected: records that could not be parsed.
        rejects: rejected records by reason.
        findings: records concerned by finding code.
        series: series in the file.
        first: first sample or arrival, UTC.
        last: last sample or arrival, UTC.
        already_loaded: True if the same content was loaded before with the same options.
        details: the findings themselves, equal ones merged.
    """

    uri: str
    format: str
    service: str
    rows_read: int
    rows_kept: int
    rows_rejected: int
    rejects: Mapping[str, int]
    findings: Mapping[str, int]
    series: int
    first: datetime | None
    last: datetime | None
    already_loaded: bool
    details: tuple[Finding, ...] = ()


@dataclass(frozen=True)
class LoadReport:
    """What became of a load.

    Attributes:
        sources: file by file.
        skipped: what lay in the folders beside them and was not loaded.
    """

    sources: tuple[SourceReport, ...]
    skipped: tuple[Skipped, ...] = ()


@dataclass(frozen=True, slots=True)
class ForgetReport:
    """What was removed.

    Attributes:
        service: the service that was forgotten, or that the source belonged to.
        sources: sources removed.
        samples: samples and histograms removed.
        requests: requests removed.
        reload: sources that are still there and had left rows to the removed ones: those rows are gone until
            these sources are loaded again.
    """

    service: str
    sources: int
    samples: int
    requests: int
    reload: tuple[str, ...] = ()
