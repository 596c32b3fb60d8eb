"""BurstGPT: seconds of local days, failures without tokens."""

from __future__ import annotations

from datetime import UTC, datetime

import polars as pl
import pytest

from signals.errors import InputError
from signals.schema import REQUESTS, check_frame
from signals.store.parsed import ReadOptions
from tests.unit.store.sources.hostile import check_hostile

START = datetime(2025, 10, 9, tzinfo=UTC)
HEAD = "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n"
ROWS = "0,ChatGPT,472,18,490,Conversation log\n5,GPT-4,417,0,417,API log\n5,GPT-4,0,0,0,API log\n"


def test_seconds_count_from_the_given_start(whole, write):
    found = whole(write("x.csv", HEAD + ROWS), ReadOptions(start=START))
    check_frame(found.log, REQUESTS)
    assert found.format == "burstgpt"
    assert found.log.select("arrived_at", "prompt_tokens", "output_tokens", "status").rows() == [
        (START, 472, 18, "ok"),
        (START.replace(second=5), 417, 0, "error"),
        (START.replace(second=5), 0, 0, "error"),
    ]
    assert found.codes == {"failed_requests": 2}


def test_without_a_start_they_count_from_1970_and_that_is_said(whole, write):
    found = whole(write("x.csv", HEAD + ROWS))
    assert found.log["arrived_at"][0] == datetime(1970, 1, 1, tzinfo=UTC)
    assert found.codes["start_assumed"] == 1


def test_the_newer_columns(whole, write):
    head = "Timestamp,Session ID,Elapsed time,Model,Request tokens,Response tokens,Total tokens,Log Type\n"
    rows = (
        "19440110.0,a-1,2.5,GPT-4,10,20,30,Conversation log\n19440111.5,,,GPT-4,10,20,30,API log\n"
    )
    found = whole(write("x.csv", head + rows), ReadOptions(start=START))
    assert found.log.select("session", "e2e_s").rows() == [("a-1", 2.5), (None, None)]
    gap = found.log["arrived_at"].diff().dt.total_milliseconds()[1]
    assert gap == 1500


def test_records_that_are_none(whole, write):
    rows = ROWS + "x,G,1,2,3,A\n7,G,,2,2,A\n8,G,1,-2,3,A\n9,G,1e30,2,3,A\n10,G,1\n"
    found = whole(write("x.csv", HEAD + rows), ReadOptions(start=START))
    assert found.log.height == 3
    assert [line for line, _ in found.rejected] == [5, 6, 7, 8, 9]


def test_rounded_stamps_are_said(whole, write):
    rows = "".join(f"{i // 4},G,1,2,3,A\n" for i in range(40))
    assert whole(write("x.csv", HEAD + rows)).codes["quantised_times"] == 30


def test_milliseconds_are_refused(whole, write):
    with pytest.raises(InputError, match="beyond the year"):
        whole(write("x.csv", HEAD + "1760000000000,G,1,2,3,A\n"))


@pytest.mark.parametrize("missing", ["Timestamp", "Request tokens"])
def test_a_missing_column_is_named(whole, write, missing):
    with pytest.raises(InputError, match=f"'{missing}' is missing"):
        whole(write("x.csv", HEAD.replace(missing, "Other") + ROWS), form="burstgpt")


def test_a_header_alone(whole, write):
    with pytest.raises(InputError, match="no row"):
        whole(write("x.csv", HEAD))


def test_spoiled_files(whole, write):
    check_hostile(whole, write, "x.csv", (HEAD + ROWS * 5).encode(), "burstgpt")


def test_the_traces_head(whole, shared):
    found = whole(shared / "data" / "traces" / "burstgpt_head_fixture.csv")
    assert found.log.height == 61
    assert found.log.filter(pl.col("status") == "error").height == 4
    assert found.codes["near_idle"] == 61
