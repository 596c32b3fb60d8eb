"""AIBrix's gateway names."""

from __future__ import annotations

import pytest

from signals.catalog.naming import match


@pytest.mark.parametrize(
    ("metric", "measurement", "pool"),
    [
        ("gateway_request_total", "requests_total", "service"),
        ("gateway_in_flight_requests", "running", "service"),
        ("gateway_input_tokens_total", "offered_prompt_tokens_total", "service"),
        ("gateway_output_tokens_total", "decode_tokens_total", "decode"),
        ("gateway_prefill_outstanding_requests", "running", "prefill"),
        ("aibrix:gateway_request_total", "requests_total", "service"),
    ],
)
def test_a_gateways_numbers(metric, measurement, pool):
    found = match(metric, {"model": "m", "pod": "aibrix-gateway-plugins-0"}, "")
    assert found is not None
    assert (found.measurement, found.pool, found.outside) == (measurement, pool, True)


def test_counters_per_range_of_latency_are_no_histogram():
    assert match("gateway_ttft_bucket_total", {"bucket": "100ms"}, "counter") is None


def test_a_pod_that_two_gateways_know_is_ready_once():
    one, two = (
        match("model_replicas", {"model": "m", "gateway_pod": gateway, "pod": "decode-0"}, "gauge")
        for gateway in ("plugins-0", "plugins-1")
    )
    assert one is not None
    assert two is not None
    assert (one.measurement, one.pool) == ("ready", "decode")
    assert (one.target, one.parts) == (two.target, two.parts)
    assert match("other_model_replicas", {"pod": "decode-0"}, "gauge") is None
