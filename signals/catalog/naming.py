"""From an exported metric and its labels to a measurement: names, units, parts, targets, label roles."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from signals.catalog.aibrix import AIBRIX
from signals.catalog.canonical import MEASUREMENTS, SIGNALS
from signals.catalog.dcgm import DCGM
from signals.catalog.dcgmi import DCGMI
from signals.catalog.dynamo import DYNAMO
from signals.catalog.epp import EPP
from signals.catalog.kubernetes import KUBERNETES
from signals.catalog.labels import (
    LABELS,
    TargetKey,
    has_instance,
    parts_of,
    plain_labels,
    rank_of,
    target_of,
)
from signals.catalog.nim import NIM
from signals.catalog.nvidia_smi import NVIDIA_SMI
from signals.catalog.otel import OTEL
from signals.catalog.own import OWN
from signals.catalog.pools import POOLS, detect_pool
from signals.catalog.ray import RAY
from signals.catalog.sglang import SGLANG
from signals.catalog.spec import EngineSpec, MetricRule
from signals.catalog.tgi import TGI
from signals.catalog.triton import TRITON
from signals.catalog.trtllm import TRTLLM
from signals.catalog.vllm import VLLM, VLLM_SERVER
from signals.schema import SERVICE_POOL

__all__ = [
    "ENGINES",
    "LABELS",
    "MetricMatch",
    "Part",
    "TargetKey",
    "is_ignored",
    "match",
    "target_of",
]

Part = Literal["value", "bucket", "sum", "count"]

ENGINES: tuple[EngineSpec, ...] = (
    AIBRIX,
    DCGM,
    DCGMI,
    DYNAMO,
    EPP,
    KUBERNETES,
    NIM,
    NVIDIA_SMI,
    OTEL,
    OWN,
    RAY,
    SGLANG,
    TGI,
    TRITON,
    TRTLLM,
    VLLM,
    VLLM_SERVER,
)
"""Exporters whose names are known, alphabetical; those without a prefix are asked last, `own` first of them."""


@dataclass(frozen=True, slots=True)
class MetricMatch:
    """What an exported series means.

    Series of one target and measurement are combined in this order: equal `parts` are copies of each other
    (the second fills holes of the first); different `parts` of one `priority` add up, rates before the sum;
    among different priorities in one pool the lowest number is used and the others only where it is absent.

    Attributes:
        measurement: canonical measurement, or signal if `exported`.
        exported: True if the export already holds a signal (a rate, a quantile) instead of a measurement.
        unit: unit in which the exporter writes it; a unit named by the file itself comes before it.
        part: the series' role in a histogram, `value` for gauges and counters.
        target: the thing it is about.
        pool: where it belongs; empty if neither the rule nor the labels say.
        pool_rule: what told the pool: a label's name, `metric` for rules with a fixed pool, or empty.
        parts: labels, and their values, that split the target's value.
        outside: True if something beside the pool reports it (gateway, planner): its target is no instance.
        alias: True if the name is an old one, exported beside the new one by some versions.
        late: True if it is the copy of a rank other than 0.
        priority: lower wins; a hundred more for each rank, so the copies of every rank are series of their own.
        engine: name of the exporter.
    """

    measurement: str
    exported: bool
    unit: str
    part: Part
    target: TargetKey
    pool: str
    pool_rule: str
    parts: tuple[tuple[str, str], ...]
    outside: bool
    alias: bool
    late: bool
    priority: int
    engine: str


_KINDS = {spec.name: spec.kind for spec in MEASUREMENTS}
_SIGNAL_ROLES = {spec.name: spec.role for spec in SIGNALS}
_GATEWAY = {spec.name for spec in MEASUREMENTS if spec.family == "gateway"}
_REPLICAS = {spec.name for spec in MEASUREMENTS if spec.family == "replicas"}
# priorities of rules are below it
_RANK_STEP = 100
_WITNESSES = {engine.name: engine.witnesses for engine in ENGINES}

_SUFFIX = re.compile(r"_(bucket|sum|count)$")


def is_ignored(metric: str) -> bool:
    """Whether a series is bookkeeping of the exporter's library: creation times and constant infos."""
    return metric.endswith(("_created", "_info"))


def match(metric: str, labels: Mapping[str, str], kind: str) -> MetricMatch | None:
    """Find out what an exported series means.

    Args:
        metric: the exported name, with whatever prefix and suffix it came.
        labels: all labels but the name.
        kind: `counter`, `gauge` or `histogram` if the format says so, else empty.

    Returns:
        The meaning, or None if the catalog has no rule for it.
    """
    # labels of unknown names, of which a store may hold most, are not worth keeping
    return _match(metric, frozenset(labels.items()), kind) if _candidates(metric) else None


# a reader asks to know whether a name means something, the store to know what
@lru_cache(maxsize=65536)
def _match(metric: str, known: frozenset[tuple[str, str]], kind: str) -> MetricMatch | None:
    labels = plain_labels(dict(sorted(known)))
    for engine, part, rule in _candidates(metric):
        if not _applies(rule, part, labels, kind):
            continue
        if not _is_witnessed(engine, labels):
            continue
        return _describe(metric, labels, engine, rule, "value" if rule.take else part)
    return None


@lru_cache(maxsize=65536)
def _candidates(metric: str) -> tuple[tuple[str, Part, MetricRule], ...]:
    """Rules whose name fits, best reading of the name first."""
    if is_ignored(metric):
        return ()
    lowered = metric.lower().replace(".", "_")
    found: list[tuple[str, Part, MetricRule]] = []
    for engine, prefix, rules in _TABLES:
        head = prefix.match(lowered)
        if head is None:
            continue
        for base, part in _readings(lowered[head.end() :]):
            found.extend((engine, part, rule) for rule in rules.get(base, ()))
    return tuple(found)


def _is_witnessed(engine: str, labels: Mapping[str, str]) -> bool:
    """Whether the labels bear out that a name means what it would mean to this exporter."""
    if engine == KUBERNETES.name:  # a cluster runs more than this service
        return detect_pool(labels)[0] not in {"", SERVICE_POOL}
    witnesses = _WITNESSES.get(engine, ())
    return not witnesses or any(name in labels for name in witnesses)


def _readings(name: str) -> list[tuple[str, Part]]:
    """Ways to take suffixes off: as it is, without `_total`, as a part of a histogram."""
    readings: list[tuple[str, Part]] = [(name, "value"), (name.removesuffix("_total"), "value")]
    suffix = _SUFFIX.search(name)
    if suffix is not None:
        part: Part = suffix.group(1)  # type: ignore[assignment]
        readings.append((name[: suffix.start()], part))
    return readings if readings[0] != readings[1] else readings[1:]


def _applies(rule: MetricRule, part: Part, labels: Mapping[str, str], kind: str) -> bool:
    if any(labels.get(name) not in values for name, values in rule.select):
        return False
    wanted = _KINDS.get(rule.measurement)
    if rule.take:
        return part == rule.take
    if wanted == "histogram":
        return part != "value" or "le" in labels
    return part == "value" and kind != "histogram"


def _describe(
    metric: str, labels: Mapping[str, str], engine: str, rule: MetricRule, part: Part
) -> MetricMatch:
    if part == "value" and _KINDS.get(rule.measurement) == "histogram":
        part = "bucket"  # the long form writes buckets as the measurement with a label `le`
    pool, pool_rule = _pool_of(labels, engine, rule)
    outside = (
        bool(rule.pool)
        or pool == "service"
        or rule.measurement in _REPLICAS
        or "worker_type" in labels
    )
    rank = rank_of(labels)
    return MetricMatch(
        measurement=rule.measurement,
        exported=rule.measurement not in _KINDS,
        unit=rule.unit,
        part=part,
        target=target_of(labels, pool if outside else ""),
        pool=pool,
        pool_rule=pool_rule,
        parts=parts_of(metric, labels, rule),
        outside=outside,
        alias=rule.alias or rank > 0,
        late=rank > 0,
        priority=rule.priority + _RANK_STEP * rank,
        engine=engine,
    )


def _pool_of(labels: Mapping[str, str], engine: str, rule: MetricRule) -> tuple[str, str]:
    if rule.pool:
        return rule.pool, "metric"
    named = labels.get("pool", "")
    if engine == "own" and named in POOLS:
        return named, "pool"
    pool, told = detect_pool(labels)
    if pool or engine != "own" or has_instance(labels):
        return pool, told
    return ("service", "metric") if _is_service_wide(rule.measurement) else ("", "")


def _is_service_wide(measurement: str) -> bool:
    return (
        measurement in _GATEWAY
        or _SIGNAL_ROLES.get(measurement) == "load"
        or measurement.startswith("e2e")
    )


def _table(engine: EngineSpec) -> tuple[str, re.Pattern[str], dict[str, list[MetricRule]]]:
    rules: dict[str, list[MetricRule]] = {}
    for rule in engine.rules:
        rules.setdefault(rule.metric, []).append(rule)
    return engine.name, re.compile("|".join(engine.prefixes)), rules


_TABLES = tuple(
    _table(engine)
    for engine in sorted(ENGINES, key=lambda engine: ("" in engine.prefixes, engine.name != "own"))
)
