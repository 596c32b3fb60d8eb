"""AIPerf's records."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from signals.errors import InputError
from signals.schema import REQUESTS, check_frame
from tests.unit.store.sources.hostile import check_hostile

NS = 1_760_000_000_250_000_999


def line(metadata=None, metrics=None, error=None):
    return (
        json.dumps(
            {
                "metadata": {
                    "x_correlation_id": "c-1",
                    "request_start_ns": NS,
                    "was_cancelled": False,
                    **(metadata or {}),
                },
                "metrics": {
                    "input_sequence_length": {"value": 550, "unit": "tokens"},
                    "output_token_count": {"value": 6, "unit": "tokens"},
                    "output_sequence_length": {"value": 9, "unit": "tokens"},
                    "time_to_first_token": {"value": 250.0, "unit": "ms"},
                    "request_latency": {"value": 0.5, "unit": "s"},
                }
                if metrics is None
                else metrics,
                "error": error,
            }
        )
        + "\n"
    )


def test_units_are_named_and_reasoning_counts(whole, write):
    found = whole(write("x.jsonl", line()))
    check_frame(found.log, REQUESTS)
    assert found.format == "aiperf"
    row = found.log.row(0, named=True)
    assert row["arrived_at"] == datetime(2025, 10, 9, 8, 53, 20, 250_000, tzinfo=UTC)
    assert (row["prompt_tokens"], row["output_tokens"]) == (550, 9)
    assert (row["ttft_s"], row["e2e_s"]) == (0.25, 0.5)
    assert (row["status"], row["session"]) == ("ok", "c-1")
    assert found.codes == {}


def test_failures_stay_arrivals(whole, write):
    lost = {"error_isl": {"value": 550, "unit": "tokens"}}
    text = line({"was_cancelled": True}, lost, {"code": 499, "type": "RequestCancellationError"})
    text += line(None, {}, {"code": 429, "type": "HTTPError"})
    text += line(None, {}, {"code": None, "type": "TimeoutError"})
    rows = whole(write("x.jsonl", text)).log.select("status", "prompt_tokens", "ttft_s").rows()
    assert rows == [("cancelled", 550, None), ("rejected", None, None), ("timeout", None, None)]


def test_records_that_are_none(whole, write):
    text = (
        line()
        + line({"request_start_ns": "x"})
        + line(None, {"input_sequence_length": {"value": 1.5}})
        + line(None, {"request_latency": {"value": 3, "unit": "fortnight"}})
        + line(None, {"request_latency": {"value": [1], "unit": "ms"}})
    )
    found = whole(write("x.jsonl", text))
    assert found.rejected == [(2, "bad_time"), *((n, "bad_number") for n in (3, 4, 5))]


def test_no_request_at_all(whole, write):
    with pytest.raises(InputError, match="no line is a request"):
        whole(write("x.jsonl", '{"a": 1}\n'), form="aiperf")


def test_spoiled_files(whole, write):
    check_hostile(whole, write, "x.jsonl", (line() * 4).encode(), "aiperf")
