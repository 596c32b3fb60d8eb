"""The data that crosses floors: frame schemas, findings, estimates, panels.

Frames are polars frames whose columns, types and units are declared here; `check_frame` holds callers to
them. Nothing here computes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Literal

import polars as pl

from signals.errors import SchemaError

__all__ = [
    "REQUESTS",
    "SERVICE_POOL",
    "TELEMETRY",
    "TIMESTAMP",
    "Column",
    "Estimate",
    "Finding",
    "FrameSchema",
    "Panel",
    "PanelColumn",
    "Sampling",
    "Scope",
    "Severity",
    "Slo",
    "Span",
    "check_frame",
    "pooled_name",
    "split_pooled_name",
]

Severity = Literal["info", "warning", "error"]
Scope = Literal["total", "average"]
Sampling = Literal["raw", "step_aligned"]

TIMESTAMP = pl.Datetime("us", "UTC")
SERVICE_POOL = "service"
"""The pool name of signals that belong to the whole service, such as arrivals at its gateway."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A remark about the data or the analysis that the user should see; never fatal.

    Attributes:
        code: stable identifier, snake_case.
        severity: `info`, `warning` or `error`.
        text: one sentence with the figures that matter.
        count: how many records, ticks or series it concerns.
        subject: signal, series, target or pool it is about; empty for all.
        action: what was done about it.
    """

    code: str
    severity: Severity
    text: str
    count: int = 1
    subject: str = ""
    action: str = ""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number with its 95 % interval.

    Attributes:
        value: point estimate in the measure's unit; None if it cannot be computed.
        low: lower end; None if there is no interval.
        high: upper end; None if there is no interval.
        determined: False if the data do not settle the value (the value is then only indicative).
        reason: why value or interval are missing or undetermined; empty if neither.
        extra: further figures that belong to the same measure, each with its unit in its name.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    determined: bool = True
    reason: str = ""
    extra: Mapping[str, float | int | str | bool | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Span:
    """A half-open time window [first, last) in UTC."""

    first: datetime
    last: datetime

    @property
    def seconds(self) -> float:
        """Width in seconds."""
        return (self.last - self.first).total_seconds()


@dataclass(frozen=True, slots=True)
class Slo:
    """Latency objectives of one request.

    Attributes:
        ttft_s: time to first token, seconds.
        tpot_s: mean time per output token after the first, seconds.
    """

    ttft_s: float = 1.0
    tpot_s: float = 0.050


@dataclass(frozen=True, slots=True)
class PanelColumn:
    """What one column of a panel holds.

    Attributes:
        name: `pool:signal`, the column's name in the frame.
        pool: `prefill`, `decode`, `unified` or `service`.
        signal: name in the catalog.
        unit: base unit, or `rel` for values relative to their own maximum.
        scope: `total` (sum over instances) or `average` (mean over instances, or a quantile).
        sources: the measurements it was computed from, as `measurement@pool`; equal sources mean that two
            columns carry the same information.
        resolution_s: median spacing of the raw samples, seconds.
        window_s: width of the window that each value aggregates, ending at its tick, seconds.
        sampling: whether raw samples had their true times or were aligned to a query step.
        exported: True if the export already held the signal, False if it was computed from measurements.
    """

    name: str
    pool: str
    signal: str
    unit: str
    scope: Scope
    sources: tuple[str, ...] = ()
    resolution_s: float = 0.0
    window_s: float = 0.0
    sampling: Sampling = "raw"
    exported: bool = False


@dataclass(frozen=True)
class Panel:
    """All signals of one service on one tick grid.

    Attributes:
        service: the service's name.
        tick_s: grid width, seconds.
        frame: `tick` (TIMESTAMP, end of the window, sorted, no gaps) and one Float64 column for each of
            `columns`; missing is null.
        columns: what the columns hold, in the frame's order.
        findings: remarks about how the panel came to be.
    """

    service: str
    tick_s: float
    frame: pl.DataFrame
    columns: tuple[PanelColumn, ...]
    findings: tuple[Finding, ...] = ()

    def column(self, name: str) -> PanelColumn | None:
        """The column's description, or None if the panel does not hold it."""
        return next((c for c in self.columns if c.name == name), None)

    @property
    def span(self) -> Span:
        """From the start of the first tick's window to the last tick."""
        ticks = self.frame["tick"]
        first, last = ticks[0], ticks[-1]
        return Span(first - timedelta(seconds=self.tick_s), last)


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a frame: its type, its unit, whether nulls are allowed, what it holds."""

    name: str
    dtype: pl.DataType | type[pl.DataType]
    unit: str
    text: str
    nullable: bool = True


@dataclass(frozen=True, slots=True)
class FrameSchema:
    """A named list of columns."""

    name: str
    columns: tuple[Column, ...]

    def polars(self) -> dict[str, pl.DataType | type[pl.DataType]]:
        """Column names and types, as polars takes them."""
        return {c.name: c.dtype for c in self.columns}

    def empty(self) -> pl.DataFrame:
        """A frame with these columns and no row."""
        return pl.DataFrame(schema=self.polars())


REQUESTS = FrameSchema(
    "requests",
    (
        Column("arrived_at", TIMESTAMP, "", "when the client sent the request", nullable=False),
        Column("prompt_tokens", pl.Int64, "tokens", "length of the prompt"),
        Column("cached_tokens", pl.Int64, "tokens", "prompt tokens found in the prefix cache"),
        Column("output_tokens", pl.Int64, "tokens", "tokens produced"),
        Column("asked_output_tokens", pl.Int64, "tokens", "tokens the client asked for"),
        Column("ttft_s", pl.Float64, "s", "time to first token"),
        Column("e2e_s", pl.Float64, "s", "time from arrival to last token"),
        Column(
            "status", pl.String, "", "ok, rejected, timeout, cancelled, error or the log's own word"
        ),
        Column("session", pl.String, "", "conversation or client"),
        Column("block_hashes", pl.List(pl.Int64), "", "hashes of the prompt's blocks"),
    ),
)

TELEMETRY = FrameSchema(
    "telemetry",
    (
        Column("ts", TIMESTAMP, "", "when the sample was taken", nullable=False),
        Column(
            "metric", pl.String, "", "measurement or signal, by its catalog name", nullable=False
        ),
        Column("value", pl.Float64, "the measurement's", "the sample", nullable=False),
        Column("pool", pl.String, "", "prefill, decode, unified; empty for the service"),
        Column("instance", pl.String, "", "serving instance; empty for the pool or service"),
        Column("gpu", pl.String, "", "GPU index on the instance; empty if none"),
        Column("le", pl.String, "s", "upper bound of a histogram bucket; empty if none"),
    ),
)


def check_frame(frame: pl.DataFrame, schema: FrameSchema) -> pl.DataFrame:
    """Hold a frame to its schema.

    Args:
        frame: the frame at a public entry.
        schema: what was promised.

    Returns:
        The same frame.

    Raises:
        SchemaError: a column is missing or unexpected, has another type, or holds a forbidden null.
    """
    wanted = schema.polars()
    missing = [name for name in wanted if name not in frame.columns]
    unexpected = [name for name in frame.columns if name not in wanted]
    wrong = [
        f"{name} is {frame.schema[name]}, not {dtype}"
        for name, dtype in wanted.items()
        if name in frame.columns and frame.schema[name] != dtype
    ]
    nulls = [
        c.name
        for c in schema.columns
        if not c.nullable and c.name in frame.columns and frame[c.name].null_count()
    ]
    if not (missing or unexpected or wrong or nulls):
        return frame
    parts = (
        ("missing", missing),
        ("unexpected", unexpected),
        ("wrong type", wrong),
        ("null in", nulls),
    )
    raise SchemaError(
        f"frame does not match the schema '{schema.name}'",
        where="; ".join(f"{label}: {', '.join(names)}" for label, names in parts if names),
        expected=", ".join(wanted),
    )


def pooled_name(pool: str, signal: str) -> str:
    """`pool:signal`, the name of a signal of one pool in panels and texts."""
    return f"{pool}:{signal}"


def split_pooled_name(name: str) -> tuple[str, str]:
    """Pool and signal of `pool:signal`; the pool is empty for a bare signal."""
    pool, _, signal = name.rpartition(":")
    return pool, signal
