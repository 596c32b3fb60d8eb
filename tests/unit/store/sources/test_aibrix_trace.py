"""AIBrix' autoscaling traces."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from signals.errors import InputError
from signals.schema import REQUESTS, check_frame
from signals.store.parsed import ReadOptions
from tests.unit.store.sources.hostile import check_hostile

START = datetime(2025, 10, 9, tzinfo=UTC)
HEAD = "timestamp_ms,prompt_tokens,output_tokens\n"
ROWS = "6011,178,8.0\n6917,258,\n6917,1,0\n"


def test_milliseconds_from_the_start(whole, write):
    found = whole(write("x.csv", HEAD + ROWS), ReadOptions(start=START))
    check_frame(found.log, REQUESTS)
    assert found.format == "aibrix-trace"
    assert found.log.select("arrived_at", "prompt_tokens", "output_tokens").rows() == [
        (START.replace(second=6, microsecond=11_000), 178, 8),
        (START.replace(second=6, microsecond=917_000), 258, None),
        (START.replace(second=6, microsecond=917_000), 1, 0),
    ]
    assert found.codes == {"no_output_length": 1}


def test_records_that_are_none(whole, write):
    found = whole(write("x.csv", HEAD + ROWS + "x,1,2\n1,,2\n1,1.5,2\n1,2,x\n"))
    assert found.rejected == [(5, "bad_time"), *((n, "bad_number") for n in (6, 7, 8))]


def test_a_missing_column_is_named(whole, write):
    with pytest.raises(InputError, match="'output_tokens' is missing"):
        whole(write("x.csv", "timestamp_ms,prompt_tokens\n1,2\n"), form="aibrix-trace")


def test_a_header_alone(whole, write):
    with pytest.raises(InputError, match="no row"):
        whole(write("x.csv", HEAD))


def test_spoiled_files(whole, write):
    check_hostile(whole, write, "x.csv", (HEAD + ROWS * 5).encode(), "aibrix-trace")


def test_the_published_trace(whole, shared):
    path = shared / "data" / "traces" / "aibrix_autoscaling_8min_up_and_down.csv.gz"
    found = whole(path)
    assert (found.log.height, found.rejects) == (2026, [])
    assert found.log["output_tokens"].null_count() == 2
