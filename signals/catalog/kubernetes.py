"""Replica counts of kube-state-metrics."""

from __future__ import annotations

from signals.catalog.spec import EngineSpec, MetricRule

__all__ = ["KUBERNETES"]

_RULES: tuple[MetricRule, ...] = (
    MetricRule("deployment_spec_replicas", "desired", "count"),
    MetricRule("deployment_status_replicas_ready", "ready", "count"),
    MetricRule("horizontalpodautoscaler_status_desired_replicas", "desired", "count", priority=20),
    MetricRule("statefulset_replicas", "desired", "count"),
    MetricRule("statefulset_status_replicas_ready", "ready", "count"),
)

KUBERNETES = EngineSpec("kubernetes", "kube-state-metrics", (r"kube_",), _RULES)
