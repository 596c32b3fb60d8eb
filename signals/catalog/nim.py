"""Metric names of NVIDIA NIM: vLLM's old ones, without a prefix."""

from __future__ import annotations

from signals.catalog.spec import EngineSpec, MetricRule

__all__ = ["NIM"]

# `prompt_tokens_total` needs no rule: the catalog's own name means the same
_RULES: tuple[MetricRule, ...] = (
    MetricRule("e2e_request_latency_seconds", "e2e", "s"),
    MetricRule("generation_tokens", "decode_tokens_total", "tokens"),
    MetricRule("gpu_cache_usage_perc", "kv_usage", "ratio"),
    MetricRule("num_requests_running", "running", "count"),
    MetricRule("num_requests_waiting", "queue_depth", "count"),
    MetricRule("request_finish", "completions_total", "count", summed=("finished_reason",)),
    MetricRule("time_per_output_token_seconds", "itl", "s"),
    MetricRule("time_to_first_token_seconds", "ttft", "s"),
)

NIM = EngineSpec("nim", "NVIDIA NIM", (r"",), _RULES)
