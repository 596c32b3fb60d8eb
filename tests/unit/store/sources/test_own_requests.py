"""The request form: counts, latencies, statuses."""

from __future__ import annotations

from datetime import UTC, datetime

import polars as pl
import pytest

from signals.errors import InputError
from signals.schema import REQUESTS, check_frame
from signals.store.parsed import NameChoice, ReadOptions

TEXT = """arrived_at,prompt_tokens,output_tokens,ttft_s,status,client
2025-10-09T08:53:20.25Z,5,6,0.5,ok,a
2025-10-09T08:53:21Z,-5,6,0.5,ok,a
2025-10-09T08:53:22Z,7,,NaN,lost,a
2025-10-09T08:53:23Z,7,8,-1,ok,a
"""


def test_rows_become_requests(whole, write):
    found = whole(write("x.csv", TEXT))
    assert found.format == "own-requests"
    check_frame(found.log, REQUESTS)
    rows = found.log.select(
        "arrived_at", "prompt_tokens", "output_tokens", "ttft_s", "status"
    ).rows()
    assert rows == [
        (datetime(2025, 10, 9, 8, 53, 20, 250_000, tzinfo=UTC), 5, 6, 0.5, "ok"),
        (datetime(2025, 10, 9, 8, 53, 22, tzinfo=UTC), 7, None, None, "lost"),
    ]
    assert found.rejected == [(3, "bad_number"), (5, "bad_number")]
    assert found.codes == {"unknown_status": 1, "unused_column": 1}
    assert found.rows_read == 4


@pytest.mark.parametrize("missing", ["prompt_tokens", "output_tokens"])
def test_a_missing_column(whole, write, missing):
    names = [n for n in ("arrived_at", "prompt_tokens", "output_tokens") if n != missing]
    with pytest.raises(InputError, match=f"'{missing}' is missing") as caught:
        whole(write("x.csv", ",".join(names) + "\n2025-10-09T08:53:20Z,5\n"))
    assert f"--map 'COLUMN={missing}'" in caught.value.hint


def test_epoch_arrivals(whole, write):
    text = "arrived_at [ms],prompt_tokens,output_tokens\n1760000000250,1,2\n"
    assert whole(write("x.csv", text)).log["arrived_at"][0].microsecond == 250_000


def test_parquet(whole, tmp_path):
    path = tmp_path / "x.parquet"
    pl.DataFrame(
        {
            "arrived_at": [datetime(2025, 10, 9, 8, 53, 20, tzinfo=UTC)],
            "prompt_tokens": [5],
            "output_tokens": [6.0],
            "session": [17],
        }
    ).write_parquet(path)
    row = whole(path).log.row(0, named=True)
    assert (row["prompt_tokens"], row["output_tokens"], row["session"]) == (5, 6, "17")


def test_the_live_fleets_log(whole, shared):
    path = shared / "data" / "dynamo_pd_run" / "ground_truth" / "requests.own_form.csv.gz"
    found = whole(path)
    assert found.log.height == 5875
    assert found.log.filter(pl.col("status") == "ok").height == 5485
    assert found.rejects == []
    # mean TTFT 5.610 s, as the run's README states
    assert found.log["ttft_s"].mean() == pytest.approx(5.610, abs=0.005)


def test_columns_named_by_the_user(whole, write):
    choices = {
        "when": NameChoice("arrived_at", "ms"),
        "in": NameChoice("prompt_tokens", ""),
        "out": NameChoice("output_tokens", "tokens"),
        "first": NameChoice("ttft_s", "ms"),
    }
    path = write("x.csv", "when,in,out,first\n1760000000000,5,6,250\n")
    found = whole(path, ReadOptions(columns=choices), form="own-requests")
    assert found.log["ttft_s"].to_list() == [0.25]
    assert found.findings == []
    choices["first"] = NameChoice("ttft_s", "tokens")
    with pytest.raises(InputError, match="no unit of time"):
        whole(path, ReadOptions(columns=choices), form="own-requests")


def test_a_missing_column_is_told_with_the_true_header(write, whole):
    path = write("x.csv", "arrived_at [ms],prompt_tokens\n1760000000000,5\n")
    with pytest.raises(InputError, match="column 'output_tokens' is missing") as caught:
        whole(path)
    assert caught.value.where.endswith("header: arrived_at [ms], prompt_tokens")
    assert caught.value.expected.endswith("columns arrived_at, prompt_tokens, output_tokens")
