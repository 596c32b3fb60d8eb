"""Which pool a series belongs to, told from its labels."""

from __future__ import annotations

from collections.abc import Mapping

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
    "dynamo_component",
    "component",
)
_UNIFIED_WORDS = frozenset({"unified", "aggregated", "both", "mixed"})
# the vLLM worker of Dynamo that is not named prefill is the decode worker
_BACKEND_LABEL = ("dynamo_component", "backend")
# some engines always say `unified`, so names of pods are asked before that word is believed
_NAME_LABELS = (
    "exported_pod",
    "pod",
    "pod_name",
    "deployment",
    "statefulset",
    "horizontalpodautoscaler",
    "replica_name",
    "job",
    "instance",
)


def detect_pool(labels: Mapping[str, str]) -> tuple[str, str]:
    """Find a series' pool.

    Args:
        labels: the series' labels.

    Returns:
        The pool and the label that told it, `("decode", "role")`; two empty texts if nothing did.
    """
    unified = ""
    for name in _ROLE_LABELS:
        value = labels.get(name, "").lower()
        pool = _split_pool(value)
        if pool:
            return pool, name
        if value in _UNIFIED_WORDS or _names_both(value):
            unified = unified or name
        if name == "pool" and value == "service":
            return "service", name
    for name in _NAME_LABELS:
        pool = _split_pool(labels.get(name, "").lower())
        if pool:
            return pool, name
    if unified:
        return "unified", unified
    if labels.get(_BACKEND_LABEL[0], "").lower() == _BACKEND_LABEL[1]:
        return "decode", _BACKEND_LABEL[0]
    return "", ""


def _split_pool(value: str) -> str:
    has_prefill, has_decode = "prefill" in value, "decode" in value
    if has_prefill == has_decode:
        return ""
    return "prefill" if has_prefill else "decode"


def _names_both(value: str) -> bool:
    return "prefill" in value and "decode" in value
