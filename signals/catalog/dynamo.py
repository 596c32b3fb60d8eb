"""NVIDIA Dynamo's metric names: frontend, worker components and planner."""

from __future__ import annotations

from signals.catalog.spec import EngineSpec, MetricRule

__all__ = ["DYNAMO"]

# A frontend serves no pool by itself: its output tokens and their pace are the decode pool's work, first
# tokens the prefill pool's, arrivals and waiting requests the service's. It is closest to the client, so
# it wins over the engines' own counts of the same pool.
_GENERATE = (("dynamo_endpoint", ("generate",)),)
_BY_CLASS = ("endpoint", "request_type", "status", "error_type")

_RULES: tuple[MetricRule, ...] = (
    MetricRule(
        "component_gpu_cache_usage_percent", "kv_usage", "ratio", select=_GENERATE, priority=20
    ),
    MetricRule("component_gpu_cache_usage_percent", "kv_usage", "ratio", priority=21),
    # requests a worker has accepted, its own queue included: an engine's batch is the better `running`
    MetricRule("component_inflight_requests", "running", "count", select=_GENERATE, priority=20),
    MetricRule("component_kvstats_gpu_cache_usage_percent", "kv_usage", "ratio", priority=21),
    MetricRule(
        "frontend_cached_tokens",
        "cached_tokens_total",
        "tokens",
        pool="service",
        priority=0,
        take="sum",
    ),
    MetricRule("frontend_inflight_requests", "running", "count", pool="service", priority=0),
    MetricRule(
        "frontend_input_sequence_tokens",
        "offered_prompt_tokens_total",
        "tokens",
        pool="service",
        priority=0,
        take="sum",
    ),
    MetricRule("frontend_inter_token_latency_seconds", "itl", "s", pool="decode", priority=0),
    MetricRule(
        "frontend_output_tokens", "decode_tokens_total", "tokens", pool="decode", priority=0
    ),
    MetricRule("frontend_queued_requests", "queue_depth", "count", pool="service", priority=0),
    MetricRule("frontend_request_duration_seconds", "e2e", "s", pool="service", priority=0),
    # counted when a request ends: the arrival counter only where there is no better one
    MetricRule(
        "frontend_requests",
        "requests_total",
        "count",
        summed=_BY_CLASS,
        pool="service",
        priority=2,
    ),
    MetricRule(
        "frontend_requests_started",
        "requests_total",
        "count",
        summed=_BY_CLASS,
        pool="service",
        priority=0,
    ),
    MetricRule("frontend_time_to_first_token_seconds", "ttft", "s", pool="prefill", priority=0),
    MetricRule("frontend_worker_active_prefill_tokens", "prefill_backlog_tokens", "tokens"),
    MetricRule("planner_num_decode_replicas", "ready", "count", pool="decode"),
    MetricRule("planner_num_prefill_replicas", "ready", "count", pool="prefill"),
    MetricRule("planner_predicted_num_decode_replicas", "desired", "count", pool="decode"),
    MetricRule("planner_predicted_num_prefill_replicas", "desired", "count", pool="prefill"),
)

DYNAMO = EngineSpec("dynamo", "NVIDIA Dynamo", (r"dynamo_",), _RULES)
