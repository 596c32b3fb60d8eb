"""What became of a source as a JSON object: the same for files of a load and answers of a pull."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from signals.report.json_values import Json

if TYPE_CHECKING:
    from signals.store.reports import SourceReport

__all__ = ["source_json"]


def source_json(source: SourceReport) -> Json:
    """One of `sources` of `signals load --json` and `signals pull --json`."""
    return {
        "uri": source.uri,
        "format": source.format,
        "service": source.service,
        "rows_read": source.rows_read,
        "rows_kept": source.rows_kept,
        "rows_rejected": source.rows_rejected,
        "rejects": source.rejects,
        "findings": source.findings,
        "series": source.series,
        "first": source.first,
        "last": source.last,
        "already_loaded": source.already_loaded,
        "details": [asdict(finding) for finding in source.details],
    }
