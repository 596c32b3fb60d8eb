"""Which stored series an exported one is: its target, measurement, unit and pool."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from signals.catalog.naming import MetricMatch, TargetKey, match, target_of
from signals.catalog.pools import POOLS, detect_pool
from signals.schema import Finding
from signals.store.meaning import Meaning, bound_of, interpret
from signals.store.parsed import Series
from signals.store.pools import PoolRule, apply_rules

__all__ = ["FAMILIES", "NewSeries", "NewTarget", "Registry", "Resolved"]

FAMILIES = ("engine", "gateway", "gpu", "replicas")
"""Families with a table of their own, a column for each measurement."""
TargetId = tuple[str, TargetKey]
SeriesId = tuple[int, str, str, str, int]


@dataclass(frozen=True, slots=True)
class NewTarget:
    """A row of `target` and of `target_pool`."""

    target_id: int
    service: str
    key: TargetKey
    outside: bool
    labels: Mapping[str, str]
    pool: str
    rule: str


@dataclass(frozen=True, slots=True)
class NewSeries:
    """A row of `series`; attributes as its columns."""

    series_id: int
    target_id: int
    metric: str
    labels: Mapping[str, str]
    measurement: str
    part: str
    split: str
    kind: str
    family: str
    priority: int
    unit_exported: str
    unit_stored: str
    factor: float
    relative: bool
    sampling: str
    alias_of: str
    stored_in: str


@dataclass(frozen=True, slots=True)
class Resolved:
    """What to do with the samples of an exported series.

    Attributes:
        series_id: where they go.
        target_id: what they are of.
        measurement: column of a family's table, where they have one.
        stored_in: table.
        metric: name for remarks.
        factor: stored value = exported value * factor.
        le: upper bound of the bucket in the stored unit; None if it is no bucket.
        low, high: closed range of sensible stored values; infinite for open ends.
        hardware: True if blanks of GPU drivers must be told from values.
        is_known: False if the catalog does not know it.
        counts: True for counters and parts of histograms: below `low` nothing can be counted.
    """

    series_id: int
    target_id: int
    measurement: str
    stored_in: str
    metric: str
    factor: float
    le: float | None
    low: float
    high: float
    hardware: bool
    is_known: bool
    counts: bool = False


@dataclass(frozen=True, slots=True)
class _Place:
    key: TargetKey
    pool: str
    rule: str
    by_user: bool = False


@dataclass
class Registry:
    """All targets and series of a store, those of the running load included.

    Attributes:
        rules: the user's pool rules.
        targets: target number by service and key.
        series: series number by target, name, part, split and priority.
        units: unit of the stored values by series number.
        places: table by series number.
        columns: targets and measurements that have a column in the table of their family.
        new_targets, new_series: rows that are not stored yet.
        moved: pool and rule of known targets that the user's rules place.
    """

    rules: tuple[PoolRule, ...] = ()
    targets: dict[TargetId, int] = field(default_factory=dict)
    series: dict[SeriesId, int] = field(default_factory=dict)
    units: dict[int, str] = field(default_factory=dict)
    places: dict[int, str] = field(default_factory=dict)
    columns: set[tuple[int, str]] = field(default_factory=set)
    new_targets: list[NewTarget] = field(default_factory=list)
    new_series: list[NewSeries] = field(default_factory=list)
    moved: dict[int, tuple[str, str]] = field(default_factory=dict)
    _last_target: int = 0
    _last_series: int = 0
    _stored_targets: int = 0

    def start_after(self, last_target: int, last_series: int) -> None:
        """Number new rows after those of the store."""
        self._last_target = self._stored_targets = last_target
        self._last_series = last_series

    def resolve(self, service: str, series: Series, uri: str) -> tuple[Resolved, list[Finding]]:
        """Number an exported series and say how its values become stored ones.

        Args:
            service: the service that its rows go to.
            series: the series as exported.
            uri: the file, for errors.

        Raises:
            InputError: a bucket's bound is no number, or a unit is not known.
        """
        found = match(series.metric, series.labels, series.kind)
        meaning, findings = interpret(series, found, uri)
        target_id = self._target(service, series, found)
        key = (target_id, meaning.name, meaning.part, meaning.split, meaning.priority)
        series_id = self.series.get(key)
        if series_id is None:
            self._last_series += 1
            series_id = self.series[key] = self._last_series
            self.units[series_id] = meaning.unit.base
            stored_in = self.places[series_id] = self._table(target_id, meaning)
            self.new_series.append(_row(series_id, target_id, series, meaning, stored_in))
        elif self.units[series_id] != meaning.unit.base:
            findings.append(_other_unit(series, self.units[series_id], meaning.unit.base))
        le = bound_of(series, meaning, uri) if meaning.part == "bucket" else None
        resolved = Resolved(
            series_id=series_id,
            target_id=target_id,
            measurement=meaning.name,
            stored_in=self.places[series_id],
            metric=series.metric,
            factor=1.0 if meaning.part == "bucket" else meaning.factor,
            le=le,
            low=meaning.low,
            high=meaning.high,
            hardware=meaning.family == "gpu",
            is_known=meaning.part != "unmapped",
            counts=meaning.kind != "gauge",
        )
        return resolved, findings

    def forget_new(self) -> None:
        """Drop the rows that were stored."""
        self.new_targets.clear()
        self.new_series.clear()
        self.moved.clear()

    def know_series(self, row: Mapping[str, Any]) -> None:
        """Take over a row of `known_series`."""
        series_id, target_id, name = row["series_id"], row["target_id"], row["name"]
        self.series[target_id, name, row["part"], row["split"], row["priority"]] = series_id
        self.units[series_id] = row["unit_stored"]
        self.places[series_id] = row["stored_in"]
        if row["stored_in"] not in {"histogram", "sample_other"}:
            self.columns.add((target_id, name))

    def _table(self, target_id: int, meaning: Meaning) -> str:
        """Where a new series goes: the first of a measurement of a target has the column of its family.

        Others are its parts, such as the ports of a pod or the reasons of an end, or its older names.
        """
        if meaning.part == "bucket":
            return "histogram"
        has_column = meaning.part == "value" and meaning.family in FAMILIES
        if not has_column or (target_id, meaning.name) in self.columns:
            return "sample_other"
        self.columns.add((target_id, meaning.name))
        return f"sample_{meaning.family}"

    def _target(self, service: str, series: Series, found: MetricMatch | None) -> int:
        place = self._place(series, found)
        known = self.targets.get((service, place.key))
        if known is not None:
            if place.by_user and known <= self._stored_targets:
                self.moved[known] = (place.pool, place.rule)
            return known
        self._last_target += 1
        target_id = self.targets[service, place.key] = self._last_target
        speaks_for_pool = place.key.part.startswith("pool=") and not place.key.instance
        self.new_targets.append(
            NewTarget(
                target_id,
                service,
                place.key,
                speaks_for_pool or (found is not None and found.outside),
                series.labels,
                place.pool or "unified",
                place.rule if place.pool else "default",
            )
        )
        return target_id

    def _place(self, series: Series, found: MetricMatch | None) -> _Place:
        """Where a series belongs; a pool in the format's own words is part of the target."""
        key = found.target if found else target_of(series.labels)
        if found is not None and found.pool_rule == "metric":
            return _Place(key, found.pool, "metric")
        pool, rule = apply_rules(self.rules, series.labels)
        if pool:
            return _Place(key, pool, rule, by_user=True)
        own = found is not None and found.engine == "own"
        if series.pool and (own or series.pool in POOLS):
            return _Place(_in_pool(key, series.pool), series.pool, "format")
        pool, label = (found.pool, found.pool_rule) if found else detect_pool(series.labels)
        return _Place(key, pool, f"label {label}")


def _in_pool(key: TargetKey, pool: str) -> TargetKey:
    if "pool=" in key.part:
        return key
    return replace(key, part=f"pool={pool},{key.part}" if key.part else f"pool={pool}")


def _row(
    series_id: int, target_id: int, series: Series, meaning: Meaning, stored_in: str
) -> NewSeries:
    mapped = meaning.part != "unmapped"
    return NewSeries(
        series_id=series_id,
        target_id=target_id,
        metric=series.metric,
        labels=_without_bound(series.labels) if mapped else series.labels,
        measurement=meaning.name if mapped else "",
        part=meaning.part,
        split=meaning.split,
        kind=meaning.kind,
        family=meaning.family,
        priority=meaning.priority,
        unit_exported=meaning.written,
        unit_stored=meaning.unit.base,
        factor=meaning.factor,
        relative=meaning.unit.base == "rel",
        sampling=series.sampling,
        alias_of=meaning.name if meaning.alias else "",
        stored_in=stored_in,
    )


def _without_bound(labels: Mapping[str, str]) -> Mapping[str, str]:
    if "le" not in labels:
        return labels
    return {name: value for name, value in labels.items() if name != "le"}


def _other_unit(series: Series, before: str, now: str) -> Finding:
    return Finding(
        "unit_changed",
        "warning",
        f"{series.metric} was stored in {before or 'no unit'} before and comes in {now or 'none'}",
        subject=series.metric,
        action="values kept as they are",
    )
