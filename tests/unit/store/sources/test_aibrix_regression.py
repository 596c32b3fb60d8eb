"""Results of multi-round question answering."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from signals.errors import InputError
from signals.schema import REQUESTS, check_frame
from tests.unit.store.sources.hostile import check_hostile

HEAD = (
    "stack,offered_qps,prompt_tokens,generation_tokens,ttft,generation_time,"
    "user_id,question_id,launch_time,finish_time\n"
)
ROWS = (
    "a,4.1,21073.0,100.0,0.5,1.25,2,1,1742758063.5,1742758065.25\n"
    "a,4.1,21073.0,100.0,0.25,1.5,3,1,1742758065.5,1742758067.25\n"
)


def test_rows_become_requests(whole, write):
    found = whole(write("x.csv", HEAD + ROWS))
    check_frame(found.log, REQUESTS)
    assert found.format == "aibrix-regression"
    row = found.log.row(0, named=True)
    assert row["arrived_at"] == datetime(2025, 3, 23, 19, 27, 43, 500_000, tzinfo=UTC)
    assert (row["prompt_tokens"], row["output_tokens"]) == (21073, 100)
    # the generation begins at the first token: it is no time from the arrival
    assert (row["ttft_s"], row["e2e_s"], row["session"]) == (0.5, 1.75, "a 4.1 2")
    assert found.codes == {}


def test_runs_that_are_mixed_are_said(whole, write):
    other = "b,0.1,1,1,0.1,0.1,1,1,1742759063.5,1742759065.5\n"
    found = whole(write("x.csv", HEAD + ROWS + other))
    assert found.codes == {"mixed_runs": 2}


def test_a_run_of_its_own_has_no_stack(whole, write):
    head = HEAD.removeprefix("stack,offered_qps,")
    found = whole(write("x.csv", head + "1,2,0.1,0.2,9,1,1742758063.5,1742758065.5\n"))
    assert found.log["session"].to_list() == ["9"]


def test_records_that_are_none(whole, write):
    bad = (
        "a,1,1,1,0.1,0.1,1,1,x,1742758065\n"
        "a,1,x,1,0.1,0.1,1,1,1742758063,1742758065\n"
        "a,1,1,1,0.1,0.1,1,1,1742758066,1742758065\n"
    )
    found = whole(write("x.csv", HEAD + ROWS + bad))
    assert found.rejected == [(4, "bad_time"), (5, "bad_number"), (6, "bad_number")]


def test_a_missing_column_is_named(whole, write):
    with pytest.raises(InputError, match="'finish_time' is missing"):
        whole(write("x.csv", HEAD.replace("finish_time", "x") + ROWS), form="aibrix-regression")


def test_spoiled_files(whole, write):
    check_hostile(whole, write, "x.csv", (HEAD + ROWS * 5).encode(), "aibrix-regression")


def test_the_published_results(whole, shared):
    path = shared / "data" / "vllm_requests" / "aibrix_regression_v0.2.1_20250323.csv.gz"
    found = whole(path)
    assert (found.log.height, found.rejects) == (14374, [])
    assert found.codes == {"mixed_runs": 66}
    assert found.log["prompt_tokens"].mean() == pytest.approx(21_000, rel=0.01)
    assert set(found.log["output_tokens"]) == {100}
