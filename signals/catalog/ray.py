"""Metric names of Ray Serve: its proxy, its handles and its autoscaler.

The engines inside it export their own names behind `ray_`; their rules are in the engines' files.
"""

from __future__ import annotations

from signals.catalog.spec import EngineSpec, MetricRule

__all__ = ["RAY"]

# Handles and replicas count per deployment, whose name tells the pool. The engine's own batch and queue are
# closer to the GPU, so these come second.
_RULES: tuple[MetricRule, ...] = (
    # before the bounds of the configuration: a wish, not an order
    MetricRule("autoscaling_desired_replicas", "desired", "count", priority=20),
    MetricRule("autoscaling_target_replicas", "desired", "count"),
    MetricRule("deployment_queued_queries", "queue_depth", "count", priority=20),
    MetricRule("deployment_replica_healthy", "ready", "count"),
    MetricRule("deployment_request_counter", "completions_total", "count", priority=20),
    MetricRule("http_request_latency_ms", "e2e", "ms", pool="service", priority=0),
    MetricRule("num_deployment_requests", "completions_total", "count", priority=21, alias=True),
    # counted when the answer ends
    MetricRule("num_http_requests", "requests_total", "count", pool="service", priority=2),
    MetricRule("num_ongoing_requests_at_replicas", "running", "count", priority=21),
    MetricRule("replica_processing_queries", "running", "count", priority=20),
)

RAY = EngineSpec("ray", "Ray Serve", (r"ray_serve_",), _RULES)
