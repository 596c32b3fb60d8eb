"""Per-request reports of inference-perf, older and newer."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest

from signals.errors import InputError
from signals.schema import REQUESTS, check_frame
from signals.store.parsed import ReadOptions
from tests.unit.store.sources.hostile import check_hostile

START = datetime(2025, 10, 9, tzinfo=UTC)


def newer(start=5001.0, **more):
    return {
        "start_time": start,
        "end_time": start + 2.0,
        "session_id": "s-1",
        "request": json.dumps({"prompt": "x", "max_tokens": 64}),
        "response": "...",
        "info": {
            "request_metrics": {"text": {"input_tokens": 512}},
            "response_metrics": {
                "output_tokens": 9,
                "server_usage": {
                    "completion_tokens": 10,
                    "prompt_tokens_details": {"cached_tokens": 128},
                },
                "output_token_times": [start + 0.25, start + 2.0],
            },
            "input_tokens": 512,
        },
        "error": None,
        **more,
    }


def older(start=5000.0, **more):
    info = {
        "input_tokens": 100,
        "output_tokens": 20,
        "output_token_times": [start + 0.5, start + 1.0],
    }
    request = {"start_time": start, "end_time": start + 1.0, "request": "x", "response": "y"}
    return {**request, "info": info, "error": None, **more}


def test_both_layouts(whole, write):
    text = json.dumps([newer(), older()])
    found = whole(write("x.json", text), ReadOptions(start=START))
    check_frame(found.log, REQUESTS)
    assert found.format == "inference-perf"
    # the clock's zero means nothing: the earliest request comes at --start
    assert found.log["arrived_at"].to_list() == [START + timedelta(seconds=1), START]
    fields = ("prompt_tokens", "cached_tokens", "output_tokens", "asked_output_tokens")
    assert found.log.select(fields).rows() == [(512, 128, 10, 64), (100, None, 20, None)]
    assert found.log.select("ttft_s", "e2e_s", "status", "session").rows() == [
        (0.25, 2.0, "ok", "s-1"),
        (0.5, 1.0, "ok", None),
    ]
    assert found.codes == {}


def test_computed_latencies_are_preferred(whole, write):
    one = newer(computed_metrics={"time_to_first_token": 0.125})
    assert whole(write("x.json", json.dumps([one]))).log["ttft_s"].to_list() == [0.125]


@pytest.mark.parametrize(
    ("kind", "status"),
    [("HTTP Error 429", "rejected"), ("TimeoutError", "timeout"), ("HTTP Error 500", "error")],
)
def test_failures(whole, write, kind, status):
    one = newer(error={"error_type": kind, "error_msg": "x"}, info=None)
    row = whole(write("x.json", json.dumps([one]))).log.row(0, named=True)
    assert (row["status"], row["ttft_s"], row["output_tokens"]) == (status, None, None)


def test_without_a_start_that_is_said(whole, write):
    assert whole(write("x.json", json.dumps([older()]))).codes == {"start_assumed": 1}


def test_records_that_are_none(whole, write):
    bad = [7, {"end_time": 1}, older(end_time=1.0), older(info={"input_tokens": -1})]
    found = whole(write("x.json", json.dumps([older(), *bad])))
    assert found.rejected == [
        (2, "no_object"),
        (3, "bad_time"),
        (4, "bad_number"),
        (5, "bad_number"),
    ]


def test_no_request_at_all(whole, write):
    with pytest.raises(InputError, match="no request"):
        whole(write("x.json", "[]"), form="inference-perf")


def test_spoiled_files(whole, write):
    sample = json.dumps([newer(5000.0 + i) for i in range(4)]).encode()
    check_hostile(whole, write, "x.json", sample, "inference-perf")
