"""vLLM's metric names (V1 and the older V0), also as Ray and NIM export them."""

from __future__ import annotations

from signals.catalog.spec import EngineSpec, MetricRule

__all__ = ["VLLM"]

# A decode worker counts transferred prompts too, so only `local_compute` is prefill work.
_RULES: tuple[MetricRule, ...] = (
    MetricRule("e2e_request_latency_seconds", "e2e", "s"),
    MetricRule("generation_tokens", "decode_tokens_total", "tokens"),
    MetricRule("gpu_cache_usage_perc", "kv_usage", "ratio", alias=True, priority=11),
    MetricRule("gpu_prefix_cache_hits", "prefix_hits_total", "tokens", alias=True, priority=11),
    MetricRule(
        "gpu_prefix_cache_queries", "prefix_queries_total", "tokens", alias=True, priority=11
    ),
    MetricRule("inter_token_latency_seconds", "itl", "s"),
    MetricRule("kv_cache_usage_perc", "kv_usage", "ratio"),
    MetricRule("num_preemptions", "preemptions_total", "count"),
    MetricRule("num_requests_running", "running", "count"),
    MetricRule("num_requests_waiting", "queue_depth", "count"),
    MetricRule("prefix_cache_hits", "prefix_hits_total", "tokens"),
    MetricRule("prefix_cache_queries", "prefix_queries_total", "tokens"),
    MetricRule("prompt_tokens", "prompt_tokens_total", "tokens"),
    MetricRule(
        "prompt_tokens_by_source",
        "prefill_tokens_total",
        "tokens",
        select=(("source", ("local_compute",)),),
    ),
    MetricRule("prompt_tokens_cached", "cached_tokens_total", "tokens"),
    MetricRule("request_queue_time_seconds", "queue_wait", "s"),
    MetricRule("request_success", "completions_total", "count", summed=("finished_reason",)),
    MetricRule("request_time_per_output_token_seconds", "tpot", "s"),
    MetricRule("time_per_output_token_seconds", "itl", "s", alias=True, priority=11),
    MetricRule("time_to_first_token_seconds", "ttft", "s"),
)

VLLM = EngineSpec("vllm", "vLLM", (r"(?:ray_)?vllm[:_]",), _RULES)
