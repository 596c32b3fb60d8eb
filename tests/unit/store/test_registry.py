"""Targets and series: what is the same, what is not, and where it belongs."""

from __future__ import annotations

import pytest

from signals.store.parsed import Series
from signals.store.pools import parse_rules
from signals.store.registry import Registry


def number(registry: Registry, metric: str, **labels: str) -> int:
    return registry.resolve("svc", Series(metric, labels), "file")[0].series_id


def pools(registry: Registry) -> list[tuple[str, str]]:
    return [(target.pool, target.rule) for target in registry.new_targets]


def test_collectors_of_one_target_give_one_series() -> None:
    registry = Registry()
    one = number(registry, "vllm:num_requests_running", pod="p0", prometheus_replica="a")
    two = number(registry, "vllm:num_requests_running", pod="p0", prometheus_replica="b")
    assert one == two
    assert len(registry.new_targets) == 1


def test_parts_of_a_value_are_series_of_one_target() -> None:
    registry = Registry()
    stop = number(registry, "vllm:request_success_total", pod="p0", finished_reason="stop")
    length = number(registry, "vllm:request_success_total", pod="p0", finished_reason="length")
    assert stop != length
    assert len(registry.new_targets) == 1
    assert [row.split for row in registry.new_series] == [
        "finished_reason=stop",
        "finished_reason=length",
    ]


def test_buckets_of_a_histogram_are_one_series() -> None:
    registry = Registry()
    name = "vllm:time_to_first_token_seconds_bucket"
    assert number(registry, name, pod="p", le="1") == number(registry, name, pod="p", le="+Inf")
    assert number(registry, name, pod="p", le="1") != number(registry, name, pod="q", le="1")


def test_unmapped_series_keep_all_their_labels() -> None:
    registry = Registry()
    assert number(registry, "odd", pod="p", le="1") != number(registry, "odd", pod="p", le="2")
    assert registry.new_series[0].labels == {"pod": "p", "le": "1"}
    assert registry.new_series[0].measurement == ""


@pytest.mark.parametrize(
    ("series", "expected"),
    [
        (Series("running", {"instance": "i0"}, pool="decode"), ("decode", "format")),
        (
            Series("vllm:num_requests_running", {"pod": "a", "role": "prefill"}),
            ("prefill", "label role"),
        ),
        (Series("vllm:num_requests_running", {"pod": "llm-decode-0"}), ("decode", "label pod")),
        (Series("vllm:num_requests_running", {"pod": "a"}), ("unified", "default")),
        (Series("dynamo_frontend_output_tokens_total", {"pod": "f"}), ("decode", "metric")),
    ],
)
def test_pools_by_format_label_name_or_default(series: Series, expected: tuple[str, str]) -> None:
    registry = Registry()
    registry.resolve("svc", series, "file")
    assert pools(registry) == [expected]


def test_the_users_rule_comes_first_but_not_before_a_metrics_own_pool() -> None:
    registry = Registry(rules=parse_rules(("prefill=pod:~.*",)))
    number(registry, "vllm:num_requests_running", pod="llm-decode-0")
    number(registry, "dynamo_frontend_output_tokens_total", pod="f")
    assert pools(registry) == [("prefill", "prefill=pod:~.*"), ("decode", "metric")]


def test_equal_instance_names_of_two_pools_are_two_targets() -> None:
    registry = Registry()
    for pool in ("prefill", "decode"):
        series = Series("running", {"instance": "0", "pool": pool}, pool=pool)
        registry.resolve("svc", series, "file")
    assert pools(registry) == [("prefill", "format"), ("decode", "format")]
    assert [target.outside for target in registry.new_targets] == [False, False]


def test_a_pool_without_instances_is_no_instance() -> None:
    registry = Registry()
    registry.resolve("svc", Series("running", {"pool": "decode"}, pool="decode"), "file")
    assert registry.new_targets[0].outside


def test_numbers_go_on_after_those_of_the_store() -> None:
    registry = Registry()
    registry.start_after(7, 40)
    assert number(registry, "running") == 41
    assert registry.new_targets[0].target_id == 8


def test_a_change_of_unit_is_a_finding() -> None:
    registry = Registry()
    registry.resolve("svc", Series("decode_tps", {}, unit="rel"), "a")
    _, findings = registry.resolve("svc", Series("decode_tps", {}, unit="tokens/s"), "b")
    assert [finding.code for finding in findings] == ["unit_changed"]
