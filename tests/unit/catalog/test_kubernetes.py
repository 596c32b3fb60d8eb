"""Replica counts by the names of deployments."""

from __future__ import annotations

from signals.catalog.naming import match


def test_a_pools_deployment():
    labels = {"deployment": "llama-decode", "instance": "10.0.0.2:8080"}
    ready = match("kube_deployment_status_replicas_ready", labels, "gauge")
    wanted = match("kube_deployment_spec_replicas", labels, "gauge")
    assert ready is not None
    assert wanted is not None
    assert (ready.measurement, ready.pool, ready.outside) == ("ready", "decode", True)
    assert (wanted.measurement, wanted.pool) == ("desired", "decode")
    assert ("deployment", "llama-decode") in ready.parts


def test_other_deployments_of_the_cluster():
    assert match("kube_deployment_spec_replicas", {"deployment": "coredns"}, "gauge") is None


def test_the_autoscalers_wish_comes_second():
    labels = {"horizontalpodautoscaler": "llama-prefill"}
    found = match("kube_horizontalpodautoscaler_status_desired_replicas", labels, "gauge")
    spec = match("kube_deployment_spec_replicas", {"deployment": "llama-prefill"}, "gauge")
    assert found is not None
    assert spec is not None
    assert found.priority > spec.priority
