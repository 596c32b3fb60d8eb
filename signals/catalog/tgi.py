"""Metric names of Hugging Face's Text Generation Inference."""

from __future__ import annotations

from signals.catalog.spec import EngineSpec, MetricRule

__all__ = ["TGI"]

# its token counts are histograms per request, so they move when a request ends; it has no TTFT
_RULES: tuple[MetricRule, ...] = (
    MetricRule("batch_current_size", "running", "count"),
    MetricRule("queue_size", "queue_depth", "count"),
    MetricRule("request_count", "requests_total", "count"),
    MetricRule("request_duration", "e2e", "s"),
    MetricRule("request_generated_tokens", "decode_tokens_total", "tokens", take="sum"),
    MetricRule("request_input_length", "prompt_tokens_total", "tokens", take="sum"),
    MetricRule("request_mean_time_per_token_duration", "tpot", "s"),
    MetricRule("request_queue_duration", "queue_wait", "s"),
    MetricRule("request_success", "completions_total", "count"),
)

TGI = EngineSpec("tgi", "Text Generation Inference", (r"tgi_",), _RULES)
