"""GuideLLM's reports, older and newer."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from signals.errors import InputError
from signals.schema import REQUESTS, check_frame
from tests.unit.store.sources.hostile import check_hostile

T0 = 1_760_000_000.25


def newer(**more):
    return {
        "request_id": "r-1",
        "request_args": json.dumps({"body": {"max_tokens": 64}}),
        "info": {
            "conversation_id": "c-1",
            "status": "completed",
            "timings": {
                "request_start": T0,
                "first_token_iteration": T0 + 0.25,
                "request_end": T0 + 1.5,
            },
        },
        "input_metrics": {"text_tokens": 100, "cached_tokens": 16, "total_tokens": 100},
        "output_metrics": {"total_tokens": 20},
        **more,
    }


def older(**more):
    return {
        "start_time": T0,
        "end_time": T0 + 2.0,
        "prompt_tokens": 7,
        "output_tokens": 8,
        "time_to_first_token_ms": 125.0,
        **more,
    }


def report(total=None, **groups):
    benchmark = {
        "config": {"run_id": "x"},
        "metrics": {"request_totals": {"total": total or 0}, "x": {"y": [1]}},
        "requests": {"total": None, **groups},
    }
    return json.dumps(
        {"metadata": {"guidellm_version": "0.6.0"}, "args": {}, "benchmarks": [benchmark]}
    )


def test_both_layouts(whole, write):
    found = whole(write("x.json", report(2, successful=[newer(), older()])))
    check_frame(found.log, REQUESTS)
    assert found.format == "guidellm"
    assert found.log["arrived_at"][0] == datetime(2025, 10, 9, 8, 53, 20, 250_000, tzinfo=UTC)
    fields = ("prompt_tokens", "cached_tokens", "output_tokens", "asked_output_tokens")
    assert found.log.select(fields).rows() == [(100, 16, 20, 64), (7, None, 8, None)]
    assert found.log.select("ttft_s", "e2e_s", "status", "session").rows() == [
        (0.25, 1.5, "ok", "c-1"),
        (0.125, 2.0, "ok", None),
    ]
    assert found.codes == {}


def test_groups_tell_how_requests_ended(whole, write):
    failed = newer(info={"error": "429 Too Many Requests", "timings": {"resolve_start": T0}})
    text = report(incomplete=[newer()], errored=[failed], successful=[])
    found = whole(write("x.json", text))
    assert found.log["status"].to_list() == ["cancelled", "rejected"]


def test_a_sample_of_the_requests_is_said(whole, write):
    found = whole(write("x.json", report(10, successful=[older()])))
    assert found.codes == {"sampled_requests": 9}


def test_records_that_are_none(whole, write):
    bad = [7, older(start_time="x"), older(prompt_tokens=-1), older(time_to_first_token_ms="x")]
    found = whole(write("x.json", report(successful=[older(), *bad])))
    assert found.rejected == [
        (2, "no_object"),
        (3, "bad_time"),
        (4, "bad_number"),
        (5, "bad_number"),
    ]


def test_no_request_at_all(whole, write):
    with pytest.raises(InputError, match="no request"):
        whole(write("x.json", report()))


def test_spoiled_files(whole, write):
    sample = report(2, successful=[newer(), older()], errored=[]).encode()
    check_hostile(whole, write, "x.json", sample, "guidellm")
