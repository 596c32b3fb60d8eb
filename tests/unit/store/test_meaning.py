"""What an exported series is stored as."""

from __future__ import annotations

import pytest

from signals.catalog.naming import match
from signals.errors import InputError
from signals.store.meaning import bound_of, interpret
from signals.store.parsed import Series


def meaning_of(series: Series):  # type: ignore[no-untyped-def]
    return interpret(series, match(series.metric, series.labels, series.kind), "file")


@pytest.mark.parametrize(
    ("series", "expected"),
    [
        (Series("vllm:num_requests_running", {}), ("running", "value", "gauge", "count", 1.0)),
        (
            Series("vllm:generation_tokens_total", {}),
            ("decode_tokens_total", "value", "counter", "tokens", 1.0),
        ),
        (Series("DCGM_FI_DEV_GPU_UTIL", {}), ("gpu_util", "value", "gauge", "ratio", 0.01)),
        (Series("kv_usage", {}, unit="%"), ("kv_usage", "value", "gauge", "ratio", 0.01)),
        (Series("ttft_p99", {}, unit="ms"), ("ttft_p99", "signal", "gauge", "s", 0.001)),
        (Series("decode_tps", {}, unit="rel"), ("decode_tps", "signal", "gauge", "rel", 1.0)),
        (
            Series("vllm:time_to_first_token_seconds_bucket", {"le": "0.5"}),
            ("ttft", "bucket", "histogram", "s", 1.0),
        ),
        (
            Series("vllm:time_to_first_token_seconds_count", {}),
            ("ttft", "count", "counter", "s", 1.0),
        ),
        (Series("go_goroutines", {}), ("go_goroutines", "unmapped", "gauge", "", 1.0)),
    ],
)
def test_series_become_measurements_signals_or_stay_unmapped(
    series: Series, expected: tuple[str, str, str, str, float]
) -> None:
    meaning, findings = meaning_of(series)
    assert (
        meaning.name,
        meaning.part,
        meaning.kind,
        meaning.unit.base,
        pytest.approx(meaning.factor),
    ) == expected
    assert findings == []


def test_a_unit_of_another_kind_is_a_finding_and_the_series_is_no_signal() -> None:
    meaning, findings = meaning_of(Series("ttft_p99", {}, unit="tokens"))
    assert meaning.part == "unmapped"
    assert [finding.code for finding in findings] == ["unit_mismatch"]


def test_bounds_convert_with_the_unit() -> None:
    series = Series("ttft", {"le": "250"}, unit="ms")
    meaning, _ = meaning_of(series)
    assert bound_of(series, meaning, "file") == pytest.approx(0.25)
    bad = Series("ttft", {"le": "fast"})
    with pytest.raises(InputError) as caught:
        bound_of(bad, meaning_of(bad)[0], "file")
    assert caught.value.where == "file, ttft"


def test_an_unknown_unit_is_an_error_of_the_file() -> None:
    with pytest.raises(InputError, match="unit 'furlong' is not known"):
        meaning_of(Series("ttft_p99", {}, unit="furlong"))


def test_an_old_name_is_said_and_a_ranks_copy_is_none() -> None:
    def remarks(metric: str, **labels: str) -> list[str]:
        series = Series(metric, {"pod": "p", **labels})
        found = match(metric, series.labels, "")
        return [finding.code for finding in interpret(series, found, "file")[1]]

    assert remarks("vllm:gpu_cache_usage_perc") == ["old_name"]
    assert remarks("vllm:kv_cache_usage_perc") == []
    assert remarks("sglang:token_usage", tp_rank="1") == []


@pytest.mark.parametrize(
    ("labels", "codes"),
    [
        ({"prometheus_replica": "prom-0"}, ["collector_label"]),
        ({"replica": "A"}, ["collector_label"]),
        ({"prometheus": "monitoring/k8s"}, []),  # every series of one operator has it
        ({"replica": "r1", "application": "llm", "deployment": "D"}, []),
    ],
)
def test_a_pair_of_collectors_is_said(labels: dict[str, str], codes: list[str]) -> None:
    series = Series("vllm:num_requests_running", {"pod": "p", **labels})
    assert [finding.code for finding in meaning_of(series)[1]] == codes


@pytest.mark.parametrize(
    ("metric", "labels", "severities"),
    [
        ("vllm:time_to_first_token_seconds_bucket", {}, ["warning"]),
        ("vllm:time_to_first_token_seconds_bucket", {"le": "0.5"}, []),
        ("vllm:time_to_first_token_seconds_count", {}, []),
        ("gateway_ttft_bucket_total", {"bucket": "50-100ms"}, ["info"]),
        ("shop_orders_bucket", {}, ["info"]),
        ("shop_orders_bucket", {"le": "1"}, []),
        ("go_goroutines", {}, []),
    ],
)
def test_a_bucket_without_its_bound_is_told(
    metric: str, labels: dict[str, str], severities: list[str]
) -> None:
    meaning, findings = meaning_of(Series(metric, labels))
    assert [finding.severity for finding in findings] == severities
    assert all(finding.code == "bucket_without_bound" for finding in findings)
    if severities:
        assert (meaning.name, meaning.part) == (metric, "unmapped")
