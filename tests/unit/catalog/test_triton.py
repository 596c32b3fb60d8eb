"""Triton's names against a real scrape."""

from __future__ import annotations

from signals.catalog.naming import match
from signals.store.sources.exposition import parse_labels


def test_a_real_scrape(shared):
    path = shared / "data" / "scrapes" / "triton_trtllm_backend_metrics.prom"
    values = {}
    for line in path.read_text().splitlines():
        parsed = parse_labels(line.rpartition(" ")[0]) if not line.startswith("#") else None
        found = match(*parsed, "") if parsed else None
        if found is not None and found.priority == 10:
            values[found.measurement] = float(line.rpartition(" ")[2])
    assert values["queue_depth"] == 1
    assert values["kv_usage"] == 0.4875
    assert "running" in values


def test_utilisation_is_a_ratio_here():
    found = match("nv_gpu_utilization", {"gpu_uuid": "GPU-1"}, "gauge")
    assert found is not None
    assert (found.measurement, found.unit, found.target.gpu_uuid) == ("gpu_util", "ratio", "GPU-1")
