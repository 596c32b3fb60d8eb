"""Names of InfluxDB: which part of a point is the metric."""

from __future__ import annotations

import pytest

from signals.store.parsed import NameChoice
from signals.store.sources.influx_names import is_bound, name_series


def named(measurement, field, tags=None, histogram=False, choices=None):
    return name_series(measurement, field, tags or {}, histogram=histogram, choices=choices or {})


@pytest.mark.parametrize(
    ("measurement", "field", "metric", "kind"),
    [
        ("vllm", "num_requests_waiting", "vllm_num_requests_waiting", ""),
        ("prometheus", "vllm:num_requests_waiting", "vllm:num_requests_waiting", ""),
        ("prometheus_remote_write", "up", "up", ""),
        ("vllm:num_requests_waiting", "gauge", "vllm:num_requests_waiting", "gauge"),
        ("vllm:generation_tokens_total", "counter", "vllm:generation_tokens_total", "counter"),
        ("up", "value", "up", ""),
        ("ttft_seconds", "count", "ttft_seconds_count", ""),
    ],
)
def test_the_metric(measurement, field, metric, kind):
    found = named(measurement, field)
    assert (found.metric, found.kind, found.labels) == (metric, kind, {})


def test_buckets_and_quantiles():
    bucket = named("ttft_seconds", "+Inf", histogram=True)
    assert (bucket.metric, bucket.labels, bucket.kind) == (
        "ttft_seconds_bucket",
        {"le": "+Inf"},
        "histogram",
    )
    assert named("ttft_seconds", "sum", histogram=True).kind == "histogram"
    quantile = named("ttft_seconds", "0.99")
    assert (quantile.metric, quantile.labels) == ("ttft_seconds", {"quantile": "0.99"})


@pytest.mark.parametrize(
    ("field", "bound"),
    [("+Inf", True), ("0.005", True), ("2.5e-05", True), ("1", True), ("p99", False), ("", False)],
)
def test_what_is_a_bound(field, bound):
    assert is_bound(field) == bound


def test_tags_that_are_labels_under_another_name():
    gpu = {"uuid": "GPU-a", "index": "0", "name": "H100", "pstate": "P0", "host": "n0"}
    assert named("nvidia_smi", "power_draw", gpu).labels == {
        "UUID": "GPU-a",
        "gpu": "0",
        "modelName": "H100",
        "host": "n0",
    }
    assert named("prometheus", "up", {"url": "http://10.0.0.7:8000/metrics", "a": ""}).labels == {
        "instance": "10.0.0.7:8000"
    }
    kept = {"url": "http://10.0.0.7:8000/metrics", "instance": "x"}
    assert named("prometheus", "up", kept).labels == kept
    assert named("web", "hits", {"url": "/index"}).labels == {"url": "/index"}


def test_the_user_names_fields():
    chosen = {"load": NameChoice("decode:gpu_util", "%")}
    found = named("box", "load", {"host": "a"}, choices=chosen)
    assert (found.metric, found.unit, found.pool) == ("gpu_util", "%", "decode")
    assert (
        named("box", "load", choices={"box_load": NameChoice("gpu_util", "")}).metric == "gpu_util"
    )
