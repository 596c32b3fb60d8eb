"""SGLang's metric names."""

from __future__ import annotations

from signals.catalog.spec import EngineSpec, MetricRule

__all__ = ["SGLANG"]

# `prompt_tokens_total`, `generation_tokens_total` and `cached_tokens_total` move when a request ends; the
# real-time counter moves with every step and so wins where both are exported.
_RULES: tuple[MetricRule, ...] = (
    MetricRule(
        "cached_tokens", "cached_tokens_total", "tokens", summed=("cache_source",), priority=12
    ),
    MetricRule("cache_hit_rate", "prefix_hit_ratio", "ratio"),
    MetricRule("e2e_request_latency_seconds", "e2e", "s"),
    MetricRule("gen_throughput", "decode_tps", "tokens/s"),
    MetricRule("generation_tokens", "decode_tokens_total", "tokens", priority=12),
    MetricRule("inter_token_latency_seconds", "itl", "s"),
    MetricRule("num_decode_prealloc_queue_reqs", "queue_depth", "count", summed=("__name__",)),
    MetricRule("num_decode_transfer_queue_reqs", "queue_depth", "count", summed=("__name__",)),
    MetricRule("num_prefill_prealloc_queue_reqs", "queue_depth", "count", summed=("__name__",)),
    MetricRule("num_queue_reqs", "queue_depth", "count", summed=("__name__",)),
    MetricRule("num_requests", "completions_total", "count"),
    MetricRule("num_running_reqs", "running", "count"),
    MetricRule("prompt_tokens", "prompt_tokens_total", "tokens"),
    MetricRule("queue_time_seconds", "queue_wait", "s"),
    MetricRule(
        "realtime_tokens",
        "prefill_tokens_total",
        "tokens",
        select=(("mode", ("prefill_compute",)),),
    ),
    MetricRule(
        "realtime_tokens", "cached_tokens_total", "tokens", select=(("mode", ("prefill_cache",)),)
    ),
    MetricRule("realtime_tokens", "decode_tokens_total", "tokens", select=(("mode", ("decode",)),)),
    MetricRule("time_per_output_token_seconds", "itl", "s", alias=True),
    MetricRule("time_to_first_token_seconds", "ttft", "s"),
    MetricRule("token_usage", "kv_usage", "ratio"),
)

SGLANG = EngineSpec("sglang", "SGLang", (r"(?:ray_)?sglang[:_]",), _RULES)
