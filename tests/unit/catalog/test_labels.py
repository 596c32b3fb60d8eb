"""What a series is about, told from its labels."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signals.catalog.labels import (
    TargetKey,
    collector_label,
    has_instance,
    parts_of,
    plain_labels,
    target_of,
)
from signals.catalog.spec import MetricRule

RULE = MetricRule("x", "running", "count")


@pytest.mark.parametrize(
    ("labels", "instance"),
    [
        ({"exported_pod": "a", "pod": "exporter", "instance": "1.2.3.4:9400"}, "a"),
        ({"k8s.pod.name": "a", "service.instance.id": "uuid"}, "a"),
        ({"instance": "10.0.0.1:8000", "job": "vllm"}, "10.0.0.1:8000"),
        ({"Hostname": "n0", "gpu": "0"}, "n0"),
        # Ray: one address, several replicas
        ({"instance": "n:80", "replica": "r1", "deployment": "D", "application": "app"}, "r1"),
        ({"instance": "n:80", "ReplicaId": "r2", "WorkerId": "w"}, "r2"),
        # nothing else names what serves
        ({"replica": "decode-3"}, "decode-3"),
        # the collector's label: something else names what serves, or a workload is counted
        ({"pod": "p0", "replica": "A"}, "p0"),
        ({"instance": "n:80", "replica": "prom-1"}, "n:80"),
        ({"deployment": "llm-decode", "replica": "prom-1"}, ""),
        ({"prometheus_replica": "prom-1"}, ""),
        ({}, ""),
    ],
)
def test_instance(labels, instance):
    assert target_of(labels).instance == instance
    assert has_instance(labels) == bool(instance)


@pytest.mark.parametrize(
    "label",
    [
        "__replica__",
        "ha_replica",
        "prometheus",
        "prometheus_replica",
        "receive_replica",
        "replica",
        "rule_replica",
        "thanos_replica",
    ],
)
def test_collectors_of_one_target_are_one(label):
    pair = [{"pod": "p", "namespace": "n", label: value} for value in ("a", "b")]
    assert target_of(pair[0]) == target_of(pair[1])
    assert parts_of("x", pair[0], RULE) == parts_of("x", pair[1], RULE) == ()


def test_ray_replicas_of_one_pod_are_two_things():
    pair = [
        {"instance": "n:80", "pod": "p", "application": "a", "deployment": "D", "replica": value}
        for value in ("r1", "r2")
    ]
    assert target_of(pair[0]) != target_of(pair[1])


def test_a_gpu_by_any_exporters_labels():
    dcgm = {"Hostname": "n0", "gpu": "3", "UUID": "GPU-1", "GPU_I_ID": "7"}
    assert target_of(dcgm) == TargetKey("", "n0", "", "GPU-1", "7", "n0", "3")
    assert target_of({"uuid": "GPU-1", "gpu": "0"}).gpu_uuid == "GPU-1"
    assert target_of({"uuid": "8f14e45f-ceea"}).gpu_uuid == ""


def test_dotted_names_are_prometheus_names_and_never_merge():
    assert plain_labels({"k8s.pod.name": "a"}) == {"k8s_pod_name": "a"}
    assert plain_labels({"a.b": "1", "a_b": "2"}) == {"a.b": "1", "a_b": "2"}
    same = {"pod": "a"}
    assert plain_labels(same) is same


@given(st.dictionaries(st.text(alphabet="ab._-/:", min_size=1), st.text(max_size=3), max_size=6))
def test_plain_labels_keep_every_value(labels):
    plain = plain_labels(labels)
    assert sorted(plain.values()) == sorted(labels.values())


def test_what_splits_a_value():
    labels = {"pod": "p", "instance": "p:8000", "finished_reason": "stop", "job": "j", "node": "n"}
    assert parts_of("x", labels, RULE) == (("finished_reason", "stop"), ("instance", "p:8000"))
    assert parts_of("x", {"instance": "p:8000"}, RULE) == ()
    queues = MetricRule("x", "queue_depth", "count", summed=("__name__",))
    assert parts_of("x", labels, queues) == (("__name__", "x"),)


def test_a_worker_has_one_identifier_whoever_writes_it():
    ids = ("10177077944802467214", "8d3c3e786769dd8e")
    labels = [{"pod": "frontend-0", "worker_type": "decode", "worker_id": one} for one in ids]
    assert target_of(labels[0]) == target_of(labels[1])
    assert target_of(labels[0]).part == "worker_id=8d3c3e786769dd8e"
    assert target_of({"pod": "p", "engine": "12"}).part == "engine=12"


@pytest.mark.parametrize(
    ("labels", "label"),
    [
        ({"prometheus_replica": "a"}, "prometheus_replica"),
        ({"pod": "p", "replica": "A"}, "replica"),
        ({"replica": "decode-3"}, ""),
        ({"prometheus": "monitoring/k8s"}, ""),
    ],
)
def test_the_collectors_label(labels, label):
    assert collector_label(labels) == label
