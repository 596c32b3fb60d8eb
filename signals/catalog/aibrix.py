"""Metric names of AIBrix's gateway."""

from __future__ import annotations

from signals.catalog.spec import EngineSpec, MetricRule

__all__ = ["AIBRIX"]

# `gateway_ttft_bucket_total` and its kin are counters per range of latency ("50-100ms"), each by itself and
# without a sum: no histogram of cumulative buckets, so they have no rule. `model_replicas` is 1 for each pod that
# requests can be routed to; every gateway says it of all pods, so what differs in the gateway's label is a copy.
# Token counts come from the answer's usage field, so they move when a request ends.
_RULES: tuple[MetricRule, ...] = (
    MetricRule("decode_outstanding_requests", "running", "count", pool="decode", priority=20),
    MetricRule("e2e_duration_seconds", "e2e", "s", pool="service", priority=0),
    MetricRule("in_flight_requests", "running", "count", pool="service", priority=0),
    MetricRule("input_tokens", "offered_prompt_tokens_total", "tokens", pool="service", priority=2),
    MetricRule("model_replicas", "ready", "count", summed=("__name__",), priority=25),
    MetricRule("output_tokens", "decode_tokens_total", "tokens", pool="decode", priority=20),
    MetricRule("prefill_outstanding_requests", "running", "count", pool="prefill", priority=20),
    MetricRule("request", "requests_total", "count", pool="service", priority=0),
    MetricRule("request_model_success", "completions_total", "count", pool="service", priority=0),
)

AIBRIX = EngineSpec(
    "aibrix",
    "AIBrix gateway",
    (r"(?:aibrix[:_])?gateway_", r"(?:aibrix[:_])?(?=model_replicas$)"),
    _RULES,
)
