"""How exported names and labels are read."""

from __future__ import annotations

import itertools

import pytest

from signals.catalog import find_measurement, find_signal
from signals.catalog.naming import ENGINES, TargetKey, is_ignored, match, target_of
from signals.units import parse_unit


@pytest.mark.parametrize(
    ("metric", "measurement", "part"),
    [
        ("vllm:generation_tokens_total", "decode_tokens_total", "value"),
        ("vllm_generation_tokens_total", "decode_tokens_total", "value"),
        ("ray_vllm_generation_tokens_total", "decode_tokens_total", "value"),
        ("vllm:generation_tokens", "decode_tokens_total", "value"),
        ("vllm:time_to_first_token_seconds_bucket", "ttft", "bucket"),
        ("vllm:time_to_first_token_seconds_sum", "ttft", "sum"),
        ("vllm:time_to_first_token_seconds_count", "ttft", "count"),
        ("DCGM_FI_DEV_GPU_UTIL", "gpu_util", "value"),
        ("decode_tokens_total", "decode_tokens_total", "value"),
        ("ttft_sum", "ttft", "sum"),
        ("ttft_p99", "ttft_p99", "value"),
    ],
)
def test_prefixes_and_suffixes(metric, measurement, part):
    found = match(metric, {"le": "1"} if part == "bucket" else {}, "")
    assert found is not None
    assert (found.measurement, found.part) == (measurement, part)


@pytest.mark.parametrize(
    "metric",
    [
        "vllm:generation_tokens_created",
        "vllm:cache_config_info",
        "vllm:iteration_tokens_total",
        "vllm:iteration_tokens_total_sum",
        "vllm:num_requests_waiting_by_reason",
        "vllm:time_to_first_token_seconds",
        "vllm:num_requests_running_sum",
        "speed",
        "",
    ],
)
def test_what_has_no_meaning_here(metric):
    assert match(metric, {}, "") is None


def test_bookkeeping_of_client_libraries():
    assert is_ignored("vllm:generation_tokens_created")
    assert is_ignored("python_info")
    assert not is_ignored("vllm:generation_tokens_total")


def test_a_gauge_rule_does_not_take_a_histogram():
    assert match("vllm:num_requests_running", {}, "gauge") is not None
    assert match("vllm:num_requests_running", {}, "histogram") is None


def test_a_long_form_bucket_is_the_measurement_with_a_bound():
    found = match("ttft", {"le": "0.5", "pool": "prefill"}, "")
    assert found is not None
    assert (found.part, found.pool, found.parts) == ("bucket", "prefill", ())


def test_targets():
    labels = {"namespace": "llm", "pod": "decode-0", "engine": "1", "instance": "10.0.0.1:8000"}
    assert target_of(labels) == TargetKey("llm", "decode-0", "engine=1")
    assert target_of({"instance": "a:1"}) == TargetKey(instance="a:1")
    gpu = {
        "Hostname": "n0",
        "gpu": "3",
        "UUID": "GPU-1",
        "GPU_I_ID": "7",
        "exported_pod": "p",
        "pod": "exp",
    }
    assert target_of(gpu) == TargetKey(
        instance="p", gpu_uuid="GPU-1", mig="7", host="n0", gpu_index="3"
    )


def test_replica_labels_do_not_split_a_target():
    labels = {"pod": "p0", "pool": "decode"}
    found = {
        match("vllm:num_requests_running", {**labels, "prometheus_replica": replica}, "")
        for replica in ("prom-0", "prom-1")
    }
    assert len(found) == 1


def test_unknown_labels_split_and_add_up():
    found = [
        match("vllm:request_success_total", {"pod": "p", "finished_reason": reason}, "")
        for reason in ("stop", "length")
    ]
    assert [one.parts for one in found if one] == [
        (("finished_reason", "stop"),),
        (("finished_reason", "length"),),
    ]
    assert found[0] is not None
    assert found[1] is not None
    assert found[0].target == found[1].target


def test_rank_0_speaks_for_an_engine():
    ranks = [match("sglang:gen_throughput", {"pod": "p", "tp_rank": rank}, "") for rank in "01"]
    assert ranks[0] is not None
    assert ranks[1] is not None
    assert ranks[0].target == ranks[1].target
    assert ranks[0].priority < ranks[1].priority
    assert ranks[1].alias


def test_every_rank_has_a_priority_of_its_own():
    priorities = []
    for tp, pp, ep in itertools.product(("0", "1", "7"), ("0", "3"), ("0", "5", "639", "x")):
        labels = {"pod": "p", "tp_rank": tp, "pp_rank": pp, "moe_ep_rank": ep}
        found = match("sglang:gen_throughput", labels, "")
        assert found is not None
        priorities.append(found.priority)
    # `x` is taken for the highest rank there is
    assert len(set(priorities)) == 18
    assert max(priorities) < 2**31
    lowest = {priority % 100 for priority in priorities}
    assert lowest == {min(priorities)}


def test_priorities_of_rules_leave_room_for_ranks():
    assert all(0 <= rule.priority < 100 for engine in ENGINES for rule in engine.rules)


def test_case_08_the_old_name_fills_in_for_the_new():
    old = match("vllm:gpu_cache_usage_perc", {"pod": "p0"}, "")
    new = match("vllm:kv_cache_usage_perc", {"pod": "p0"}, "")
    assert old is not None
    assert new is not None
    assert (old.measurement, old.unit) == (new.measurement, new.unit) == ("kv_usage", "ratio")
    assert (old.alias, new.alias) == (True, False)
    # one series: what both hold counts once, what one holds is not lost
    assert (old.target, old.parts, old.priority) == (new.target, new.parts, new.priority)
    assert old.target == new.target


def test_two_jobs_that_scrape_one_pod_are_copies():
    found = {
        match("vllm:num_requests_running", {"pod": "p", "instance": "a:1", "job": job}, "")
        for job in ("x", "y")
    }
    assert len(found) == 1


@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.name)
def test_rules_lead_to_things_that_exist(engine):
    for rule in engine.rules:
        spec = find_measurement(rule.measurement) or find_signal(rule.measurement)
        assert spec is not None, rule
        base = parse_unit(rule.unit).base
        assert base == spec.unit, rule
        assert rule.metric == rule.metric.lower(), rule
        assert not rule.take or spec.kind == "counter", rule


@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.name)
def test_rules_are_not_ambiguous(engine):
    keys = [(rule.metric, rule.select) for rule in engine.rules]
    assert len(set(keys)) == len(keys)


def test_engines_are_alphabetical():
    names = [engine.name for engine in ENGINES]
    assert names == sorted(names)
