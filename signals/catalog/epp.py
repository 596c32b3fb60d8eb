"""Metric names of the inference gateway's endpoint picker (llm-d, Gateway API inference extension)."""

from __future__ import annotations

from signals.catalog.spec import EngineSpec, MetricRule

__all__ = ["EPP"]

# `inference_pool_average_queue_size` and `_running_requests` are means over pods: no sum can be made of
# them without the number of pods at that moment, so they have no rule
_RULES: tuple[MetricRule, ...] = (
    MetricRule(
        "extension_flow_control_queue_size", "queue_depth", "count", pool="service", priority=0
    ),
    MetricRule(
        "model_input_tokens",
        "offered_prompt_tokens_total",
        "tokens",
        pool="service",
        priority=1,
        take="sum",
        alias=True,
    ),
    MetricRule(
        "model_output_tokens",
        "decode_tokens_total",
        "tokens",
        pool="decode",
        priority=21,
        take="sum",
        alias=True,
    ),
    MetricRule("model_request", "requests_total", "count", pool="service", priority=1, alias=True),
    MetricRule(
        "model_request_duration_seconds", "e2e", "s", pool="service", priority=1, alias=True
    ),
    MetricRule(
        "objective_input_tokens",
        "offered_prompt_tokens_total",
        "tokens",
        pool="service",
        priority=0,
        take="sum",
    ),
    # recorded when the answer ends: any engine's own counter is better
    MetricRule(
        "objective_output_tokens",
        "decode_tokens_total",
        "tokens",
        pool="decode",
        priority=20,
        take="sum",
    ),
    MetricRule("objective_request", "requests_total", "count", pool="service", priority=0),
    MetricRule("objective_request_duration_seconds", "e2e", "s", pool="service", priority=0),
    MetricRule("objective_request_tpot_seconds", "tpot", "s", pool="decode", priority=0),
    MetricRule("objective_request_ttft_seconds", "ttft", "s", pool="prefill", priority=0),
    MetricRule("objective_running_requests", "running", "count", pool="service", priority=0),
    MetricRule("pool_average_kv_cache_utilization", "kv_usage", "ratio", priority=20),
    MetricRule("pool_ready_pods", "ready", "count"),
)

EPP = EngineSpec("epp", "inference gateway endpoint picker", (r"inference_",), _RULES)
