"""Rows of a log to rows of the request form."""

from __future__ import annotations

import polars as pl

from signals.schema import REQUESTS, check_frame
from signals.store.parsed import ReadOptions, Reject
from signals.store.sources.part import TablePart
from signals.store.sources.request_part import RequestField, complete_requests, request_chunk
from signals.store.sources.stamps import StampReader


def chunk(frame, fields, *, needed=(), rejects=()):
    lines = pl.Series("line", range(1, frame.height + 1), dtype=pl.Int64)
    reader = StampReader("x, 't'", ReadOptions(), unit="s", relative="start")
    return request_chunk(TablePart(frame, lines, rejects), reader, "t", fields, needed=needed)


def test_a_row_without_what_it_needs_is_rejected_once():
    frame = pl.DataFrame(
        {"t": ["0", "x", "2", "3"], "p": ["1", "x", None, "1.5"], "o": ["7", "8", "9", "x"]}
    )
    fields = {"prompt_tokens": RequestField("p"), "output_tokens": RequestField("o")}
    found = chunk(frame, fields, needed=("prompt_tokens",))
    check_frame(found.requests, REQUESTS)
    assert found.requests["prompt_tokens"].to_list() == [1]
    assert [(one.line, one.reason) for one in found.rejects] == [
        (2, "bad_time"),
        (3, "bad_number"),
        (4, "bad_number"),
    ]
    assert found.rows_read == 4


def test_latencies_have_a_unit_and_nan_is_missing():
    frame = pl.DataFrame({"t": ["0", "1", "2", "3"], "l": ["250", "NaN", "inf", "-1"]})
    found = chunk(frame, {"ttft_s": RequestField("l", 1e-3)})
    assert found.requests["ttft_s"].to_list() == [0.25, None]
    assert [one.line for one in found.rejects] == [3, 4]


def test_earlier_rejects_are_counted_in_order():
    frame = pl.DataFrame({"t": ["x"]})
    found = chunk(frame, {}, rejects=(Reject(9, "open_quote", "y"), Reject(0, "a", "")))
    assert [one.line for one in found.rejects] == [0, 1, 9]
    assert found.rows_read == 3


def test_block_hashes_pass_as_they_are():
    frame = pl.DataFrame({"t": ["0", "x"], "h": [[1, 2], [3]]})
    found = chunk(frame, {"block_hashes": RequestField("h")})
    assert found.requests["block_hashes"].to_list() == [[1, 2]]


def test_the_form_is_complete():
    frame = complete_requests(
        pl.DataFrame({"arrived_at": pl.Series([], dtype=REQUESTS.polars()["arrived_at"])})
    )
    assert dict(frame.schema) == REQUESTS.polars()
