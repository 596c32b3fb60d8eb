"""vLLM's metric names (V1 and the older V0), also as Ray and NIM export them."""

from __future__ import annotations

from signals.catalog.spec import EngineSpec, MetricRule

__all__ = ["VLLM", "VLLM_SERVER"]

# A decode worker counts transferred prompts too, so only `local_compute` is prefill work.
# `num_requests_waiting_by_reason` splits what `num_requests_waiting` counts already, so it has no rule.
_RULES: tuple[MetricRule, ...] = (
    MetricRule("avg_generation_throughput_toks_per_s", "decode_tps", "tokens/s", alias=True),
    MetricRule("avg_prompt_throughput_toks_per_s", "prompt_tps", "tokens/s", alias=True),
    MetricRule("e2e_request_latency_seconds", "e2e", "s"),
    MetricRule("generation_tokens", "decode_tokens_total", "tokens"),
    MetricRule("gpu_cache_usage_perc", "kv_usage", "ratio", alias=True),
    MetricRule("gpu_prefix_cache_hit_rate", "prefix_hit_ratio", "ratio", alias=True),
    MetricRule("gpu_prefix_cache_hits", "prefix_hits_total", "tokens", alias=True),
    MetricRule("gpu_prefix_cache_queries", "prefix_queries_total", "tokens", alias=True),
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
    # recorded when a request ends
    MetricRule(
        "request_prefill_kv_computed_tokens",
        "prefill_tokens_total",
        "tokens",
        priority=13,
        take="sum",
    ),
    MetricRule("request_queue_time_seconds", "queue_wait", "s"),
    MetricRule("request_success", "completions_total", "count", summed=("finished_reason",)),
    MetricRule("request_time_per_output_token_seconds", "tpot", "s"),
    MetricRule("time_in_queue_requests", "queue_wait", "s", alias=True),
    MetricRule("time_per_output_token_seconds", "itl", "s", alias=True),
    MetricRule("time_to_first_token_seconds", "ttft", "s"),
)

VLLM = EngineSpec("vllm", "vLLM", (r"(?:ray_)?vllm[:_]",), _RULES)

# its HTTP server's own count, taken when the answer begins or ends; the path tells it from other servers'
VLLM_SERVER = EngineSpec(
    "vllm-server",
    "vLLM's HTTP server",
    (r"",),
    (
        MetricRule(
            "http_requests",
            "requests_total",
            "count",
            select=(("handler", ("/v1/chat/completions", "/v1/completions", "/v1/responses")),),
            summed=("handler", "method", "status"),
            priority=4,
        ),
    ),
)
