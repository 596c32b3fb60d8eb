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
    ],
)
def test_labels(labels, expected):
    assert detect_pool(labels) == expected
