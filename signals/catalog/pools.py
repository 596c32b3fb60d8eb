"""Which pool a series belongs to, told from its labels."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from signals.catalog.labels import identity, plain_labels

__all__ = ["POOLS", "detect_pool"]

POOLS: tuple[str, ...] = ("prefill", "decode", "unified", "service")
"""Pools that signals are computed for; `service` holds what belongs to no pool, such as arrivals."""

# role-like labels, surest first
_ROLE_LABELS = (
    "pool",
    "role",
    "engine_type",
    "worker_type",
    "pd_role",
    "llm_d_ai_role",
    "model_aibrix_ai_role",
    "role_name",
    "nvidia_com_dynamo_sub_component_type",
    "nvidia_com_dynamo_component_type",
    "dynamo_component",
    "component",
    "app_kubernetes_io_component",
)
# a frontend says with these which workers it speaks of
_SUBJECT_LABELS = frozenset({"pool", "engine_type", "worker_type"})
# kube-state-metrics and OpenTelemetry hand on the labels of pods behind these
_POD_LABEL_PREFIXES = ("", "label_", "k8s_pod_label_", "k8s_pod_labels_")
_UNIFIED_WORDS = frozenset({"unified", "aggregated", "both", "mixed"})
_SHORT_WORDS = {
    "context": "prefill",
    "ctx": "prefill",
    "d": "decode",
    "gen": "decode",
    "generation": "decode",
    "p": "prefill",
}
_OUTSIDE = re.compile(r"frontend|gateway|ingress|endpoint-?picker|planner|pdproxy")
_OUTSIDE_WORDS = frozenset({"epp", "proxy", "router"})
_BETWEEN_WORDS = re.compile(r"[^a-z0-9]+")
# the vLLM worker of Dynamo that is not named prefill is the decode worker
_BACKEND_LABEL = ("dynamo_component", "backend")
_POD_LABELS = ("exported_pod", "pod", "pod_name", "kubernetes_pod_name", "k8s_pod_name")
# Ray names a replica `app#PrefillServer:model#id` and its actor `SERVE_REPLICA::app#PrefillServer:model#id`
_RAY_LABELS = (
    "ReplicaId",
    "replica_id",
    "Deployment",
    "deployment_name",
    "actor",
    "actor_name",
    "ActorName",
)
_WORKLOAD_LABELS = (
    "deployment",
    "kube_deployment",
    "k8s_deployment_name",
    "statefulset",
    "replicaset",
    "horizontalpodautoscaler",
    "hpa",
    "scaledobject",
    "replica_name",
    "replica",
    *_RAY_LABELS,
)
# some engines always say `unified`, so names of pods are asked before that word is believed
_NAME_LABELS = (
    *_POD_LABELS,
    *_WORKLOAD_LABELS,
    "exported_service",
    "service",
    "service_name",
    "exported_job",
    "job",
    "name",
    "exported_instance",
    "instance",
    "hostname",
    "Hostname",
    "node",
    "host",
)


def detect_pool(labels: Mapping[str, str]) -> tuple[str, str]:
    """Find a series' pool.

    Role-like labels come first, then names of pods, workloads, jobs and hosts.

    Args:
        labels: the series' labels.

    Returns:
        The pool and the label that told it, `("decode", "role")`; two empty texts if nothing did.
    """
    return _detect_pool(identity(labels))


# a target has tens of series
@lru_cache(maxsize=16384)
def _detect_pool(known: frozenset[tuple[str, str]]) -> tuple[str, str]:
    plain = plain_labels(dict(sorted(known)))
    roles = _roles(plain)
    pool, told = _by_role(roles)
    if pool:
        return pool, told
    pool, told = _by_name(plain)
    if pool:
        return pool, told
    unified = next((name for name, value in roles if _is_unified(value)), "")
    if unified:
        return "unified", unified
    outside = next((name for name in _outside_names(plain)), "")
    if outside:
        return "service", outside
    if plain.get(_BACKEND_LABEL[0], "").lower() == _BACKEND_LABEL[1]:
        return "decode", _BACKEND_LABEL[0]
    return "", ""


def _roles(labels: Mapping[str, str]) -> list[tuple[str, str]]:
    """Role-like labels that are there, surest first."""
    found = []
    for role in _ROLE_LABELS:
        for prefix in _POD_LABEL_PREFIXES:
            value = labels.get(prefix + role)
            if value:
                found.append((prefix + role, value.lower()))
    return found


def _by_role(roles: list[tuple[str, str]]) -> tuple[str, str]:
    outside = ""
    for name, value in roles:
        pool = _split_pool(value) or _SHORT_WORDS.get(value, "")
        if pool and (not outside or name in _SUBJECT_LABELS):
            return pool, name
        if _is_outside(value) or (name == "pool" and value == "service"):
            outside = outside or name
        if outside == "pool":
            break
    return ("service", outside) if outside else ("", "")


def _by_name(labels: Mapping[str, str]) -> tuple[str, str]:
    skipped = frozenset(_POD_LABELS[1:]) if labels.get(_POD_LABELS[0]) else frozenset()
    for name in _NAME_LABELS:
        pool = "" if name in skipped else _split_pool(labels.get(name, "").lower())
        if pool:
            return pool, name
    return "", ""


def _outside_names(labels: Mapping[str, str]) -> list[str]:
    """Names of pods and workloads that say that requests only pass through."""
    names = (*_POD_LABELS, *_WORKLOAD_LABELS)
    return [name for name in names if _is_outside(labels.get(name, "").lower())]


def _is_outside(value: str) -> bool:
    return bool(_OUTSIDE.search(value)) or not _OUTSIDE_WORDS.isdisjoint(
        _BETWEEN_WORDS.split(value)
    )


def _is_unified(value: str) -> bool:
    return value in _UNIFIED_WORDS or ("prefill" in value and "decode" in value)


def _split_pool(value: str) -> str:
    has_prefill, has_decode = "prefill" in value, "decode" in value
    if has_prefill == has_decode:
        return ""
    return "prefill" if has_prefill else "decode"
