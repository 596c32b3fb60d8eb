"""LLMServingSim: two clocks joined."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from signals.errors import InputError
from signals.schema import REQUESTS, check_frame
from tests.unit.store.sources.hostile import check_hostile

T0 = 1_787_267_980


def line(arrival=0.0, queued=0.0, first=1.0, last=2.0, zero=27_536.0, **more):
    """A request; times in seconds after T0 on both clocks."""
    stamps = {
        "request_id": "bench-0",
        "input_toks": 10,
        "output_toks": 20,
        "arrival_time": T0 + arrival,
        "queued_ts": zero + queued,
        "first_token_ts": zero + first,
        "last_token_ts": zero + last,
    }
    return json.dumps({**stamps, **more}) + "\n"


def test_latencies_count_from_the_arrival(whole, write):
    # the first is queued at once; the second waits half a second for the queue, which is part of what it felt
    text = line() + line(arrival=10.0, queued=10.5, first=11.0, last=12.0)
    found = whole(write("x.jsonl", text))
    check_frame(found.log, REQUESTS)
    assert found.format == "llmservingsim-requests"
    assert found.log["arrived_at"][0] == datetime.fromtimestamp(T0, UTC)
    assert found.log["ttft_s"].to_list() == pytest.approx([1.0, 1.0], abs=1e-6)
    assert found.log["e2e_s"].to_list() == pytest.approx([2.0, 2.0], abs=1e-6)
    (told,) = found.findings
    assert (told.code, told.count) == ("two_clocks", 2)
    assert "up to 0.500 s" in told.action


def test_requests_that_did_not_end(whole, write):
    text = line() + line(first_token_ts=0.0, last_token_ts=None)
    rows = whole(write("x.jsonl", text)).log.select("ttft_s", "e2e_s", "status").rows()
    assert rows[1] == (None, None, "error")
    assert rows[0][2] == "ok"


def test_without_a_queue_there_is_nothing_to_join(whole, write):
    found = whole(write("x.jsonl", line(queued_ts=None)))
    assert found.log.select("ttft_s", "e2e_s").row(0) == (None, None)
    assert found.codes == {}


def test_records_that_are_none(whole, write):
    text = (
        line()
        + line(arrival_time="x")
        + line(input_toks=1.5)
        + line(last_token_ts="x")
        + line(first=-5)
    )
    found = whole(write("x.jsonl", text))
    assert found.rejected == [(2, "bad_time"), *((n, "bad_number") for n in (3, 4, 5))]


def test_no_request_at_all(whole, write):
    with pytest.raises(InputError, match="no line is a request"):
        whole(write("x.jsonl", line(arrival_time="x")))


def test_spoiled_files(whole, write):
    sample = "".join(line(arrival=i, queued=i, first=i + 1, last=i + 2) for i in range(5)).encode()
    check_hostile(whole, write, "x.jsonl", sample, "llmservingsim-requests")


@pytest.mark.parametrize(
    "name", ["RTX4090_Llama-3.1-8B", "RTXPRO6000_Llama-3.1-8B", "RTXPRO6000_Qwen3-32B"]
)
def test_the_published_runs(whole, shared, name):
    found = whole(shared / "data" / "llmservingsim_vllm" / f"{name}_requests.jsonl.gz")
    assert (found.log.height, found.rejects) == (300, [])
    assert found.codes == {"two_clocks": 300}
    assert (found.log["e2e_s"] >= found.log["ttft_s"]).all()
    assert found.log["e2e_s"].max() < 185  # the longest run took three minutes
