"""Columns of `dcgmi dmon`."""

from __future__ import annotations

import pytest

from signals.catalog.naming import match


@pytest.mark.parametrize(
    ("column", "measurement", "unit"),
    [
        ("GPUTL", "gpu_util", "%"),
        ("SMACT", "sm_active", "ratio"),
        ("GRACT", "gr_engine_active", "ratio"),
        ("MCUTL", "mem_copy_util", "%"),
        ("POWER", "power_w", "W"),
        ("SMCLK", "sm_clock_mhz", "MHz"),
        ("TMPTR", "gpu_temp_c", "C"),
    ],
)
def test_short_names_need_a_gpu_beside_them(column, measurement, unit):
    found = match(column, {"gpu": "0"}, "")
    assert found is not None
    assert (found.measurement, found.unit) == (measurement, unit)
    assert match(column, {"pod": "p"}, "") is None
