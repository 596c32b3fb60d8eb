"""Values of OTLP's JSON: numbers as texts, attributes as labels, units, times."""

from __future__ import annotations

import math

import pytest

from signals.store.sources.otlp_values import (
    MalformedError,
    count_of,
    counts_of,
    labels_of,
    members_of,
    micros_of,
    number_of,
    resource_labels,
    unit_of,
    whole_of,
)


@pytest.mark.parametrize(
    ("value", "number"),
    [(2, 2.0), (0.5, 0.5), ("7", 7.0), ("-1.5e3", -1500.0), ("Infinity", math.inf), ("-Infinity", -math.inf)],
)  # fmt: skip
def test_numbers(value, number):
    assert number_of(value) == number


def test_not_a_number():
    assert math.isnan(number_of("NaN"))


@pytest.mark.parametrize("value", [None, True, "", "x", "1_0", "0x1", [], {}, 10**400])
def test_what_is_no_number(value):
    with pytest.raises(MalformedError) as caught:
        number_of(value)
    assert caught.value.reason == "bad_number"


def test_whole_numbers():
    assert whole_of("9223372036854775807") == 2**63 - 1
    assert (whole_of(None), whole_of("-3"), count_of("3")) == (0, -3, 3)
    assert counts_of(["1", 2]) == [1, 2]
    assert counts_of(None) == []
    for value in ("1.5", 1.5, True, "9" * 30, 2**64, "x"):
        with pytest.raises(MalformedError):
            whole_of(value)
    with pytest.raises(MalformedError):
        count_of("-1")


def test_times_are_cut_to_microseconds():
    assert micros_of("1760000000123456789") == 1_760_000_000_123_456
    assert micros_of(1760000000123456999) == 1_760_000_000_123_456
    for value in (None, "0", "-1", "soon", 2**63 - 1, "17600000001234567899999"):
        with pytest.raises(MalformedError) as caught:
            micros_of(value)
        assert caught.value.reason == "bad_time"


def test_attributes_become_labels():
    attributes = [
        {"key": "service.name", "value": {"stringValue": "vllm"}},
        {"key": "k8s.pod.name", "value": {"stringValue": "decode-0"}},
        {"key": "gen_ai.request.model", "value": {"stringValue": "m"}},
        {"key": "llm-d.ai/role", "value": {"stringValue": "decode"}},
        {"key": "0th", "value": {"intValue": "5"}},
        {"key": "on", "value": {"boolValue": True}},
        {"key": "many", "value": {"arrayValue": {"values": [{"stringValue": "a"}, {"intValue": 1}]}}},
        {"key": "map", "value": {"kvlistValue": {"values": [{"key": "k", "value": {"stringValue": "v"}}]}}},
        {"key": "empty", "value": {"stringValue": ""}},
        {"key": "none", "value": {}},
        {"key": "half", "value": {"stringValue": "\ud800"}},
        {"key": "server.port", "value": {"intValue": "7"}},
    ]  # fmt: skip
    assert labels_of(attributes) == {
        "job": "vllm",
        "pod": "decode-0",
        "gen_ai_request_model": "m",
        "llm_d_ai_role": "decode",
        "_0th": "5",
        "on": "true",
        "many": '["a","1"]',
        "map": '["v"]',
        "half": "?",
        "server_port": "7",
    }
    assert labels_of(None) == {}
    for broken in ("x", [1], [{"value": {}}], [{"key": 5}]):
        with pytest.raises(MalformedError):
            labels_of(broken)


def test_a_resource_without_what_describes_the_collecting_program():
    def pairs(**texts):
        return [
            {"key": key.replace("__", "."), "value": {"stringValue": text}}
            for key, text in texts.items()
        ]

    aside = pairs(telemetry__sdk__name="x", server__port="8000", os__type="linux", process__pid="7")
    assert resource_labels([*pairs(k8s__pod__name="a"), *aside]) == {"pod": "a"}
    assert resource_labels([*pairs(service__instance__id="a"), *aside]) == {"instance": "a"}
    # nothing else tells two processes of one host apart
    assert resource_labels([*pairs(host__name="n0"), *aside]) == {"host": "n0", "instance": "n0:7"}
    assert resource_labels(aside) == {"instance": "7"}
    assert resource_labels(None) == {}


def test_members():
    assert members_of(None) == ()
    assert members_of([1]) == [1]
    with pytest.raises(MalformedError):
        members_of({})


@pytest.mark.parametrize(
    ("text", "unit"),
    [("s", "s"), ("ms", "ms"), ("By", "B"), ("1", ""), ("", ""), (None, ""), ("{token}", "tokens"),
     ("{request}", "count"), ("%", "%"), ("furlong", ""), (5, "")],
)  # fmt: skip
def test_units(text, unit):
    assert unit_of(text) == unit
