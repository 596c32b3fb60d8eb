"""What CloudWatch's texts say about a result."""

from __future__ import annotations

import pytest

from signals.store.sources.cloudwatch_label import note_statistic, read_label, read_unit_name


@pytest.mark.parametrize(
    ("label", "more", "name", "labels", "unit", "pool"),
    [
        ("vllm-prefill GPUUtilization", {}, "", {}, "", "prefill"),
        ("vllm:num_requests_waiting", {}, "vllm:num_requests_waiting", {}, "", ""),
        (
            "decode-0 vllm:num_requests_waiting",
            {"unit": "count"},
            "vllm:num_requests_waiting",
            {"instance": "decode-0"},
            "count",
            "decode",
        ),
        (
            "decode gpu",
            {
                "metric": "nvidia_smi_utilization_gpu",
                "full": "CWAgent nvidia_smi_utilization_gpu ip-10-0-1-9 0",
                "unit": "MB",
            },
            "gpu_util",
            {"instance": "ip-10-0-1-9", "gpu": "0"},
            "%",
            "decode",
        ),
        ("nvidia_smi_memory_used", {"unit": "MB"}, "fb_used", {}, "MiB", ""),
        ("requests running", {}, "", {}, "", ""),
        ("my_own_thing", {}, "", {}, "", ""),
    ],
)
def test_labels(label, more, name, labels, unit, pool):
    legend, findings = read_label(label, **more)
    assert (legend.text, legend.name, legend.unit, legend.pool) == (label, name, unit, pool)
    assert dict(legend.labels) == labels
    assert findings == []


def test_ids_and_names_are_aliases():
    legend, _ = read_label(
        "x y", metric="CPUUtilization", full="AWS/EC2 CPUUtilization i-1", aliases=("m1",)
    )
    assert legend.aliases == ("m1", "CPUUtilization", "AWS/EC2 CPUUtilization i-1")


def test_counters_are_what_was_added():
    legend, findings = read_label("vllm:generation_tokens_total")
    assert legend.name == "vllm:generation_tokens_total"
    assert [finding.code for finding in findings] == ["count_per_interval"]


def test_units():
    assert [
        read_unit_name(text) for text in ("Percent", "Milliseconds", "None", "", "Terabits")
    ] == [
        "%",
        "ms",
        "",
        "",
        "",
    ]


def test_statistics():
    assert note_statistic("Average", "x") == note_statistic("p99", "x") == []
    (finding,) = note_statistic("Sum", "x")
    assert (finding.code, finding.subject) == ("statistic", "x")
