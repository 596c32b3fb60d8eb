"""GenAI-Perf's profiles."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from signals.errors import InputError
from signals.schema import REQUESTS, check_frame
from tests.unit.store.sources.hostile import check_hostile

NS = 1_760_000_000_000_000_000
USAGE = (
    'data: {"choices":[],"usage":{"prompt_tokens":50,"completion_tokens":2,"total_tokens":52}}\n'
)


def said(content):
    return f'data: {{"choices":[{{"delta":{{"content":"{content}"}}}}]}}\n\n'


def request(**more):
    texts = [said(""), said("dogs"), said("bark"), USAGE, "data: [DONE]\n\n"]
    return {
        "timestamp": NS,
        "request_inputs": {"payload": '{"messages":[],"max_tokens":16}'},
        "response_timestamps": [NS + i * 10**8 for i in range(1, 6)],
        "response_outputs": [{"response": text} for text in texts],
        **more,
    }


def profile(*requests):
    experiment = {"experiment": {"mode": "concurrency", "value": 1}, "requests": list(requests)}
    return json.dumps({"service_kind": "openai", "experiments": [experiment], "version": "2.59"})


def test_empty_responses_are_no_tokens(whole, write):
    found = whole(write("x.json", profile(request())))
    check_frame(found.log, REQUESTS)
    assert found.format == "genai-perf"
    row = found.log.row(0, named=True)
    assert row["arrived_at"] == datetime(2025, 10, 9, 8, 53, 20, tzinfo=UTC)
    assert row["ttft_s"] == pytest.approx(0.2)
    assert row["e2e_s"] == pytest.approx(0.3)
    counts = (row["prompt_tokens"], row["output_tokens"], row["asked_output_tokens"])
    assert counts == (50, 2, 16)
    assert (row["status"], found.codes) == ("ok", {})


def test_texts_without_counts_are_said(whole, write):
    triton = request(
        request_inputs={"text_input": "x"},
        response_timestamps=[NS + 10**8, NS + 3 * 10**8],
        response_outputs=[{"text_output": "I"}, {"text_output": " like"}],
    )
    found = whole(write("x.json", profile(triton)))
    assert found.log["output_tokens"].to_list() == [None]
    assert found.log.select("ttft_s", "e2e_s").row(0) == pytest.approx((0.1, 0.3))
    assert found.codes == {"no_token_counts": 1}


def test_a_request_without_a_response_failed(whole, write):
    lost = request(response_timestamps=[], response_outputs=[])
    assert whole(write("x.json", profile(lost))).log["status"].to_list() == ["error"]


def test_records_that_are_none(whole, write):
    found = whole(write("x.json", profile(request(), 7, request(timestamp="x"))))
    assert found.rejected == [(2, "no_object"), (3, "bad_time")]


def test_no_request_at_all(whole, write):
    with pytest.raises(InputError, match="no request"):
        whole(write("x.json", '{"experiments": []}'))


def test_spoiled_files(whole, write):
    sample = profile(request(), request(timestamp=NS + 1)).encode()
    check_hostile(whole, write, "x.json", sample, "genai-perf")
