"""What a source reader hands to the loader: the common form of every export format."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Literal

import polars as pl

from signals.schema import Finding, Sampling, Severity

__all__ = ["Chunk", "NameChoice", "ReadOptions", "Reject", "Series", "Source"]


@dataclass(frozen=True, slots=True)
class NameChoice:
    """A name and unit that the user gave with `--as` or `--map`."""

    name: str
    unit: str


@dataclass(frozen=True)
class ReadOptions:
    """What the user said about how to read.

    Attributes:
        service: name for the rows; empty for the file's stem.
        as_name: name and unit of a nameless expression result.
        columns: names and units of columns, by the file's header.
        zone: IANA zone of naive times; empty if they must carry one.
        at: time of scrapes whose text has none.
        start: time zero of relative times (`ts_s`); None for the unix epoch, with a finding.
        interval_s: spacing of samples in formats without any times, seconds.
        seed: of whatever a reader has to draw, such as requests from a log of rates.
        skip_s: seconds to leave out at the head of a log of rates.
        span_s: seconds to draw of a log of rates; None for all.
        share: of the requests of a log of rates to keep, 0..1; each is kept by itself.
    """

    service: str = ""
    as_name: NameChoice | None = None
    columns: Mapping[str, NameChoice] = field(default_factory=dict)
    zone: str = ""
    at: datetime | None = None
    start: datetime | None = None
    interval_s: float | None = None
    seed: int = 0
    skip_s: float = 0.0
    span_s: float | None = None
    share: float = 1.0


@dataclass(frozen=True, slots=True)
class Series:
    """One exported series.

    Attributes:
        metric: name as exported; for the project's own forms the canonical measurement or signal.
        labels: all labels but the name; `le` for a histogram bucket.
        kind: type if the format says so (`counter`, `gauge`, `histogram`), else empty.
        unit: unit if the format or the user says so, else empty (the catalog then knows it by name).
        pool: pool if the format says so (wide headers), else empty.
        sampling: `step_aligned` for results of range queries.
    """

    metric: str
    labels: Mapping[str, str]
    kind: Literal["", "counter", "gauge", "histogram"] = ""
    unit: str = ""
    pool: str = ""
    sampling: Sampling = "raw"


@dataclass(frozen=True, slots=True)
class Reject:
    """A record that could not be parsed.

    Attributes:
        line: 1-based line, row or element; 0 if the format has none.
        reason: short code, snake_case, such as `bad_number`.
        excerpt: at most 200 characters of the record.
        count: records that are lost with it, as all samples of a series are with its labels.
    """

    line: int
    reason: str
    excerpt: str
    count: int = 1


@dataclass(frozen=True)
class Chunk:
    """A part of a file, in the common form.

    Attributes:
        series: the chunk's series.
        samples: `series` UInt32 (index into `series`), `ts` TIMESTAMP, `value` Float64 in file order, nothing
            de-duplicated, sorted or converted; NaN kept (staleness), missing cells absent.
        rows: samples side by side, where a table has them so: `series` UInt32 (index into `series` of the row's
            first sample, those of its other columns following), `ts` TIMESTAMP, and Float64 columns in the
            order of their series, null where a cell is missing; otherwise as `samples`.
        requests: REQUESTS rows in file order, or None.
        rows_read: records seen, rejected ones included, each as often as it counts.
        rejects: records that could not be parsed.
        findings: remarks by the reader.
    """

    series: tuple[Series, ...] = ()
    samples: pl.DataFrame | None = None
    rows: pl.DataFrame | None = None
    requests: pl.DataFrame | None = None
    rows_read: int = 0
    rejects: tuple[Reject, ...] = ()
    findings: tuple[Finding, ...] = ()

    def column(self, number: int) -> pl.DataFrame:
        """Samples of one column of `rows`, in the form of `samples`, series after series."""
        if self.rows is None:
            raise ValueError("this chunk has no rows")
        return (
            self.rows.select(
                pl.col("series") + pl.lit(number, pl.UInt32),
                "ts",
                value=self.rows.columns[2 + number],
            )
            .drop_nulls("value")
            .sort("series", maintain_order=True)
        )


@dataclass(frozen=True)
class Source:
    """A file format.

    Attributes:
        name: as in `--format`.
        title: for people.
        suffixes: usual endings, for the documentation.
        detect: how sure (0..1) the head of a file (first 64 KiB, decompressed) and its path make it.
        read: yields chunks; raises InputError for a file that is broken as a whole.
        folder: True if a folder is one input (timed scrapes, one file per metric).
        draws: True if requests are drawn, of which the options can leave some out.
        open_end: how grave it is that the last line of a file has no end: `warning` where all that write the format
            end every line; None if the reader itself says so.
        marks: names of columns, or keys of records, that every file of this format has. Of a file that has some of
            them and is not recognised, the error says which it lacks.
        example: one line that shows the form.
        export: what produces such a file; commands in backticks.
        load: the options of `signals load` that it takes, as on a command line with words for the user's own
            values: `--start TIME [--tz ZONE]`. Those in brackets depend on the file, which `traps` explains.
            Empty if the file says it all.
        traps: what people get wrong with it, and what the reader does about it; a sentence each.
    """

    name: str
    title: str
    suffixes: tuple[str, ...]
    detect: Callable[[bytes, Path], float]
    read: Callable[[Path, ReadOptions], Iterator[Chunk]]
    folder: bool = False
    draws: bool = False
    open_end: Severity | None = "info"
    marks: tuple[str, ...] = ()
    example: str = ""
    export: str = ""
    load: str = ""
    traps: tuple[str, ...] = ()
