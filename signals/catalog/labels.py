"""What labels say about a series: the thing it is about, and into which parts they split its value."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from signals.catalog.spec import MetricRule

__all__ = [
    "COLLECTOR_LABELS",
    "LABELS",
    "TargetKey",
    "collector_label",
    "has_instance",
    "identity",
    "parts_of",
    "plain_labels",
    "rank_of",
    "target_of",
]

_NAMESPACE_LABELS = (
    "exported_namespace",
    "namespace",
    "kubernetes_namespace",
    "pod_namespace",
    "k8s_namespace_name",
    "kube_namespace",
)
# a process by its own name; `instance` and what follows are addresses and hosts
_PROCESS_LABELS = (
    "exported_pod",
    "pod",
    "pod_name",
    "kubernetes_pod_name",
    "k8s_pod_name",
    "ReplicaId",
)
_ADDRESS_LABELS = ("instance", "worker_id", "service_instance_id", "hostname", "Hostname")
_HOST_LABELS = (
    "hostname",
    "Hostname",
    "node",
    "kubernetes_node",
    "host",
    "host_name",
    "k8s_node_name",
)
_PART_LABELS = ("engine", "dp_rank")
# ranks of one engine export copies of the same numbers: rank 0 speaks for it
_RANK_LABELS = ("tp_rank", "pp_rank", "moe_ep_rank")
# more ranks than engines have; a hundred times their product is a number of 32 bits
_MOST_RANKS = (512, 64, 640)
# names of the collector, never of what is collected
COLLECTOR_LABELS = (
    "__replica__",
    "ha_replica",
    "prometheus",
    "prometheus_replica",
    "receive_replica",
    "rule_replica",
    "thanos_replica",
)
"""Two collectors of one target differ in these only."""
_RAY_LABELS = ("ReplicaId", "SessionName", "WorkerId", "application")
_WORKLOAD_LABELS = ("deployment", "statefulset", "replicaset", "horizontalpodautoscaler", "hpa")
_UUID_LABELS = ("UUID", "gpu_uuid", "uuid")
_INDEX_LABELS = ("gpu", "gpu_index")
# annotations: they say how a sample was collected, not what it counts
_NOTE_LABELS = frozenset(
    {
        "DCGM_FI_DRIVER_VERSION",
        "cluster",
        "component",
        "container",
        "device",
        "dynamo_component",
        "dynamo_namespace",
        "endpoint",
        "engine_type",
        "exported_container",
        "exported_instance",
        "exported_job",
        "job",
        "modelName",
        "pci_bus_id",
        "pool",
        "role",
        "service",
        "worker_type",
    }
)
_GPU_LABELS = frozenset(
    {*_UUID_LABELS, *_INDEX_LABELS, "GPU_I_ID", "GPU_I_PROFILE", "driver_version", "gpu_name"}
)
LABELS = frozenset(
    {
        *_NAMESPACE_LABELS,
        *_PROCESS_LABELS,
        *_ADDRESS_LABELS,
        *_HOST_LABELS,
        *_PART_LABELS,
        *_RANK_LABELS,
        *COLLECTOR_LABELS,
        *_NOTE_LABELS,
        *_GPU_LABELS,
        "le",
        "model_name",
        "replica",
    }
)
"""Labels with a meaning: in a table, columns of these names say what a row is about."""
# they name the target, a copy of it or a remark on it, and never a part of its value
_NO_PARTS = frozenset(
    {
        *_NAMESPACE_LABELS,
        *_HOST_LABELS,
        *_PART_LABELS,
        *_RANK_LABELS,
        *COLLECTOR_LABELS,
        *_NOTE_LABELS,
        *_GPU_LABELS,
        *_PROCESS_LABELS,
        *_ADDRESS_LABELS,
        "le",
        "replica",
    }
) - {"instance", "worker_id"}
_LONG_NUMBER = re.compile(r"[0-9]{17,20}")
_RANK = re.compile(r"[0-9]{1,9}")
_ODD = re.compile(r"[^A-Za-z0-9_:]")


@dataclass(frozen=True, slots=True)
class TargetKey:
    """The thing a series is about: one row of the store's `target` table, '' where unknown.

    Attributes:
        namespace: Kubernetes namespace.
        instance: pod, else the scraped address or host.
        part: engine or rank inside it (`engine=1`), or the pool that a gateway's series speaks for
            (`pool=decode`), so that one target belongs to one pool.
        gpu_uuid: GPU identity.
        mig: MIG slice.
        host: node.
        gpu_index: GPU number on the node or instance.
    """

    namespace: str = ""
    instance: str = ""
    part: str = ""
    gpu_uuid: str = ""
    mig: str = ""
    host: str = ""
    gpu_index: str = ""


def plain_labels(labels: Mapping[str, str]) -> Mapping[str, str]:
    """Labels under the names that Prometheus would give them: `k8s.pod.name` as `k8s_pod_name`.

    A name that is taken already stays as it is, so no two labels become one.
    """
    if not any(_is_odd(name) for name in labels):
        return labels
    plain: dict[str, str] = {}
    for name, value in labels.items():
        short = _ODD.sub("_", name)
        plain[name if short != name and (short in labels or short in plain) else short] = value
    return plain


@lru_cache(maxsize=4096)
def _is_odd(name: str) -> bool:
    return _ODD.search(name) is not None


def identity(labels: Mapping[str, str]) -> frozenset[tuple[str, str]]:
    """What the series of one thing have in common: all labels but the bound of a bucket."""
    return frozenset(pair for pair in labels.items() if pair[0] != "le")


def target_of(labels: Mapping[str, str], speaks_for: str = "") -> TargetKey:
    """The thing that a series with these labels is about, whether or not its metric is known.

    Args:
        labels: all labels but the name.
        speaks_for: pool that something beside it reports about; empty if it reports about itself.
    """
    return _target_of(identity(labels), speaks_for)


# a target has tens of series
@lru_cache(maxsize=16384)
def _target_of(known: frozenset[tuple[str, str]], speaks_for: str) -> TargetKey:
    labels = plain_labels(dict(sorted(known)))
    names = [*_PART_LABELS, *(("worker_id",) if "worker_type" in labels else ())]
    inside = [f"{name}={_number(labels[name])}" for name in names if labels.get(name)]
    if speaks_for:
        inside.insert(0, f"pool={speaks_for}")
    return TargetKey(
        namespace=_first(labels, _NAMESPACE_LABELS),
        instance=_instance(labels),
        part=",".join(inside),
        gpu_uuid=_uuid(labels),
        mig=labels.get("GPU_I_ID", ""),
        host=_first(labels, _HOST_LABELS),
        gpu_index=_first(labels, _INDEX_LABELS),
    )


def has_instance(labels: Mapping[str, str]) -> bool:
    """Whether labels name a serving instance."""
    return bool(_instance(plain_labels(labels)))


def collector_label(labels: Mapping[str, str]) -> str:
    """The label that names one of several collectors of the same target; empty if there is none."""
    for name in COLLECTOR_LABELS:
        if name != "prometheus" and labels.get(name):
            return name
    return "replica" if labels.get("replica") and not _names_serving_replica(labels) else ""


def rank_of(labels: Mapping[str, str]) -> int:
    """One number for the rank of tensor, pipeline and expert parallelism that exports a series.

    Returns:
        0 for rank 0 and for series without a rank; a number of its own for every other rank, whose series are
        copies of the engine's numbers.
    """
    number, weight = 0, 1
    for name, most in zip(_RANK_LABELS, _MOST_RANKS, strict=True):
        number += weight * _rank(labels.get(name, ""), most)
        weight *= most
    return number


def _rank(text: str, most: int) -> int:
    if text in {"", "0"}:
        return 0
    # what is no number is not rank 0 either
    return min(int(text), most - 1) if _RANK.fullmatch(text) else most - 1


def parts_of(
    metric: str, labels: Mapping[str, str], rule: MetricRule
) -> tuple[tuple[str, str], ...]:
    """Labels that split a target's value; whatever is not known to be something else does."""
    if "__name__" in rule.summed:
        return (("__name__", metric),)
    labels = plain_labels(labels)
    selected = {name for name, _ in rule.select}
    if not _first(labels, _PROCESS_LABELS):
        selected.add("instance")
    if "worker_type" in labels:
        selected.add("worker_id")
    return tuple(
        sorted(
            (name, value)
            for name, value in labels.items()
            if name in rule.summed or not (name in _NO_PARTS or name in selected)
        )
    )


def _instance(labels: Mapping[str, str]) -> str:
    serving = labels["replica"] if _names_serving_replica(labels) else ""
    return _first(labels, _PROCESS_LABELS[-1:]) or serving if serving else _address(labels)


def _address(labels: Mapping[str, str]) -> str:
    return _first(labels, (*_PROCESS_LABELS, *_ADDRESS_LABELS))


def _names_serving_replica(labels: Mapping[str, str]) -> bool:
    """Whether the label `replica` names what serves.

    Thanos and others put the name of the collector there; then something else names the pod. Ray Serve puts
    its replica there, of which one pod may hold several.
    """
    if not labels.get("replica"):
        return False
    if any(name in labels for name in _RAY_LABELS):
        return True
    return not _address(labels) and not _first(labels, _WORKLOAD_LABELS)


def _number(text: str) -> str:
    """Identifiers of 64 bits in hexadecimal: Dynamo's frontend writes its workers' in decimal, workers in hex."""
    return f"{int(text):x}" if _LONG_NUMBER.fullmatch(text) else text


def _uuid(labels: Mapping[str, str]) -> str:
    found = _first(labels, _UUID_LABELS[:2])
    other = labels.get("uuid", "")
    return found or (other if other.startswith(("GPU-", "MIG-")) else "")


def _first(labels: Mapping[str, str], names: tuple[str, ...]) -> str:
    return next((labels[name] for name in names if labels.get(name)), "")
