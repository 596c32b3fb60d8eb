"""Query names of nvidia-smi, and of the exporters that call it."""

from __future__ import annotations

from signals.catalog.spec import EngineSpec, MetricRule

__all__ = ["NVIDIA_SMI"]

# nvidia-smi writes `utilization.gpu [%]`; exporters write `nvidia_smi_utilization_gpu_ratio` in base units
_RULES: tuple[MetricRule, ...] = (
    MetricRule("clocks_current_sm", "sm_clock_mhz", "MHz"),
    MetricRule("clocks_current_sm_clock_hz", "sm_clock_mhz", "Hz"),
    MetricRule("clocks_sm", "sm_clock_mhz", "MHz"),
    MetricRule("memory_free", "fb_free", "MiB"),
    MetricRule("memory_free_bytes", "fb_free", "B"),
    MetricRule("memory_total", "fb_total", "MiB"),
    MetricRule("memory_total_bytes", "fb_total", "B"),
    MetricRule("memory_used", "fb_used", "MiB"),
    MetricRule("memory_used_bytes", "fb_used", "B"),
    MetricRule("power_draw", "power_w", "W"),
    MetricRule("power_draw_average", "power_w", "W", priority=11),
    MetricRule("power_draw_average_watts", "power_w", "W", priority=11),
    MetricRule("power_draw_instant", "power_w", "W", priority=12),
    MetricRule("power_draw_instant_watts", "power_w", "W", priority=12),
    MetricRule("power_draw_watts", "power_w", "W"),
    MetricRule("temperature_gpu", "gpu_temp_c", "C"),
    MetricRule("utilization_gpu", "gpu_util", "%"),
    MetricRule("utilization_gpu_ratio", "gpu_util", "ratio"),
    MetricRule("utilization_memory", "mem_copy_util", "%"),
    MetricRule("utilization_memory_ratio", "mem_copy_util", "ratio"),
)

NVIDIA_SMI = EngineSpec(
    "nvidia-smi",
    "nvidia-smi",
    (r"nvidia_smi_", r""),
    _RULES,
    witnesses=("gpu", "gpu_index", "gpu_uuid", "index", "uuid", "UUID"),
)
