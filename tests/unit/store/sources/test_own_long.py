"""The long form: labels, exporters' names, duplicates kept, buckets."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import polars as pl
import pytest

from signals.errors import InputError
from signals.store.parsed import ReadOptions

START = ReadOptions(start=datetime(2025, 10, 9, 8, 53, 20, tzinfo=UTC))


def test_every_other_column_is_a_label(whole, write):
    text = """ts,metric,value,pool,instance,le
1760000000,ttft,3,prefill,,0.5
1760000000,ttft,4,prefill,,+Inf
1760000015,gpu_util,0.5,decode,a,
"""
    found = whole(write("x.csv", text))
    assert found.format == "own-long"
    assert found.rows == [
        ("ttft", {"pool": "prefill", "le": "0.5"}, 0.0, 3.0),
        ("ttft", {"pool": "prefill", "le": "+Inf"}, 0.0, 4.0),
        ("gpu_util", {"pool": "decode", "instance": "a"}, 15.0, 0.5),
    ]
    assert {one.pool for one in found.series.values()} == {"prefill", "decode"}


def test_case_03_exporters_names_and_churn(whole, shared):
    found = whole(shared / "cases" / "03-sum-before-rate" / "input.csv", START)
    assert len(found.series) == 3
    assert {metric for metric, *_ in found.rows} == {"vllm:prompt_tokens_total"}
    assert [row[2:] for row in found.rows if row[1] == {"pod": "c"}] == [(60.0, 8.0), (90.0, 38.0)]


def test_case_05_nothing_is_sorted_or_dropped(whole, shared):
    found = whole(shared / "cases" / "05-dup-conflict-order" / "input.csv", START)
    assert found.rows_read == 9
    assert found.seconds == [0, 15, 45, 30, 60, 60, 75, 75, 90]
    assert found.values == [100, 130, 190, 160, 220, 220, 250, 251, 280]


def test_case_08_both_names_of_one_metric(whole, shared):
    found = whole(shared / "cases" / "08-metric-rename" / "input.csv", START)
    assert len(found.series) == 2
    assert found.findings == []


def test_bad_records_name_their_lines(whole, write):
    text = "ts,metric,value\n1760000000,gpu_util,1\n1760000001,,1\n1760000002,gpu_util,x\nq,gpu_util,1\n"
    found = whole(write("x.csv", text))
    assert found.rejected == [(3, "no_metric"), (4, "bad_number"), (5, "bad_time")]
    assert found.rows_read == 4


def test_a_missing_value_is_no_sample(whole, write):
    found = whole(write("x.csv", "ts,metric,value\n1760000000,gpu_util,\n1760000015,gpu_util,1\n"))
    assert found.values == [1.0]
    assert found.rejects == []


def test_unknown_names(whole, write):
    text = "ts,metric,value\n1760000000,gpu_util,1\n1760000000,speed,2\n"
    assert whole(write("x.csv", text)).codes["unknown_name"] == 1
    with pytest.raises(InputError, match="no metric of the file is a known"):
        whole(write("y.csv", "ts,metric,value\n1760000000,speed,2\n"))


@pytest.mark.parametrize(
    ("text", "missing"),
    [("ts,metric,pod\n1,a,b\n", "value"), ("metric,value\na,1\n", "ts")],
)
def test_a_missing_column(whole, write, text, missing):
    with pytest.raises(InputError, match=f"'{missing}' is missing"):
        whole(write("x.csv", text))


def test_parquet_with_typed_columns(whole, tmp_path):
    times = [
        datetime(2025, 10, 9, 8, 53, 20, tzinfo=UTC) + timedelta(seconds=15 * i) for i in range(4)
    ]
    path = tmp_path / "x.parquet"
    pl.DataFrame(
        {
            "ts": times,
            "metric": pl.Series(["gpu_util"] * 4, dtype=pl.Categorical),
            "value": [1, 2, 3, None],
            "gpu": [0, 1, 0, 1],
        }
    ).write_parquet(path)
    found = whole(path)
    assert found.format == "own-long"
    assert found.rows == [
        ("gpu_util", {"gpu": "0"}, 0.0, 1.0),
        ("gpu_util", {"gpu": "1"}, 15.0, 2.0),
        ("gpu_util", {"gpu": "0"}, 30.0, 3.0),
    ]


def test_each_series_has_its_own_clock_change(whole, write):
    times = ["02:00", "02:30", "02:00", "02:30", "03:00"]
    rows = "".join(f"2024-10-27 {t}:00,gpu_util,{p},1\n" for t in times for p in "ab")
    found = whole(write("x.csv", "ts,metric,pod,value\n" + rows), ReadOptions(zone="Europe/Paris"))
    first = found.seconds[0]
    assert [seconds - first for seconds in found.seconds] == [
        step for step in (0, 1800, 3600, 5400, 7200) for _ in "ab"
    ]


def test_a_data_frames_index_is_no_label(whole, write):
    text = ",ts,metric,value\n0,1760000000,gpu_util,1\n1,1760000015,gpu_util,2\n"
    found = whole(write("x.csv", text))
    assert len(found.series) == 1
    assert found.codes["unnamed_column"] == 1


def test_a_column_of_label_sets(whole, write):
    text = '''ts,metric,value,pod,labels
1760000000,gpu_util,1,,"pod=""a"",gpu=""0"""
1760000000,gpu_util,2,b,"{pod=""a"",gpu=""1"",__name__=""gpu_util""}"
1760000000,gpu_util,3,,
'''
    found = whole(write("x.csv", text))
    assert [(labels, value) for _, labels, _, value in found.rows] == [
        ({"pod": "a", "gpu": "0"}, 1.0),
        ({"pod": "b", "gpu": "1"}, 2.0),
        ({}, 3.0),
    ]
    with pytest.raises(InputError, match="labels of a row cannot be read: pod=a"):
        whole(write("y.csv", "ts,metric,value,labels\n1760000000,gpu_util,1,pod=a\n"))


def test_a_distribution_has_no_times(whole, write):
    with pytest.raises(InputError, match="'ts' is missing") as caught:
        whole(write("x.csv", "metric,value,cdf_percent\ngpu_util_pct,0,0\n"))
    assert "distribution" in caught.value.hint


def test_a_label_by_the_header(whole, write):
    found = whole(write("x.csv", "ts,metric,value,label:zone\n1760000000,gpu_util,1,b\n"))
    assert found.rows[0][1] == {"zone": "b"}


def test_case_09_blanks_of_drivers_are_handed_over(whole, shared):
    found = whole(shared / "cases" / "09-dcgm-blank" / "input.csv", START)
    one = {
        gpu: [value for _, labels, _, value in found.rows if labels["gpu"] == gpu] for gpu in "01"
    }
    assert one["0"][:4] == [40, 4294967295, 60, 50]
    assert one["1"] == [9223372036854775794.0, 20, 30, 808334905]
    assert one["0"][4:] == [0.25, 140737488355328, 0.35, 0.3]
    assert found.rejects == []


def test_case_10_units_are_not_guessed_from_values(whole, shared):
    found = whole(shared / "cases" / "10-util-units-mig" / "input.csv", START)
    assert {one.unit for one in found.series.values()} == {""}  # the name says it
    assert [value for metric, *_, value in found.rows if metric == "DCGM_FI_DEV_GPU_UTIL"] == [
        0,
        1,
        0,
        1,
    ]
    mig = [(labels, value) for metric, labels, _, value in found.rows if "SM_ACTIVE" in metric]
    assert mig[0] == ({"gpu": "3", "GPU_I_ID": "1"}, 1.294)


def test_case_12_copies_for_pods_are_all_handed_over(whole, shared):
    found = whole(shared / "cases" / "12-gpu-label-churn" / "input.csv", START)
    assert found.values == [10, 20, 50, 60, 70, 70, 70]
    assert {labels["UUID"] for _, labels, *_ in found.rows} == {"GPU-aaaa"}
    assert {labels.get("exported_pod", "") for _, labels, *_ in found.rows} == {
        "",
        "llm-0",
        "llm-1",
        "llm-2",
    }
