"""DCGM's names and units."""

from __future__ import annotations

import pytest

from signals.catalog.naming import match


@pytest.mark.parametrize(
    ("metric", "measurement", "unit"),
    [
        ("DCGM_FI_DEV_GPU_UTIL", "gpu_util", "%"),
        ("DCGM_FI_PROF_SM_ACTIVE", "sm_active", "ratio"),
        ("DCGM_FI_PROF_SM_OCCUPANCY", "sm_occupancy", "ratio"),
        ("DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", "tensor_active", "ratio"),
        ("DCGM_FI_PROF_DRAM_ACTIVE", "dram_active", "ratio"),
        ("DCGM_FI_DEV_FB_USED", "fb_used", "MiB"),
        ("DCGM_FI_DEV_POWER_USAGE", "power_w", "W"),
        ("DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", "energy_j_total", "mJ"),
        ("dcgm_gpu_utilization", "gpu_util", "%"),
    ],
)
def test_the_unit_comes_from_the_name(metric, measurement, unit):
    found = match(metric, {"gpu": "0", "UUID": "GPU-1", "pod": "decode-0"}, "")
    assert found is not None
    assert (found.measurement, found.unit, found.pool) == (measurement, unit, "decode")
    assert found.target.gpu_uuid == "GPU-1"
    assert found.parts == ()
