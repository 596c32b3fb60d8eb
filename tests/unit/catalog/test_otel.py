"""OpenTelemetry's names in both spellings."""

from __future__ import annotations

import pytest

from signals.catalog.naming import match


@pytest.mark.parametrize(
    ("metric", "measurement"),
    [
        ("gen_ai.server.time_to_first_token", "ttft"),
        ("gen_ai_server_time_to_first_token", "ttft"),
        ("gen_ai_server_time_to_first_token_seconds", "ttft"),
        ("gen_ai.server.time_per_output_token", "tpot"),
        ("gen_ai.server.request.duration", "e2e"),
        ("gen_ai_client_operation_duration_seconds", "e2e"),
    ],
)
@pytest.mark.parametrize("part", ["bucket", "sum", "count"])
def test_dotted_and_prometheus_forms_mean_the_same(metric, measurement, part):
    found = match(f"{metric}_{part}", {"le": "1"} if part == "bucket" else {}, "")
    assert found is not None
    assert (found.measurement, found.part, found.unit) == (measurement, part, "s")


@pytest.mark.parametrize("label", ["gen_ai_token_type", "gen_ai.token.type"])
@pytest.mark.parametrize(
    ("kind", "measurement", "pool"),
    [
        ("input", "offered_prompt_tokens_total", "service"),
        ("output", "decode_tokens_total", "decode"),
    ],
)
def test_the_clients_tokens_by_type(label, kind, measurement, pool):
    found = match("gen_ai_client_token_usage_sum", {label: kind}, "")
    assert found is not None
    assert (found.measurement, found.pool, found.parts) == (measurement, pool, ())
    assert match("gen_ai_client_token_usage_count", {label: kind}, "") is None


def test_an_engines_own_name_is_better():
    own = match("vllm:time_to_first_token_seconds_sum", {"pod": "p"}, "")
    general = match("gen_ai.server.time_to_first_token_sum", {"pod": "p"}, "")
    assert own is not None
    assert general is not None
    assert own.target == general.target
    assert own.priority < general.priority
