"""Metric names of dcgm-exporter."""

from __future__ import annotations

from signals.catalog.spec import EngineSpec, MetricRule

__all__ = ["DCGM"]

_RULES: tuple[MetricRule, ...] = (
    MetricRule("dev_fb_free", "fb_free", "MiB"),
    MetricRule("dev_fb_total", "fb_total", "MiB"),
    MetricRule("dev_fb_used", "fb_used", "MiB"),
    MetricRule("dev_gpu_temp", "gpu_temp_c", "C"),
    MetricRule("dev_gpu_util", "gpu_util", "%"),
    MetricRule("dev_mem_copy_util", "mem_copy_util", "%"),
    MetricRule("dev_power_usage", "power_w", "W"),
    MetricRule("dev_sm_clock", "sm_clock_mhz", "MHz"),
    MetricRule("dev_total_energy_consumption", "energy_j_total", "mJ"),
    MetricRule("prof_dram_active", "dram_active", "ratio"),
    MetricRule("prof_gr_engine_active", "gr_engine_active", "ratio"),
    MetricRule("prof_pipe_tensor_active", "tensor_active", "ratio"),
    MetricRule("prof_sm_active", "sm_active", "ratio"),
    MetricRule("prof_sm_occupancy", "sm_occupancy", "ratio"),
    # names of the 1.x exporter
    MetricRule("fb_free", "fb_free", "MiB", alias=True),
    MetricRule("fb_used", "fb_used", "MiB", alias=True),
    MetricRule("gpu_temp", "gpu_temp_c", "C", alias=True),
    MetricRule("gpu_utilization", "gpu_util", "%", alias=True),
    MetricRule("mem_copy_utilization", "mem_copy_util", "%", alias=True),
    MetricRule("power_usage", "power_w", "W", alias=True),
    MetricRule("sm_clock", "sm_clock_mhz", "MHz", alias=True),
    MetricRule("total_energy_consumption", "energy_j_total", "mJ", alias=True),
)

DCGM = EngineSpec("dcgm", "NVIDIA DCGM exporter", (r"dcgm_fi_", r"dcgm_"), _RULES)
