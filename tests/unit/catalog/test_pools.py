"""Pools from labels."""

from __future__ import annotations

import pytest

from signals.catalog.pools import detect_pool


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ({"role": "prefill"}, ("prefill", "role")),
        ({"engine_type": "decode"}, ("decode", "engine_type")),
        ({"pool": "service", "pod": "decode-0"}, ("service", "pool")),
        ({"role": "frontend", "worker_type": "prefill"}, ("prefill", "worker_type")),
        ({"component": "VllmDecodeWorker"}, ("decode", "component")),
        ({"pod": "vllm-prefill-0"}, ("prefill", "pod")),
        ({"exported_pod": "x-decode-1", "pod": "dcgm-exporter"}, ("decode", "exported_pod")),
        ({"llm_d_ai_role": "prefill-decode"}, ("unified", "llm_d_ai_role")),
        ({"worker_type": "aggregated"}, ("unified", "worker_type")),
        # older SGLang always says unified: the pod's name knows better
        ({"engine_type": "unified", "pod": "sg-decode-0"}, ("decode", "pod")),
        ({"dynamo_component": "backend"}, ("decode", "dynamo_component")),
        ({"dynamo_component": "backend", "worker_type": "aggregated"}, ("unified", "worker_type")),
        ({"pod": "vllm-0", "instance": "10.0.0.1:8000"}, ("", "")),
        ({}, ("", "")),
        # labels of pods as other exporters hand them on
        ({"label_llm_d_ai_role": "decode", "pod": "x"}, ("decode", "label_llm_d_ai_role")),
        ({"llm-d.ai/role": "encode-prefill"}, ("prefill", "llm_d_ai_role")),
        (
            {"nvidia.com/dynamo-sub-component-type": "prefill"},
            ("prefill", "nvidia_com_dynamo_sub_component_type"),
        ),
        ({"model.aibrix.ai/role": "decode"}, ("decode", "model_aibrix_ai_role")),
        ({"role-name": "prefill"}, ("prefill", "role_name")),
        (
            {"app.kubernetes.io/component": "llminferenceservice-workload-prefill"},
            ("prefill", "app_kubernetes_io_component"),
        ),
        ({"pd_role": "P"}, ("prefill", "pd_role")),
        ({"engine_type": "generation"}, ("decode", "engine_type")),
        # names
        ({"deployment": "PrefillServer:llama", "application": "a"}, ("prefill", "deployment")),
        ({"ReplicaId": "app#PrefillServer:qwen#abc"}, ("prefill", "ReplicaId")),
        ({"ReplicaId": "DecodeServer:qwen#k2", "WorkerId": "w"}, ("decode", "ReplicaId")),
        ({"replica": "app#DecodeServer:qwen#abc"}, ("decode", "replica")),
        ({"Deployment": "DecodeServer:qwen", "ReplicaId": "r1"}, ("decode", "Deployment")),
        ({"actor": "SERVE_REPLICA::app#PrefillServer:qwen#a"}, ("prefill", "actor")),
        ({"actor_name": "SERVE_REPLICA::app#DecodeServer:qwen#a"}, ("decode", "actor_name")),
        ({"ActorName": "SERVE_REPLICA::app#DecodeServer:qwen#a"}, ("decode", "ActorName")),
        # no name of either, and the server that hands requests from one to the other
        ({"ReplicaId": "app#LLMServer:qwen#abc", "deployment": "LLMServer:qwen"}, ("", "")),
        ({"deployment": "PDProxyServer:qwen", "ReplicaId": "r1"}, ("service", "deployment")),
        ({"hpa": "llama-decode"}, ("decode", "hpa")),
        ({"job": "vllm-decode", "instance": "10.0.0.1:80"}, ("decode", "job")),
        ({"pod": "llama-kserve-prefill-0", "job": "vllm-decode"}, ("prefill", "pod")),
        ({"k8s.pod.name": "x-decode-0"}, ("decode", "k8s_pod_name")),
        ({"exported_pod": "x", "pod": "dcgm-prefill-node"}, ("", "")),
        # what requests only pass through
        ({"role": "frontend", "pod": "frontend-0"}, ("service", "role")),
        ({"role": "frontend", "dynamo_component": "prefill"}, ("service", "role")),
        ({"pod": "llm-gateway-7f"}, ("service", "pod")),
        ({"deployment": "vllm-router"}, ("service", "deployment")),
        ({"pod": "routerless-0"}, ("", "")),
        ({"job": "gateway", "pod": "vllm-0"}, ("", "")),
    ],
)
def test_labels(labels, expected):
    assert detect_pool(labels) == expected
