"""What an exported series means for the store: its measurement, its kind, and how its values convert."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from signals.catalog import find_measurement, find_signal
from signals.catalog.labels import COLLECTOR_LABELS, collector_label
from signals.catalog.naming import MetricMatch
from signals.errors import InputError, UsageError
from signals.schema import Finding
from signals.store.parsed import Series
from signals.units import Unit, parse_unit

__all__ = ["Meaning", "bound_of", "interpret"]

_NO_SPLIT = frozenset({"__name__", *COLLECTOR_LABELS})
_COUNTS = frozenset({"count", "tokens"})
_RATES = frozenset({"count/s", "req/s", "tokens/s"})
_PLAIN = Unit("", "", 1.0)
# AIBrix's gateway counts latencies by ranges ("50-100ms"), each by itself, in `gateway_ttft_bucket_total` and its kin
_BUCKETS = ("_bucket", "_bucket_total")


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a series is taken for; attributes as the columns of `series`, `low` and `high` as sensible range."""

    name: str
    part: str
    kind: str
    family: str
    unit: Unit
    written: str
    factor: float
    split: str
    priority: int
    alias: bool
    low: float = float("-inf")
    high: float = float("inf")


def interpret(series: Series, found: MetricMatch | None, uri: str) -> tuple[Meaning, list[Finding]]:
    """Say what an exported series is stored as.

    Args:
        series: as exported.
        found: what the catalog says; None if it does not know the metric.
        uri: the file, for errors.

    Returns:
        The meaning, and remarks about units.

    Raises:
        InputError: its unit is not known.
    """
    if found is None or (found.part == "bucket" and "le" not in series.labels):
        remarks = [_boundless(series, found)] if _is_boundless(series) else []
        return _unmapped(series, uri), remarks
    spec = find_measurement(found.measurement)
    signal = find_signal(found.measurement)
    if spec is not None:
        kind, family, unit, bounds = spec.kind, str(spec.family), spec.unit, spec.valid_range
    elif signal is not None:
        kind, family, unit, bounds = "gauge", "other", signal.unit, signal.valid_range
    else:
        return _unmapped(series, uri), []
    written = series.unit or found.unit
    stored = _unit(written, uri)
    if not _fits(stored.base, unit):
        return _unmapped(series, uri), [_wrong_unit(series, written, unit)]
    relative = stored.base == "rel"
    remarks = [_old_name(series, found.measurement)] if found.alias and not found.late else []
    collector = collector_label(series.labels)
    if collector:
        remarks.append(_collected(collector))
    if kind == "histogram" and found.part != "bucket":
        kind = "counter"
    low, high = (None, None) if relative else bounds if kind == "gauge" else (0.0, None)
    return (
        Meaning(
            name=found.measurement,
            part="signal" if found.exported else found.part,
            kind=kind,
            family=family,
            unit=Unit("", "rel" if relative else unit, 1.0),
            written=written,
            factor=1.0 if found.part == "count" else stored.factor,
            split=_split(found.parts),
            priority=found.priority,
            alias=found.alias,
            low=float("-inf") if low is None else low,
            high=float("inf") if high is None else high,
        ),
        remarks,
    )


def _unmapped(series: Series, uri: str) -> Meaning:
    stored = _unit(series.unit, uri) if series.unit else _PLAIN
    rest = {name: value for name, value in series.labels.items() if name not in _NO_SPLIT}
    return Meaning(
        name=series.metric,
        part="unmapped",
        kind="counter" if series.kind == "counter" else "gauge",
        # what the driver has no value for is written the same way whether or not a metric is known
        family="gpu" if series.metric.lower().startswith("dcgm_") else "other",
        unit=stored,
        written=series.unit,
        factor=stored.factor,
        split=_split(sorted(rest.items())),
        priority=10,
        alias=False,
    )


def _split(pairs: Iterable[tuple[str, str]]) -> str:
    return ",".join(f"{name}={value}" for name, value in pairs)


def _unit(text: str, uri: str) -> Unit:
    try:
        return parse_unit(text, where=uri)
    except UsageError as error:
        raise InputError(
            error.what, where=error.where, expected=error.expected, hint=error.hint
        ) from error


def _fits(base: str, wanted: str) -> bool:
    return (
        base in {wanted, "rel"}
        or {base, wanted} <= _COUNTS
        or {base, wanted} <= _RATES
        or (base == "count" and wanted == "ratio")
    )


def bound_of(series: Series, meaning: Meaning, uri: str) -> float:
    """Upper bound of a bucket, in the stored unit.

    Raises:
        InputError: the label `le` is no number.
    """
    text = series.labels["le"]
    try:
        return float(text) * meaning.factor
    except ValueError as error:
        raise InputError(
            f"the bound of a bucket is no number: le='{text}'",
            where=f"{uri}, {series.metric}",
            expected="a number or +Inf",
        ) from error


def _is_boundless(series: Series) -> bool:
    return "le" not in series.labels and series.metric.endswith(_BUCKETS)


def _boundless(series: Series, found: MetricMatch | None) -> Finding:
    return Finding(
        "bucket_without_bound",
        "info" if found is None else "warning",
        f"series of {series.metric} have no label `le`, so nothing tells what their buckets hold",
        subject=series.metric,
        action="kept under their own name; no quantile is made from them",
    )


def _old_name(series: Series, measurement: str) -> Finding:
    return Finding(
        "old_name",
        "info",
        f"{series.metric} is an older name of {measurement}",
        subject=series.metric,
        action="joined with the newer one; what both hold counts once",
    )


def _collected(label: str) -> Finding:
    return Finding(
        "collector_label",
        "info",
        f"series carry the label {label}, which names who collected them",
        subject=label,
        action="no part of what they are: what two collectors hold counts once, holes fill each other",
    )


def _wrong_unit(series: Series, written: str, wanted: str) -> Finding:
    return Finding(
        "unit_mismatch",
        "warning",
        f"{series.metric} is given in {written}, which is no form of {wanted}",
        subject=series.metric,
        action="kept under its own name, not used as a signal",
    )
