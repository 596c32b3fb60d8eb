"""TensorRT-LLM's metric names, as `trtllm-serve` and Dynamo's workers export them."""

from __future__ import annotations

from signals.catalog.spec import EngineSpec, MetricRule

__all__ = ["TRTLLM"]

_RULES: tuple[MetricRule, ...] = (
    MetricRule("e2e_request_latency_seconds", "e2e", "s"),
    MetricRule("generation_tokens", "decode_tokens_total", "tokens"),
    MetricRule("kv_cache_utilization", "kv_usage", "ratio"),
    MetricRule("num_requests_running", "running", "count"),
    MetricRule("num_requests_waiting", "queue_depth", "count"),
    MetricRule("prompt_tokens", "prompt_tokens_total", "tokens"),
    MetricRule("request_queue_time_seconds", "queue_wait", "s"),
    MetricRule("request_success", "completions_total", "count", summed=("finished_reason",)),
    MetricRule("time_per_output_token_seconds", "itl", "s"),
    MetricRule("time_to_first_token_seconds", "ttft", "s"),
)

TRTLLM = EngineSpec("trtllm", "TensorRT-LLM", (r"(?:ray_)?trtllm[:_]",), _RULES)
