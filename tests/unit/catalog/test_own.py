"""The project's own names map to themselves."""

from __future__ import annotations

import pytest

from signals.catalog import MEASUREMENTS, SIGNALS
from signals.catalog.naming import match


@pytest.mark.parametrize("spec", MEASUREMENTS, ids=lambda spec: spec.name)
def test_measurements(spec):
    labels = {"pool": "decode", "instance": "a"}
    if spec.kind == "histogram":
        labels["le"] = "1"
    found = match(spec.name, labels, "")
    assert found is not None
    assert (found.measurement, found.unit, found.exported) == (spec.name, spec.unit, False)
    assert (found.pool, found.target.instance) == ("decode", "a")


@pytest.mark.parametrize("spec", SIGNALS, ids=lambda spec: spec.name)
def test_signals(spec):
    found = match(spec.name, {"pool": "prefill"}, "")
    assert found is not None
    assert found.measurement == spec.name
    assert found.unit == spec.unit
    assert found.exported == (spec.name not in {one.name for one in MEASUREMENTS})


@pytest.mark.parametrize(
    ("name", "pool"),
    [
        ("requests_total", "service"),
        ("offered_output_tps", "service"),
        ("e2e_p99", "service"),
        ("gpu_util", ""),
    ],
)
def test_arrivals_without_a_pool_are_the_services(name, pool):
    found = match(name, {}, "")
    assert found is not None
    assert found.pool == pool
