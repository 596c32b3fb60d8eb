"""Datadog's words: queries, tags, units, and what counters become."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signals.store.sources.datadog_query import (
    Query,
    Remarks,
    name_query,
    read_query,
    read_tags,
    read_unit_pair,
)


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("vllm.num_requests.waiting", Query("vllm.num_requests.waiting")),
        ("avg:a.b{*}", Query("a.b", "avg")),
        ("sum:a.b{x:y,z:1} by {pod_name,host}", Query("a.b", "sum")),
        ("sum:a.b.count{*}.as_rate()", Query("a.b.count", "sum", per_second=True)),
        ("sum:a.b.count{*} by {h}.as_count().rollup(sum, 60)", Query("a.b.count", "sum")),
        ("p99:a.b{*}", Query("a.b", "p99")),
        ("p99.9:a.b{*}", Query("a.b", "p99.9")),
        ("(a / b)", None),
        ("avg:a{*} / avg:b{*}", None),
        ("per_second(avg:a{*})", None),
        ("", None),
    ],
)
def test_queries(text, query):
    assert read_query(text) == query


@given(st.text(max_size=60))
def test_any_text_is_read(text):
    read_query(text)
    read_tags(text.split(","))


def test_tags():
    tags = ["pod_name:a", "url:http://x:1", "*", "", "plain", "host:N/A", ":x", "y:"]
    assert read_tags(tags) == {"pod_name": "a", "url": "http://x:1"}


@pytest.mark.parametrize(
    ("units", "ours", "words"),
    [
        (None, "", ""),
        ([], "", ""),
        ([None, None], "", ""),
        ([{"name": "millisecond"}, None], "ms", "millisecond"),
        ([{"name": "percent"}], "%", "percent"),
        ([{"name": "request"}, {"name": "second"}], "req/s", "request/second"),
        ([{"name": "operation"}, {"name": "second"}], "count/s", "operation/second"),
        ([{"name": "token"}, {"name": "minute"}], "", "token/minute"),
        ([{"name": "item"}, None], "count", "item"),
        ([{"name": "furlong"}, None], "", "furlong"),
        ("percent", "", ""),
        ([3, {}], "", ""),
    ],
)
def test_units(units, ours, words):
    assert read_unit_pair(units) == (ours, words)


def named(text, labels=None, unit=("", "")):
    remarks = Remarks()
    query = read_query(text)
    found = name_query(query, labels or {}, unit, remarks, text=text)
    return found.name, found.unit, [finding.code for finding in remarks.findings()]


@pytest.mark.parametrize(
    ("text", "name", "unit"),
    [
        ("avg:vllm.gpu_cache_usage_perc{*}", "vllm_gpu_cache_usage_perc", ""),
        ("avg:dcgm.gpu_utilization{*}", "dcgm_gpu_utilization", ""),
        ("sum:vllm.num_requests.running{*}", "vllm_num_requests_running", ""),
        ("sum:mine.vllm_num_requests_running{*}", "vllm_num_requests_running", ""),
        ("avg:system.cpu.user{*}", "system.cpu.user", ""),
        ("sum:vllm.generation_tokens.count{*}.as_rate()", "decode_tps", "tokens/s"),
        ("sum:vllm.request.success.count{*}.as_rate()", "completion_rate", "req/s"),
        ("p99:vllm.time_to_first_token.seconds{*}", "ttft_p99", "s"),
        ("avg:vllm.time_to_first_token.seconds{*}", "ttft_mean", "s"),
        ("p42:vllm.time_to_first_token.seconds{*}", "vllm.time_to_first_token.seconds", ""),
        ("sum:x.count{*}", "x.count", ""),
    ],
)
def test_names(text, name, unit):
    assert named(text) == (name, unit, [])


def test_what_was_added_per_interval_is_no_counter():
    for text in (
        "sum:vllm.generation_tokens.count{*}",
        "sum:vllm.generation_tokens.count{*}.as_count()",
        "sum:vllm.time_to_first_token.seconds.bucket{*}",
    ):
        name, _, codes = named(text)
        assert name == read_query(text).metric
        assert codes == ["count_per_interval"]


def test_parts_of_a_histogram_have_no_rate_of_ours():
    text = "sum:vllm.time_to_first_token.seconds.sum{*}.as_rate()"
    assert named(text) == ("vllm.time_to_first_token.seconds.sum", "", [])


def test_an_average_over_all_sources_is_told():
    text = "avg:vllm.num_requests.waiting{*}"
    assert named(text)[2] == ["aggregated_over_instances"]
    assert named(text, {"pod_name": "a"})[2] == []
    assert named("avg:dcgm.gpu_utilization{*}")[2] == []


def test_units_are_labels_that_change_no_value():
    text = "avg:vllm.gpu_cache_usage_perc{*}"
    assert named(text, unit=("%", "percent"))[1:] == ("", ["unit_label_ignored"])
    assert named("avg:dcgm.gpu_utilization{*}", unit=("%", "percent"))[1:] == ("", [])
    assert named("avg:system.cpu.user{*}", unit=("%", "percent"))[1:] == ("%", [])


def test_remarks_are_counted_by_metric():
    remarks = Remarks()
    for text in ("sum:vllm.prompt_tokens.count{*}",) * 3:
        name_query(read_query(text), {}, ("", ""), remarks, text=text)
    (finding,) = remarks.findings()
    assert (finding.count, finding.subject) == (3, "vllm.prompt_tokens.count")
    assert remarks.findings({"vllm.prompt_tokens.count"}) == []
