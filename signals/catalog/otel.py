"""OpenTelemetry's names for generative AI, dotted or as Prometheus writes them."""

from __future__ import annotations

from signals.catalog.spec import EngineSpec, MetricRule

__all__ = ["OTEL"]

# An engine's own names are the better ones where both are there. The client's counts are taken when its
# answer ends.
_LATENCIES = tuple(
    MetricRule(name + ending, measurement, "s", pool=pool, priority=priority)
    for name, measurement, pool, priority in (
        ("client_operation_duration", "e2e", "service", 1),
        ("server_request_duration", "e2e", "", 19),
        ("server_time_per_output_token", "tpot", "", 19),
        ("server_time_to_first_token", "ttft", "", 19),
    )
    for ending in ("", "_seconds")
)
_RULES: tuple[MetricRule, ...] = (
    *_LATENCIES,
    MetricRule(
        "client_token_usage",
        "offered_prompt_tokens_total",
        "tokens",
        select=(("gen_ai_token_type", ("input",)),),
        pool="service",
        priority=2,
        take="sum",
    ),
    MetricRule(
        "client_token_usage",
        "decode_tokens_total",
        "tokens",
        select=(("gen_ai_token_type", ("output", "completion")),),
        pool="decode",
        priority=20,
        take="sum",
    ),
)

OTEL = EngineSpec("otel", "OpenTelemetry GenAI", (r"gen_ai_",), _RULES)
