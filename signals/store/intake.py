"""From a reader's chunks to the tables of a running load."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

import duckdb
import polars as pl

from signals.errors import InputError
from signals.schema import REQUESTS, Finding, check_frame
from signals.store.parsed import Chunk, Reject, Series
from signals.store.registry import Registry, Resolved
from signals.store.sql import execute

__all__ = ["Intake", "SourceTally"]

# blanks of GPU drivers: 2^32-1, the double blank 2^47 and above, the int64 blanks near 2^63
_BLANK = 140_737_488_355_328.0
_BLANK_32 = 4_294_967_295.0
# utilisation beyond this many times its range is a corrupt reading; percent given as ratio would be 100
_ABSURD = 1000.0
_KEPT_REJECTS = 1000
# 1900 and 2500, microseconds since the epoch: calendars end at the years 1 and 9999
_TIMES_US = (-2_208_988_800_000_000, 16_725_225_600_000_000)
SeriesName = tuple[str, frozenset[tuple[str, str]]]


@dataclass
class SourceTally:
    """Counts of one source while it is read.

    Attributes:
        source_id: its number.
        service: service its rows go to.
        uri: path as given.
        rows_read: records seen.
        rejects: rejected records by reason.
        excerpts: the first of them.
        remarks: findings, equal ones merged.
    """

    source_id: int
    service: str
    uri: str
    rows_read: int = 0
    rejects: Counter[str] = field(default_factory=Counter)
    excerpts: list[Reject] = field(default_factory=list)
    remarks: dict[tuple[str, str], Finding] = field(default_factory=dict)

    @property
    def rows_rejected(self) -> int:
        """Records that could not be parsed."""
        return sum(self.rejects.values())

    def remark(self, finding: Finding) -> None:
        """Note a finding; the counts of equal ones add up."""
        key = (finding.code, finding.subject)
        before = self.remarks.get(key)
        if before is None:
            self.remarks[key] = finding
        else:
            self.remarks[key] = Finding(
                before.code,
                before.severity,
                before.text,
                before.count + finding.count,
                before.subject,
                before.action,
            )

    def finding_counts(self) -> dict[str, int]:
        """Records concerned by finding code."""
        counts: Counter[str] = Counter()
        for finding in self.remarks.values():
            counts[finding.code] += finding.count
        return dict(sorted(counts.items()))

    def reject(self, rejects: tuple[Reject, ...]) -> None:
        """Count rejected records and keep the first of them."""
        self.rejects.update(reject.reason for reject in rejects)
        room = _KEPT_REJECTS - len(self.excerpts)
        self.excerpts.extend(rejects[:room])


@dataclass
class Intake:
    """Takes chunks, source by source.

    Attributes:
        connection: of the running load.
        registry: numbers targets and series.
        rows: samples taken so far; the order of reading over all sources.
    """

    connection: duckdb.DuckDBPyConnection
    registry: Registry
    rows: int = 0
    _inputs: dict[SeriesName, tuple[int, Resolved]] = field(default_factory=dict)
    _input_count: int = 0

    def start(self) -> None:
        """Make the tables that hold the load until it is settled."""
        execute(self.connection, "load/create_incoming")

    def open_source(self) -> None:
        """Forget the series of the source before: each source has its own order of reading."""
        self._inputs.clear()

    def take(self, tally: SourceTally, chunk: Chunk) -> None:
        """Take a chunk of a source.

        Raises:
            InputError: a series makes no sense.
            SchemaError: the reader broke its contract.
        """
        tally.rows_read += chunk.rows_read
        tally.reject(chunk.rejects)
        for finding in chunk.findings:
            tally.remark(finding)
        if chunk.samples is not None and not chunk.samples.is_empty():
            self._take_samples(tally, chunk.series, chunk.samples)
        if chunk.requests is not None and not chunk.requests.is_empty():
            self._take_requests(tally, chunk.requests)

    def _take_samples(
        self, tally: SourceTally, series: tuple[Series, ...], samples: pl.DataFrame
    ) -> None:
        known = [self._resolve(tally, one) for one in series]
        meaning = pl.DataFrame(
            {
                "series": pl.Series(range(len(known)), dtype=pl.UInt32),
                "input_id": pl.Series([number for number, _ in known], dtype=pl.Int32),
                "series_id": pl.Series([one.series_id for _, one in known], dtype=pl.Int32),
                "metric": [one.metric for _, one in known],
                "factor": [one.factor for _, one in known],
                "le": pl.Series([one.le for _, one in known], dtype=pl.Float64),
                "low": [one.low for _, one in known],
                "high": [one.high for _, one in known],
                "hardware": [one.hardware for _, one in known],
            }
        )
        frame = samples.join(meaning, on="series", how="inner", maintain_order="left")
        if frame.height != samples.height:
            raise InputError("a reader gave samples without a series", where=tally.uri)
        frame = _without_far_times(tally, frame, "ts")
        frame = _without_blanks(tally, frame)
        frame = frame.with_columns(value=pl.col("value") * pl.col("factor"))
        _note_range(tally, frame)
        first = self.rows
        self.rows += frame.height
        staged = frame.select(
            "input_id",
            "series_id",
            "le",
            seq=pl.int_range(first, self.rows, dtype=pl.Int64),
            ts="ts",
            value="value",
        )
        self._stage("load/stage_samples", staged, {"source_id": tally.source_id})

    def _take_requests(self, tally: SourceTally, requests: pl.DataFrame) -> None:
        requests = _without_far_times(tally, check_frame(requests, REQUESTS), "arrived_at")
        params = {"source_id": tally.source_id, "service": tally.service}
        self._stage("load/stage_requests", requests, params)

    def _resolve(self, tally: SourceTally, series: Series) -> tuple[int, Resolved]:
        name = (series.metric, frozenset(series.labels.items()))
        known = self._inputs.get(name)
        if known is None:
            resolved, findings = self.registry.resolve(tally.service, series, tally.uri)
            for finding in findings:
                tally.remark(finding)
            self._input_count += 1
            known = self._inputs[name] = (self._input_count, resolved)
        return known

    def _stage(self, name: str, frame: pl.DataFrame, params: Mapping[str, object]) -> None:
        self.connection.register("chunk", frame)
        try:
            execute(self.connection, name, params)
        finally:
            self.connection.unregister("chunk")


def _without_far_times(tally: SourceTally, frame: pl.DataFrame, column: str) -> pl.DataFrame:
    """Drop times with which no moment can be computed, and say so."""
    near = frame.filter(pl.col(column).dt.timestamp("us").is_between(*_TIMES_US))
    if near.height < frame.height:
        tally.remark(
            Finding(
                "far_time",
                "warning",
                "times lie before 1900 or after 2500",
                frame.height - near.height,
                action="dropped; check the unit of the times",
            )
        )
    return near


def _without_blanks(tally: SourceTally, frame: pl.DataFrame) -> pl.DataFrame:
    """Drop staleness markers, infinities and the blanks of GPU drivers, and say so."""
    value = pl.col("value")
    stale = value.is_nan()
    absurd = (value * pl.col("factor")).abs() > _ABSURD * pl.col("high")
    blank = value.is_infinite() | (
        pl.col("hardware") & ((value.abs() >= _BLANK) | (value == _BLANK_32) | absurd)
    )
    counts = (
        frame.group_by("metric")
        .agg(stale=stale.sum(), blank=(blank & ~stale).sum())
        .filter((pl.col("stale") > 0) | (pl.col("blank") > 0))
        .sort("metric")
    )
    if counts.is_empty():
        return frame
    for metric, stales, blanks in counts.iter_rows():
        if stales:
            tally.remark(_dropped("not_a_number", "staleness markers or NaN", metric, stales))
        if blanks:
            tally.remark(_dropped("sentinel", "values that stand for 'no value'", metric, blanks))
    return frame.filter(~(stale | blank))


def _dropped(code: str, what: str, metric: str, count: int) -> Finding:
    return Finding(code, "info", f"{what} in {metric}", count, metric, "dropped, left missing")


def _note_range(tally: SourceTally, frame: pl.DataFrame) -> None:
    outside = (
        frame.filter((pl.col("value") < pl.col("low")) | (pl.col("value") > pl.col("high")))
        .group_by("metric")
        .agg(
            count=pl.len().cast(pl.Int64),
            least=pl.col("value").min(),
            most=pl.col("value").max(),
            low=pl.col("low").first(),
            high=pl.col("high").first(),
        )
        .sort("metric")
    )
    for metric, count, least, most, low, high in outside.iter_rows():
        span = f"{low:g} to {high:g}" if math.isfinite(high) else f"{low:g} and above"
        tally.remark(
            Finding(
                "out_of_range",
                "warning",
                f"values of {metric} from {least:g} to {most:g} lie outside of {span}",
                count,
                metric,
                "kept; name the unit with --as or --map if it is another one",
            )
        )
