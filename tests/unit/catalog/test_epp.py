"""The endpoint picker's names."""

from __future__ import annotations

import pytest

from signals.catalog.naming import match


@pytest.mark.parametrize(
    ("metric", "measurement", "pool"),
    [
        ("inference_objective_request_total", "requests_total", "service"),
        ("inference_model_request_total", "requests_total", "service"),
        ("inference_extension_flow_control_queue_size", "queue_depth", "service"),
        ("inference_objective_input_tokens_sum", "offered_prompt_tokens_total", "service"),
        ("inference_objective_request_ttft_seconds_sum", "ttft", "prefill"),
        ("inference_objective_request_tpot_seconds_sum", "tpot", "decode"),
    ],
)
def test_a_gateways_numbers(metric, measurement, pool):
    found = match(metric, {"model_name": "m"}, "")
    assert found is not None
    assert (found.measurement, found.pool, found.outside) == (measurement, pool, True)


def test_ready_pods_are_counted_from_outside():
    found = match("inference_pool_ready_pods", {"name": "x"}, "gauge")
    assert found is not None
    assert (found.measurement, found.outside) == ("ready", True)


def test_means_over_pods_are_no_totals():
    assert match("inference_pool_average_queue_size", {"name": "x"}, "gauge") is None
