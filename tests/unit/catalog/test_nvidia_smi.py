"""Names of nvidia-smi and its exporters."""

from __future__ import annotations

import pytest

from signals.catalog.naming import match


@pytest.mark.parametrize(
    ("metric", "measurement", "unit"),
    [
        ("utilization.gpu", "gpu_util", "%"),
        ("utilization.memory", "mem_copy_util", "%"),
        ("memory.used", "fb_used", "MiB"),
        ("memory.free", "fb_free", "MiB"),
        ("memory.total", "fb_total", "MiB"),
        ("power.draw", "power_w", "W"),
        ("temperature.gpu", "gpu_temp_c", "C"),
        ("clocks.current.sm", "sm_clock_mhz", "MHz"),
        ("nvidia_smi_utilization_gpu_ratio", "gpu_util", "ratio"),
        ("nvidia_smi_memory_used_bytes", "fb_used", "B"),
        ("nvidia_smi_clocks_current_sm_clock_hz", "sm_clock_mhz", "Hz"),
    ],
)
def test_the_unit_comes_from_the_name(metric, measurement, unit):
    found = match(metric, {"uuid": "GPU-1"}, "")
    assert found is not None
    assert (found.measurement, found.unit) == (measurement, unit)


def test_a_hosts_memory_is_no_gpus():
    assert match("memory.used", {"host": "n0"}, "") is None
