"""Mooncake: milliseconds and block hashes."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from signals.errors import InputError
from signals.schema import REQUESTS, check_frame
from signals.store.parsed import ReadOptions
from tests.unit.store.sources.hostile import check_hostile

START = datetime(2025, 10, 9, tzinfo=UTC)


def line(timestamp=0, input_length=1024, output_length=5, **more):
    return (
        json.dumps(
            {
                "timestamp": timestamp,
                "input_length": input_length,
                "output_length": output_length,
                **more,
            }
        )
        + "\n"
    )


def test_milliseconds_and_hashes(whole, write):
    text = line(0, hash_ids=[1, 2]) + line(27_482.5, hash_ids=[1, 3], session_id="a")
    found = whole(write("x.jsonl", text), ReadOptions(start=START))
    check_frame(found.log, REQUESTS)
    assert found.format == "mooncake-jsonl"
    assert found.log.select("arrived_at", "session", "block_hashes").rows() == [
        (START, None, [1, 2]),
        (START.replace(second=27, microsecond=482_500), "a", [1, 3]),
    ]
    assert found.log["cached_tokens"].null_count() == 2


def test_the_hits_of_an_endless_cache_are_told_not_stored(whole, write):
    text = line(0, hash_ids=[1, 2]) + line(1, hash_ids=[1, 3]) + line(2, hash_ids=[1, 3, 4])
    (told,) = [f for f in whole(write("x.jsonl", text)).findings if f.code == "prefix_cache_bound"]
    assert told.count == 3
    assert "0.4286 of 7 prompt blocks" in told.text


def test_a_trace_without_hashes(whole, write):
    found = whole(write("x.jsonl", line(0) + line(1, hash_ids=None)), ReadOptions(start=START))
    assert found.log["block_hashes"].null_count() == 2
    assert found.codes == {}


def test_hashes_are_signed_numbers_of_64_bits(whole, write):
    text = line(0, hash_ids=[2**64 - 1, -(2**63), 0]) + line(1, hash_ids=[2**64])
    found = whole(write("x.jsonl", text))
    assert found.log["block_hashes"].to_list() == [[-1, -(2**63), 0]]
    assert found.rejected == [(2, "bad_hash")]


@pytest.mark.parametrize("hashes", ["[1]", {"a": 1}, [1.5], [True], ["1"], [[1]], [None]])
def test_hashes_that_are_none(whole, write, hashes):
    text = line(0) + line(1, hash_ids=hashes)
    assert whole(write("x.jsonl", text)).rejected == [(2, "bad_hash")]


def test_records_that_are_none(whole, write):
    text = (
        line(0)
        + line("x")
        + line(None)
        + line(1, input_length=-1)
        + line(1, input_length=None)
        + line(1, output_length=[1])
        + "[1]\n{\n"
        + line(1, output_length=float("nan"))
    )
    found = whole(write("x.jsonl", text))
    assert found.log.height == 1
    assert found.rejected == [
        (2, "bad_time"),
        (3, "bad_time"),
        *((n, "bad_number") for n in (4, 5, 6)),
        (7, "no_object"),
        (8, "bad_json"),
        (9, "bad_number"),
    ]
    assert found.rows_read == 9


def test_no_request_at_all(whole, write):
    with pytest.raises(InputError, match="no line is a request"):
        whole(write("x.jsonl", line("x")))


def test_spoiled_files(whole, write):
    sample = "".join(line(i * 3000, hash_ids=[0, i]) for i in range(8)).encode()
    check_hostile(whole, write, "x.jsonl", sample, "mooncake-jsonl")


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.lists(st.integers(0, 9), max_size=6), min_size=1, max_size=20))
def test_hits_are_all_blocks_but_the_distinct_ones(whole, write, hashes):
    text = "".join(line(i, hash_ids=one) for i, one in enumerate(hashes))
    blocks = [block for one in hashes for block in one]
    told = [
        f.count for f in whole(write("x.jsonl", text)).findings if f.code == "prefix_cache_bound"
    ]
    assert told == ([len(blocks) - len(set(blocks))] if blocks else [])


def test_the_published_trace(whole, shared):
    path = shared / "data" / "traces" / "mooncake_fast25_conversation_trace.jsonl.gz"
    found = whole(path)
    assert (found.log.height, found.rejects) == (12_031, [])
    told = {f.code: f.text for f in found.findings}
    assert "12031 requests share 1180 stamps, about 3 s apart" in told["quantised_times"]
    assert "would hit 0.3664 of 288500 prompt blocks" in told["prefix_cache_bound"]
