"""Azure's request traces."""

from __future__ import annotations

import polars as pl
import pytest

from signals.errors import InputError


def test_case_15_seven_digits(whole, shared):
    log = whole(shared / "cases" / "15-azure-seven-digits" / "input.csv").log
    offsets = (log["arrived_at"] - log["arrived_at"][0]).dt.total_microseconds().to_list()
    assert offsets == pytest.approx([0, 1000.4, 8000, 10000.1], abs=1.0)
    assert log["prompt_tokens"].sum() == 1740
    assert log["output_tokens"].sum() == 224


def test_naive_times_are_utc_and_that_is_said(whole, write):
    text = "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:00:00.0010000,374,44\n"
    found = whole(write("x.csv", text))
    assert found.format == "azure-trace"
    assert found.log["arrived_at"][0].isoformat() == "2023-11-16T18:00:00.001000+00:00"
    assert found.codes == {"zone_assumed": 1}


def test_the_2024_trace_has_zones(whole, write):
    text = "TIMESTAMP,ContextTokens,GeneratedTokens\n2024-05-10 00:00:00.009930+00:00,2162,5\n"
    found = whole(write("x.csv", text))
    assert found.log["arrived_at"][0].microsecond == 9930
    assert found.codes == {}


def test_records_that_are_none(whole, write):
    head = "TIMESTAMP,ContextTokens,GeneratedTokens\n"
    rows = "2023-11-16 18:00:00,1,2\n2023-11-16 18:00:01,,2\n2023-11-16 18:00:02,1\nx,1,2\n"
    found = whole(write("x.csv", head + rows))
    assert found.log.height == 1
    assert found.rejected == [(3, "bad_number"), (4, "wrong_column_count"), (5, "bad_time")]


def test_a_missing_column_is_named(whole, write):
    with pytest.raises(InputError, match="'GeneratedTokens' is missing"):
        whole(write("x.csv", "TIMESTAMP,ContextTokens\n2023-11-16 18:00:00,1\n"))


@pytest.mark.parametrize(
    ("name", "rows", "prompt_mean", "output_mean"),
    [("code", 7491, 2040, 28), ("conv", 14176, 1195, 201)],
)
def test_the_real_traces(whole, shared, name, rows, prompt_mean, output_mean):
    found = whole(shared / "data" / "traces" / f"azure_llm_2023_{name}_first40min.csv.gz")
    assert found.log.height == rows
    assert found.rejects == []
    assert found.log.select(pl.col("prompt_tokens").mean()).item() == pytest.approx(
        prompt_mean, rel=0.01
    )
    assert found.log.select(pl.col("output_tokens").mean()).item() == pytest.approx(
        output_mean, rel=0.02
    )
