"""Ray Serve's names."""

from __future__ import annotations

import pytest

from signals.catalog.naming import match


@pytest.mark.parametrize(
    ("metric", "measurement"),
    [
        ("ray_serve_autoscaling_target_replicas", "desired"),
        ("ray_serve_deployment_queued_queries", "queue_depth"),
        ("ray_serve_deployment_replica_healthy", "ready"),
        ("ray_serve_deployment_request_counter_total", "completions_total"),
        ("ray_serve_replica_processing_queries", "running"),
    ],
)
def test_a_deployments_name_tells_its_pool(metric, measurement):
    labels = {
        "application": "llm",
        "deployment": "PrefillServer:llama",
        "instance": "10.0.0.1:8080",
    }
    found = match(metric, labels, "")
    assert found is not None
    assert (found.measurement, found.pool, found.pool_rule) == (
        measurement,
        "prefill",
        "deployment",
    )


def test_the_bounded_wish_comes_before_the_raw_one():
    found = [
        match(f"ray_serve_autoscaling_{name}_replicas", {"deployment": "D"}, "gauge")
        for name in ("target", "desired")
    ]
    assert found[0] is not None
    assert found[1] is not None
    assert found[0].priority < found[1].priority


def test_the_proxys_latency_is_in_milliseconds():
    found = match("ray_serve_http_request_latency_ms_sum", {"route": "/"}, "")
    assert found is not None
    assert (found.measurement, found.unit, found.pool) == ("e2e", "ms", "service")


def test_engines_inside_ray_keep_their_own_rules():
    found = match("ray_vllm_num_requests_running", {"ReplicaId": "abc", "WorkerId": "w"}, "")
    assert found is not None
    assert (found.measurement, found.engine, found.target.instance) == ("running", "vllm", "abc")


@pytest.mark.parametrize(
    ("server", "pool"),
    [("PrefillServer", "prefill"), ("DecodeServer", "decode"), ("LLMServer", "")],
)
def test_engines_inside_ray_have_the_pool_of_their_replica(server, pool):
    replica = f"app#{server}:qwen#abc"
    found = match("ray_vllm_num_requests_running", {"ReplicaId": replica, "WorkerId": "w"}, "")
    assert found is not None
    assert (found.pool, found.target.instance) == (pool, replica)
