"""Datadog's download of a graph."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signals.errors import InputError
from signals.store.parsed import NameChoice, ReadOptions
from signals.store.sources.datadog_csv import DATADOG_CSV

HEAD = "time,timestamp,metric,group,value\n"
TEXT = (
    HEAD
    + """2025-10-09T08:53:20Z,1760000000000,avg:dcgm.gpu_utilization,"pod_name:a,gpu:0",97
2025-10-09T08:53:40Z,1760000020000,avg:dcgm.gpu_utilization,"pod_name:a,gpu:0",
2025-10-09T08:53:20Z,1760000000000,sum:vllm.generation_tokens.count.as_rate(),role:decode,450
2025-10-09T08:54:00Z,1760000040000,avg:dcgm.gpu_utilization,"pod_name:a,gpu:0",88.5
"""
)


def test_rows_become_samples_in_the_files_order(whole, write):
    found = whole(write("x.csv", TEXT))
    gpu = {"pod_name": "a", "gpu": "0"}
    assert found.format == "datadog-csv"
    assert found.rows == [
        ("dcgm_gpu_utilization", gpu, 0.0, 97.0),
        ("decode_tps", {"role": "decode"}, 0.0, 450.0),
        ("dcgm_gpu_utilization", gpu, 40.0, 88.5),
    ]
    assert {one.sampling for one in found.series.values()} == {"step_aligned"}
    assert found.codes == {"step_aligned": 1}
    assert found.rows_read == 3


def test_times_as_text_will_do(whole, write):
    text = "metric,group,value,time\nvllm.num_requests.running,host:a,3,2025-10-09T08:53:20Z\n"
    found = whole(write("x.csv", text))
    assert found.format == "datadog-csv"
    assert found.rows == [("vllm_num_requests_running", {"host": "a"}, 0.0, 3.0)]


def test_formulas_take_a_name(whole, write):
    path = write(
        "x.csv", HEAD + ",1760000000000,(a / b),*,0.5\n,1760000000000,(a / b),pod_name:x,0.7\n"
    )
    with pytest.raises(InputError, match="no series has the name"):
        whole(path)
    found = whole(path, ReadOptions(as_name=NameChoice("decode:kv_usage", "")))
    assert [(labels, value) for _, labels, _, value in found.rows] == [
        ({"pool": "decode"}, 0.5),
        ({"pool": "decode", "pod_name": "x"}, 0.7),
    ]


def test_bad_cells_name_their_line(whole, write):
    text = TEXT + ",oops,avg:a,*,1\n,1760000000000,avg:a,*,x\n,1760000000000,avg:a\n"
    found = whole(write("x.csv", text))
    assert found.rejected == [(6, "bad_time"), (7, "bad_number"), (8, "wrong_column_count")]
    assert found.rows_read == 6


def test_order_repeats_nan_and_huge_numbers_are_handed_on(whole, write):
    rows = [(5, "1"), (0, "NaN"), (0, "1e400"), (0, "-2")]
    text = HEAD + "".join(
        f",{1760000000000 + 1000 * s},vllm.num_requests.running,*,{v}\n" for s, v in rows
    )
    found = whole(write("x.csv", text))
    assert found.seconds == [5.0, 0.0, 0.0, 0.0]
    assert math.isnan(found.values[1])
    assert found.values[2:] == [math.inf, -2.0]


@pytest.mark.parametrize(
    ("content", "what"),
    [
        ("", "empty"),
        (HEAD, "no row"),
        ("timestamp,metric,value\n1,2,3\n", "'group' is missing"),
        ("metric,group,value\n1,2,3\n", "'timestamp' is missing"),
        (HEAD.encode() + b"\xff", "not UTF-8"),
        (HEAD + "x" * (5 << 20), "longer than"),
    ],
)
def test_what_is_wrong_with_the_whole_file(whole, write, content, what):
    with pytest.raises(InputError, match=what) as caught:
        whole(write("x.csv", content), form="datadog-csv")
    assert "x.csv" in caught.value.where


@pytest.mark.parametrize(
    ("text", "sure"),
    [
        (HEAD, 1.0),
        ("timestamp,metric,group,value\n", 0.7),
        ("ts,metric,value\n", 0.0),
        ("timestamp,metric,value\n", 0.0),
    ],
)
def test_how_sure_it_is(tmp_path, text, sure):
    assert DATADOG_CSV.detect(text.encode(), tmp_path) == sure


@given(
    st.lists(st.tuples(st.sampled_from("ab"), st.floats(allow_nan=False)), min_size=1, max_size=20)
)
def test_values_come_back_in_order(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("datadog") / "x.csv"
    lines = [
        f",{1760000000000 + n},x.y,host:{host},{value!r}\n" for n, (host, value) in enumerate(rows)
    ]
    path.write_text(HEAD + "".join(lines))
    chunk, _ = DATADOG_CSV.read(path, ReadOptions())
    hosts = [chunk.series[number].labels["host"] for number in chunk.samples["series"]]
    assert list(zip(hosts, chunk.samples["value"], strict=True)) == rows


def test_the_sample(shared, whole):
    found = whole(shared / "formats" / "datadog_timeseries.csv")
    assert found.format == "datadog-csv"
    assert found.values == [97.0, 99.5, 100.0, 88.0, 91.0, 93.25, 90.0, 450.0]
    assert found.codes == {"count_per_interval": 1, "step_aligned": 1}
