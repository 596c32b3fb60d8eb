"""Results of vLLM's serving benchmark."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest

from signals.errors import InputError
from signals.schema import REQUESTS, check_frame
from signals.store.parsed import ReadOptions
from tests.unit.store.sources.hostile import check_hostile

START = datetime(2025, 10, 9, tzinfo=UTC)


def result(**more):
    return {
        "date": "20251009-020100",
        "backend": "vllm",
        "duration": 60.0,
        "completed": 2,
        "total_input_tokens": 300,
        "request_throughput": 0.05,
        "input_lens": [100, 200, 300],
        "output_lens": [3, 0, 2],
        "ttfts": [0.25, 0.0, 0.5],
        "itls": [[0.125, 0.125], [], [0.25]],
        "start_times": [7001.0, 7000.0, 7002.5],
        "generated_texts": ["a", "", "]b, ["],
        "errors": ["", "Too Many Requests", ""],
        "mean_ttft_ms": 375.0,
        **more,
    }


def read(whole, write, *results, **options):
    return whole(write("x.json", "\n".join(map(json.dumps, results))), ReadOptions(**options))


def test_lists_become_requests(whole, write):
    found = read(whole, write, result(), start=START)
    check_frame(found.log, REQUESTS)
    assert found.format == "vllm-bench"
    assert found.log["arrived_at"].to_list() == [
        START + timedelta(seconds=s) for s in (1.0, 0.0, 2.5)
    ]
    fields = ("prompt_tokens", "output_tokens", "ttft_s", "e2e_s", "status")
    assert found.log.select(fields).rows() == [
        (100, 3, 0.25, 0.5, "ok"),
        (200, 0, None, None, "rejected"),
        (300, 2, 0.5, 0.75, "ok"),
    ]
    assert found.codes == {}


def test_the_date_places_the_run_where_its_zone_is_known(whole, write):
    # written at the end, 02:01 in Paris, after a minute
    found = read(whole, write, result(), zone="Europe/Paris")
    assert found.log["arrived_at"].min() == START
    assert found.codes == {"start_from_date": 1}


@pytest.mark.parametrize("date", ["today", "", 7, "20251340-000000"])
def test_a_date_that_is_none_places_nothing(whole, write, date):
    found = read(whole, write, result(date=date), zone="UTC")
    assert found.codes == {"start_assumed": 1}


def test_results_that_were_appended(whole, write):
    assert read(whole, write, result(), result(), start=START).log.height == 6


def test_a_summary_says_how_to_get_the_requests(whole, write):
    summary = {k: v for k, v in result().items() if not k.endswith(("s", "times"))}
    with pytest.raises(InputError, match="no requests") as caught:
        read(whole, write, {**summary, "total_input_tokens": 1})
    assert "--save-detailed" in caught.value.hint


def test_lists_of_different_lengths(whole, write):
    with pytest.raises(InputError, match="different lengths"):
        read(whole, write, result(ttfts=[0.5]))


def test_records_that_are_none(whole, write):
    bad = result(
        input_lens=[100, None, 300], start_times=["x", 7000.0, 7001.0], itls=[[], [], ["x"]]
    )
    found = read(whole, write, bad)
    assert found.rejected == [(1, "bad_time"), (2, "bad_number"), (3, "bad_number")]


def test_spoiled_files(whole, write):
    check_hostile(whole, write, "x.json", json.dumps(result()).encode(), "vllm-bench")
