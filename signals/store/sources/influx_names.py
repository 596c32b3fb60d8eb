"""From a measurement, field and tags of InfluxDB to a metric and its labels."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

from signals.store.parsed import NameChoice, Series

__all__ = ["is_bound", "name_series"]

# the agent that scrapes Prometheus targets keeps their names, in fields of one measurement
_SCRAPES = frozenset({"prometheus", "prometheus_remote_write"})
# or it makes the name the measurement, and the type the field
_TYPES: dict[str, Literal["", "counter", "gauge"]] = {
    "counter": "counter",
    "gauge": "gauge",
    "value": "",
}
_BOUND = re.compile(r"^(?:[+-]?Inf|[+-]?\d+(?:\.\d*)?(?:[eE][+-]?\d+)?)$")
_URL = re.compile(r"^https?://([^/]+)")
_GPU = "nvidia_smi"
_GPU_TAGS = {"index": "gpu", "name": "modelName", "uuid": "UUID"}
# a state that comes and goes, so that one GPU would be many series
_GPU_STATES = frozenset({"pstate"})


def is_bound(field: str) -> bool:
    """Whether a field is named by a number: the bound of a bucket, or a quantile."""
    return _BOUND.match(field) is not None


def name_series(
    measurement: str,
    field: str,
    tags: Mapping[str, str],
    *,
    histogram: bool,
    choices: Mapping[str, NameChoice],
) -> Series:
    """The series of a field.

    Args:
        measurement: of the point; empty if it was aggregated away.
        field: of the point.
        tags: of the point; empty values are left out.
        histogram: whether fields that are numbers are bounds of buckets; else they are quantiles.
        choices: what the user calls metrics or fields.

    Returns:
        The series; its metric is `measurement_field`, or one of them alone where that is the name.
    """
    labels = _labels(measurement, tags)
    kind: Literal["", "counter", "gauge", "histogram"] = ""
    if measurement in _SCRAPES or not measurement:
        metric = field
    elif field in _TYPES:
        metric, kind = measurement, _TYPES[field]
    elif is_bound(field) and histogram:
        metric, kind = f"{measurement}_bucket", "histogram"
        labels["le"] = field
    elif is_bound(field):
        metric, kind = measurement, "gauge"
        labels["quantile"] = field
    else:
        metric = f"{measurement}_{field}"
        kind = "histogram" if histogram and field in {"count", "sum"} else ""
    chosen = choices.get(metric) or choices.get(field)
    if chosen is None:
        return Series(metric, labels, kind=kind)
    pool, _, bare = chosen.name.rpartition(":")
    return Series(bare, labels, unit=chosen.unit, pool=pool)


def _labels(measurement: str, tags: Mapping[str, str]) -> dict[str, str]:
    """Tags as Prometheus and its exporters call them, where they say the same."""
    labels = {name: value for name, value in tags.items() if value}
    if measurement == _GPU:
        return {
            _GPU_TAGS.get(name, name): value
            for name, value in labels.items()
            if name not in _GPU_STATES
        }
    address = _URL.match(labels.get("url", ""))
    if address and "instance" not in labels:
        del labels["url"]
        labels["instance"] = address[1]
    return labels
