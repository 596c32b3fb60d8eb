"""Column names of `dcgmi dmon`, DCGM's command line."""

from __future__ import annotations

from signals.catalog.spec import EngineSpec, MetricRule

__all__ = ["DCGMI"]

_RULES: tuple[MetricRule, ...] = (
    MetricRule("drama", "dram_active", "ratio"),
    MetricRule("fbfre", "fb_free", "MiB"),
    MetricRule("fbusd", "fb_used", "MiB"),
    MetricRule("gputl", "gpu_util", "%"),
    MetricRule("gract", "gr_engine_active", "ratio"),
    MetricRule("mcutl", "mem_copy_util", "%"),
    MetricRule("power", "power_w", "W"),
    MetricRule("smact", "sm_active", "ratio"),
    MetricRule("smclk", "sm_clock_mhz", "MHz"),
    MetricRule("smocc", "sm_occupancy", "ratio"),
    MetricRule("tenso", "tensor_active", "ratio"),
    MetricRule("tmptr", "gpu_temp_c", "C"),
    MetricRule("totec", "energy_j_total", "mJ"),
)

DCGMI = EngineSpec(
    "dcgmi",
    "dcgmi dmon",
    (r"dcgmi_", r""),
    _RULES,
    witnesses=("gpu", "gpu_index", "gpu_uuid", "UUID"),
)
