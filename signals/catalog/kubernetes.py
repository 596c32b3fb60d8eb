"""Replica counts of kube-state-metrics."""

from __future__ import annotations

from signals.catalog.spec import EngineSpec, MetricRule

__all__ = ["KUBERNETES"]

# what the owner of the pods says comes first, then the autoscaler, then a count of pods
_RULES: tuple[MetricRule, ...] = (
    MetricRule("deployment_spec_replicas", "desired", "count"),
    MetricRule("deployment_status_replicas_available", "ready", "count", priority=11),
    MetricRule("deployment_status_replicas_ready", "ready", "count"),
    MetricRule("horizontalpodautoscaler_status_current_replicas", "ready", "count", priority=40),
    MetricRule("horizontalpodautoscaler_status_desired_replicas", "desired", "count", priority=20),
    MetricRule("hpa_status_current_replicas", "ready", "count", priority=41, alias=True),
    MetricRule("hpa_status_desired_replicas", "desired", "count", priority=21, alias=True),
    MetricRule(
        "pod_status_ready", "ready", "count", select=(("condition", ("true",)),), priority=30
    ),
    MetricRule("replicaset_spec_replicas", "desired", "count", priority=30),
    MetricRule("replicaset_status_ready_replicas", "ready", "count", priority=20),
    MetricRule("statefulset_replicas", "desired", "count"),
    MetricRule("statefulset_status_replicas_ready", "ready", "count"),
)

KUBERNETES = EngineSpec("kubernetes", "kube-state-metrics", (r"kube_",), _RULES)
