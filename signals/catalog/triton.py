"""Metric names of NVIDIA Triton and its TensorRT-LLM backend."""

from __future__ import annotations

from signals.catalog.spec import EngineSpec, MetricRule

__all__ = ["TRITON"]

_RULES: tuple[MetricRule, ...] = (
    MetricRule("energy_consumption", "energy_j_total", "J"),
    MetricRule("gpu_memory_total_bytes", "fb_total", "B"),
    MetricRule("gpu_memory_used_bytes", "fb_used", "B"),
    MetricRule("gpu_power_usage", "power_w", "W"),
    MetricRule("gpu_utilization", "gpu_util", "ratio"),
    MetricRule("inference_first_response_histogram_ms", "ttft", "ms"),
    MetricRule("inference_pending_request_count", "queue_depth", "count", priority=11),
    MetricRule("inference_request_success", "completions_total", "count"),
    MetricRule(
        "trt_llm_kv_cache_block_metrics",
        "kv_usage",
        "ratio",
        select=(("kv_cache_block_type", ("fraction",)),),
    ),
    MetricRule(
        "trt_llm_request_metrics", "queue_depth", "count", select=(("request_type", ("waiting",)),)
    ),
    MetricRule(
        "trt_llm_request_metrics", "running", "count", select=(("request_type", ("scheduled",)),)
    ),
)

TRITON = EngineSpec("triton", "NVIDIA Triton", (r"nv_",), _RULES)
