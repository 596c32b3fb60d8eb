"""Dynamo's names: whose work a frontend's numbers are."""

from __future__ import annotations

import pytest

from signals.catalog.naming import match

FRONTEND = {"pod": "frontend-0", "role": "frontend", "model": "m"}


@pytest.mark.parametrize(
    ("metric", "measurement", "pool"),
    [
        ("output_tokens_total", "decode_tokens_total", "decode"),
        ("inter_token_latency_seconds_sum", "itl", "decode"),
        ("time_to_first_token_seconds_sum", "ttft", "prefill"),
        ("input_sequence_tokens_sum", "offered_prompt_tokens_total", "service"),
        ("requests_started_total", "requests_total", "service"),
        ("requests_total", "requests_total", "service"),
        ("queued_requests", "queue_depth", "service"),
        ("inflight_requests", "running", "service"),
        ("request_duration_seconds_sum", "e2e", "service"),
    ],
)
def test_frontend(metric, measurement, pool):
    found = match(f"dynamo_frontend_{metric}", FRONTEND, "")
    assert found is not None
    assert (found.measurement, found.pool, found.pool_rule) == (measurement, pool, "metric")
    assert found.outside
    assert found.target.part == f"pool={pool}"


def test_only_the_sum_of_prompt_lengths_counts_tokens():
    assert match("dynamo_frontend_input_sequence_tokens_count", FRONTEND, "") is None
    assert (
        match("dynamo_frontend_input_sequence_tokens_bucket", {**FRONTEND, "le": "1"}, "") is None
    )


def test_the_frontend_wins_over_the_engine():
    near = match("dynamo_frontend_inter_token_latency_seconds_sum", FRONTEND, "")
    far = match("vllm:inter_token_latency_seconds_sum", {"pod": "decode-0", "role": "decode"}, "")
    assert near is not None
    assert far is not None
    assert near.pool == far.pool == "decode"
    assert near.priority < far.priority


def test_started_requests_are_the_better_arrivals():
    started = match("dynamo_frontend_requests_started_total", FRONTEND, "")
    ended = match("dynamo_frontend_requests_total", {**FRONTEND, "status": "success"}, "")
    assert started is not None
    assert ended is not None
    assert started.priority < ended.priority
    assert ("status", "success") in ended.parts


@pytest.mark.parametrize(("component", "pool"), [("prefill", "prefill"), ("backend", "decode")])
def test_worker_pools_come_from_the_component(component, pool):
    labels = {"dynamo_component": component, "dynamo_endpoint": "generate", "pod": "worker-7"}
    found = match("dynamo_component_inflight_requests", labels, "gauge")
    assert found is not None
    assert (found.measurement, found.pool, found.outside) == ("running", pool, False)


def test_helper_endpoints_of_a_worker_are_left_out():
    labels = {
        "dynamo_component": "prefill",
        "dynamo_endpoint": "worker_kv_query_source_1",
        "pod": "p",
    }
    assert match("dynamo_component_inflight_requests", labels, "gauge") is None


def test_the_planners_counts():
    ready = match("dynamo_planner_num_prefill_replicas", {"pod": "planner"}, "gauge")
    wanted = match("dynamo_planner_predicted_num_decode_replicas", {"pod": "planner"}, "gauge")
    assert ready is not None
    assert wanted is not None
    assert (ready.measurement, ready.pool) == ("ready", "prefill")
    assert (wanted.measurement, wanted.pool) == ("desired", "decode")


def test_a_frontends_gauge_about_a_worker_belongs_to_the_workers_pool():
    labels = {**FRONTEND, "worker_id": "17", "worker_type": "prefill", "dp_rank": "0"}
    found = match("dynamo_frontend_worker_active_prefill_tokens", labels, "gauge")
    assert found is not None
    assert (found.measurement, found.pool, found.outside) == (
        "prefill_backlog_tokens",
        "prefill",
        True,
    )
    assert found.target.part == "pool=prefill,dp_rank=0,worker_id=17"
