"""The BurstGPT replay's records."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest

from signals.errors import InputError
from signals.schema import REQUESTS, check_frame
from signals.store.parsed import ReadOptions
from tests.unit.store.sources.conftest import BASE
from tests.unit.store.sources.hostile import check_hostile

START = datetime(2025, 10, 9, tzinfo=UTC)


def request(event=0, **more):
    return {
        "event_id": event,
        "out_len": 409,
        "out_len_expected": 1024,
        "in_len": 476,
        "first_chunk_time": 0.25,
        "total_chunk_time": 2.5,
        "record_time": 100.0 + event,
        **more,
    }


def text(*requests):
    return json.dumps({str(i): one for i, one in enumerate(requests)})


def test_the_record_is_made_at_the_end(whole, write):
    found = whole(write("x.json", text(request(0), request(3))), ReadOptions(start=START))
    check_frame(found.log, REQUESTS)
    assert found.format == "vllm-detail-log"
    row = found.log.row(1, named=True)
    # the clock's zero means nothing: the earliest request comes at --start
    assert found.log["arrived_at"].to_list() == [START, START + timedelta(seconds=3)]
    assert (row["ttft_s"], row["e2e_s"], row["status"]) == (0.25, 2.5, "ok")
    # out_len counts characters
    assert (row["asked_output_tokens"], row["output_tokens"]) == (1024, None)
    assert found.codes == {"output_not_in_tokens": 2}


def test_records_that_are_none(whole, write):
    bad = [request(record_time="x"), request(total_chunk_time=None), request(in_len=-1), 7, {}]
    found = whole(write("x.json", text(request(), *bad)))
    assert [(line, reason) for line, reason in found.rejected] == [
        (2, "bad_time"),
        (3, "bad_time"),
        (4, "bad_number"),
        (5, "no_object"),
        (6, "no_object"),
    ]


def test_no_request_at_all(whole, write):
    with pytest.raises(InputError, match="no request"):
        whole(write("x.json", "{}"), form="vllm-detail-log")


def test_spoiled_files(whole, write):
    sample = text(*(request(i) for i in range(5))).encode()
    check_hostile(whole, write, "x.json", sample, "vllm-detail-log")


@pytest.mark.parametrize(("scale", "span_s"), [(100, 389.653), (1500, 25.979)])
def test_the_published_replays(whole, shared, scale, span_s):
    name = f"detail_log_scale{scale}_prompt500.json.gz"
    found = whole(shared / "data" / "vllm_burstgpt_scales" / name)
    assert (found.log.height, found.rejects) == (500, [])
    stamps = found.log["arrived_at"]
    # the same 500 arrivals at each speed-up
    assert (stamps.max() - stamps.min()).total_seconds() == pytest.approx(span_s, abs=0.001)


def test_a_replay_and_its_engine_log_begin_together(whole, shared):
    folder = shared / "data" / "vllm_burstgpt_scales"
    read = ReadOptions(start=START)
    arrivals = whole(folder / "detail_log_scale100_prompt500.json.gz", read).log["arrived_at"]
    engine = whole(folder / "vllm_log_scale100_prompt500.csv.gz", read)
    first = min(engine.seconds) - (START.timestamp() - BASE)
    assert (arrivals.min() - START).total_seconds() == pytest.approx(first, abs=0.05)
