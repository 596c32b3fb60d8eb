"""What a catalog row declares: measurements (stored) and signals (computed from them)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from signals.schema import Scope

__all__ = [
    "Direction",
    "EngineSpec",
    "Family",
    "How",
    "Kind",
    "MeasurementSpec",
    "MetricRule",
    "SignalSpec",
]

Kind = Literal["gauge", "counter", "histogram"]
Direction = Literal["rises", "falls", "either"]
Family = Literal["engine", "gpu", "gateway", "replicas"]
How = Literal[
    "rate_sum",
    "gauge_mean",
    "gauge_ratio",
    "gauge_sum",
    "hist_mean",
    "hist_quantile",
    "hist_sum_rate",
    "rate_ratio",
    "request_log",
]
"""How a signal of a pool comes from its measurements.

rate_sum: per-series rate, then the sum. gauge_mean, gauge_sum: over the pool's instances.
gauge_ratio: sum of the first need over that of the second.
hist_mean: increase of sum over increase of count. hist_quantile: from merged bucket increases.
hist_sum_rate: rate of the histogram's sum. rate_ratio: rate of the first need over that of the second.
request_log: from the arrivals of the request table.
"""


@dataclass(frozen=True, slots=True)
class MeasurementSpec:
    """Something that is stored.

    Attributes:
        name: canonical name; counters end in `_total`.
        title: for people.
        kind: gauge, counter or histogram.
        unit: base unit of the stored values.
        family: the table whose columns share one scrape.
        valid_range: closed range outside of which a value is a finding; None for an open end.
    """

    name: str
    title: str
    kind: Kind
    unit: str
    family: Family
    valid_range: tuple[float | None, float | None] = (0.0, None)


@dataclass(frozen=True, slots=True)
class SignalSpec:
    """Something that is computed per pool on a grid.

    Attributes:
        name: canonical name.
        title: for people.
        unit: base unit.
        how: the computation.
        needs: measurements it is computed from; alternatives are tried in the order of `catalog.SIGNALS`.
        scope: `total` or `average`.
        direction: whether it rises or falls with load, or depends.
        role: `candidate` (may drive scaling), `load` (offered work), `served` (completed work) or
            `capacity` (instance counts).
        measures: what it says about the fleet, one sentence.
        moves: when it moves, and what that does to its lag; empty if plain.
        quantile: for `hist_quantile`, 0..1.
        valid_range: closed range of sensible values.
    """

    name: str
    title: str
    unit: str
    how: How
    needs: tuple[str, ...]
    scope: Scope
    direction: Direction
    role: Literal["candidate", "load", "served", "capacity"]
    measures: str
    moves: str = ""
    quantile: float | None = None
    valid_range: tuple[float | None, float | None] = (0.0, None)


@dataclass(frozen=True, slots=True)
class MetricRule:
    """How one exported metric becomes a measurement.

    Attributes:
        metric: the exporter's name without its prefix family (`generation_tokens`), lower case, with
            `_` for dots, without `_total`, `_bucket`, `_sum` and `_count`; matching is exact on the
            normalised name.
        measurement: canonical measurement.
        unit: unit in which the exporter writes it.
        select: label values that must hold for the row to apply, for example `(("source",
            ("local_compute",)),)`.
        summed: labels that split one target's value into parts to be added.
        pool: pool that the series belongs to whatever its labels say; empty to detect it.
        alias: True for an old name that some versions export beside the new one. With the new name's priority
            the two are one series, and what both hold counts once.
        priority: which of several exports of one measurement of one pool counts; the lowest number wins.
            0-9 gateways (closest to the client), 10-19 engines, 20 and up secondary sources.
        take: `sum` or `count` to use that part of an exported histogram as a counter.
    """

    metric: str
    measurement: str
    unit: str
    select: tuple[tuple[str, tuple[str, ...]], ...] = ()
    summed: tuple[str, ...] = ()
    pool: str = ""
    alias: bool = False
    priority: int = 10
    take: Literal["", "sum", "count"] = ""


@dataclass(frozen=True, slots=True)
class EngineSpec:
    """An exporter whose metric names are known.

    Attributes:
        name: short name, as in `signals pull --preset`.
        title: for people.
        prefixes: regular expressions for the start of its lower-case metric names; the rest is looked up in
            `rules`.
        rules: what its metrics mean; several rules may share a metric if their `select` differs.
        witnesses: labels of which one must be there for a name to be believed; empty where names say enough.
    """

    name: str
    title: str
    prefixes: tuple[str, ...]
    rules: tuple[MetricRule, ...]
    witnesses: tuple[str, ...] = ()
