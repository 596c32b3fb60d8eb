"""Answers of CloudWatch's two commands."""

from __future__ import annotations

import gzip
import json
import math
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signals.errors import InputError
from signals.store.parsed import NameChoice, ReadOptions
from signals.store.sources import cloudwatch_json
from signals.store.sources.cloudwatch_json import CLOUDWATCH_JSON

UTIL = NameChoice("gpu_util", "%")
TIMES = ["2025-10-09T08:54:20+00:00", "2025-10-09T08:53:20+00:00"]


def result(number=1, **more):
    return {
        "Id": f"m{number}",
        "Label": f"pod-{number} gpu",
        "StatusCode": "Complete",
        "Timestamps": TIMES,
        "Values": [95.5, 94.0],
        **more,
    }


def data(*results, **more):
    return json.dumps({"MetricDataResults": list(results), **more})


def statistics(*points, label="vllm:num_requests_waiting"):
    return json.dumps({"Label": label, "Datapoints": list(points)})


def test_the_newest_comes_first_and_stays_so(whole, write):
    path = write("x.json", data(result()))
    found = whole(path, ReadOptions(as_name=UTIL))
    assert found.format == "cloudwatch-json"
    assert found.rows == [("gpu_util", {}, 60.0, 95.5), ("gpu_util", {}, 0.0, 94.0)]
    assert [one.unit for one in found.series.values()] == ["%"]
    assert {one.sampling for one in found.series.values()} == {"step_aligned"}
    assert found.codes == {"step_aligned": 1}
    assert (
        whole(write("y", gzip.compress(path.read_bytes())), ReadOptions(as_name=UTIL)).rows
        == found.rows
    )


def test_labels_are_instances_of_one_name(whole, write):
    path = write("x.json", data(result(1), result(2, Label="decode-2 gpu")))
    found = whole(path, ReadOptions(as_name=UTIL))
    assert [labels for _, labels, *_ in found.rows[::2]] == [
        {"instance": "pod-1 gpu"},
        {"instance": "decode-2 gpu"},
    ]
    assert [one.pool for one in found.series.values()] == ["", "decode"]
    assert found.codes == {"legend_as_instance": 2, "step_aligned": 1}


def test_labels_and_ids_are_mapped(whole, write):
    columns = {
        "m1": NameChoice("decode:gpu_util", "%"),
        "pod-2 gpu": NameChoice("prefill:gpu_util", "%"),
    }
    found = whole(write("x.json", data(result(1), result(2))), ReadOptions(columns=columns))
    assert [labels["pool"] for _, labels, *_ in found.rows[::2]] == ["decode", "prefill"]


def test_nothing_named_says_how_to(whole, write):
    with pytest.raises(InputError, match="no series has the name") as caught:
        whole(write("x.json", data(result(1), result(2))))
    assert "'pod-1 gpu', 'pod-2 gpu'" in caught.value.where
    assert "--map 'pod-1 gpu=NAME[unit]'" in caught.value.hint


def test_labels_that_hold_a_metric_need_no_help(whole, write):
    results = [
        result(1, Label="decode-0 vllm:num_requests_waiting"),
        result(2, Label="ip-1 nvidia_smi_utilization_gpu"),
        result(3, Label="vllm:generation_tokens_total"),
        result(4, Label="speed"),
    ]
    found = whole(write("x.json", data(*results)))
    assert [row[:2] for row in found.rows[::2]] == [
        ("vllm:num_requests_waiting", {"instance": "decode-0"}),
        ("gpu_util", {"instance": "ip-1"}),
        ("vllm:generation_tokens_total", {}),
        ("speed", {}),
    ]
    assert found.codes == {"count_per_interval": 1, "step_aligned": 1, "unnamed_column": 1}


def test_pages_of_one_result_are_one_series(whole, write):
    early = result(Timestamps=["2025-10-09T08:52:20+00:00"], Values=[1])
    found = whole(write("x.json", data(result(), early)), ReadOptions(as_name=UTIL))
    assert len(found.series) == 1
    assert found.seconds == [60.0, 0.0, -60.0]


def test_what_lacks_points_is_told(whole, write):
    messages = [{"Code": "x", "Value": "too many metrics"}]
    text = data(result(StatusCode="PartialData"), NextToken="abc", Messages=messages)
    found = whole(write("x.json", text), ReadOptions(as_name=UTIL))
    assert found.codes == {
        "more_pages": 1,
        "partial_result": 1,
        "server_info": 1,
        "step_aligned": 1,
    }


def test_times_as_numbers(whole, write):
    text = data(result(Timestamps=[1760000000, 1760000060.5]))
    assert whole(write("x.json", text), ReadOptions(as_name=UTIL)).seconds == [0.0, 60.5]


def test_bad_points(whole, write):
    text = data(
        result(Timestamps=[*TIMES, "oops"], Values=[1, "2", 3]),
        result(2, Timestamps=TIMES[:1], Values=[1, 2]),
        result(3, Timestamps=TIMES, Values=[True]),
    )
    found = whole(write("x.json", text), ReadOptions(as_name=UTIL))
    assert found.values == [1.0, 1.0]
    assert found.rejected == [
        (1, "bad_number"),
        (1, "bad_time"),
        (2, "bad_time"),
        (3, "bad_number"),
        (3, "bad_number"),
    ]
    assert found.rows_read == 7


def test_repeats_nan_and_huge_numbers_are_handed_on(whole, write):
    text = data(result(Timestamps=[TIMES[0]] * 3, Values=[math.nan, 10**400, -3]))
    found = whole(write("x.json", text), ReadOptions(as_name=UTIL))
    assert math.isnan(found.values[0])
    assert found.values[1:] == [math.inf, -3.0]


def test_statistics_of_one_metric(whole, write):
    points = [
        {"Timestamp": TIMES[0], "Maximum": 8.0, "Average": 2.0, "Unit": "Count"},
        {"Timestamp": TIMES[1], "Average": 3.0, "Unit": "Count", "ExtendedStatistics": {"p99": 7}},
    ]
    found = whole(write("x.json", statistics(*points)))
    assert found.rows == [
        ("vllm:num_requests_waiting", {}, 60.0, 2.0),
        ("vllm:num_requests_waiting Maximum", {}, 60.0, 8.0),
        ("vllm:num_requests_waiting", {}, 0.0, 3.0),
        ("vllm:num_requests_waiting p99", {}, 0.0, 7.0),
    ]
    assert {one.unit for one in found.series.values()} == {"count"}
    assert found.codes == {"step_aligned": 1}


def test_a_statistic_that_is_no_average_is_told(whole, write):
    found = whole(write("x.json", statistics({"Timestamp": TIMES[0], "Sum": 8.0, "Unit": "None"})))
    assert found.values == [8.0]
    assert found.codes == {"statistic": 1, "step_aligned": 1}


def test_statistics_without_a_known_name(whole, write):
    points = [{"Timestamp": TIMES[0], "Average": 8.0, "Maximum": 9.0, "Unit": "Percent"}]
    path = write("x.json", statistics(*points, label="GPUUtilization"))
    with pytest.raises(InputError, match="no series has the name") as caught:
        whole(path)
    assert "--as" in caught.value.hint
    found = whole(path, ReadOptions(as_name=NameChoice("decode:gpu_util", "")))
    assert [row[0] for row in found.rows] == ["gpu_util", "GPUUtilization Maximum"]
    assert {one.unit for one in found.series.values()} == {"%"}


def test_units_that_change_are_series_of_their_own(whole, write):
    points = [
        {"Timestamp": TIMES[0], "Average": 8.0, "Unit": "Count"},
        {"Timestamp": TIMES[1], "Average": 9.0, "Unit": "Percent"},
    ]
    found = whole(write("x.json", statistics(*points)))
    assert [row[0] for row in found.rows] == [
        "vllm:num_requests_waiting",
        "vllm:num_requests_waiting Average (Percent)",
    ]


def test_halves_of_characters(whole, write):
    half = "\ud800"
    results = [result(Label=f"pod {half}", Timestamps=[half, TIMES[0]], StatusCode=half), result(2)]
    found = whole(write("x.json", data(*results)), ReadOptions(as_name=UTIL))
    assert found.rows[0][1] == {"instance": "pod ?"}
    assert found.rejected == [(1, "bad_time")]
    for finding in found.findings:
        (finding.text + finding.subject + finding.action).encode()


def test_chunks_are_bounded(write, monkeypatch):
    monkeypatch.setattr(cloudwatch_json, "_CHUNK_SAMPLES", 4)
    path = write("x.json", data(*(result(n) for n in range(5))))
    chunks = CLOUDWATCH_JSON.read(path, ReadOptions(as_name=UTIL))
    assert [c.samples.height for c in chunks if c.samples is not None] == [4, 4, 2]


def test_no_result(whole, write):
    found = whole(write("x.json", data()))
    assert (found.rows, found.codes) == ([], {"empty_result": 1})


@pytest.mark.parametrize(
    ("content", "what"),
    [
        ("", "empty"),
        ("[]", "no valid JSON"),
        ('{"a": 1}', "no result"),
        (data(result())[:-20], "ends in the middle"),
        (data(result()) + "x", "no valid JSON"),
        (b'{"MetricDataResults":["\xff"]}', "not UTF-8"),
        ('{"Datapoints":' + "[" * 100_000, "deep"),
        ('{"MetricDataResults":[{"Label":"' + "x" * (17 << 20), "larger than"),
        (
            data(
                result(
                    Label="vllm:num_requests_waiting",
                    Timestamps=["2025-10-09 08:53:20"],
                    Values=[1],
                )
            ),
            "no zone",
        ),
    ],
)
def test_what_is_wrong_with_the_whole_file(whole, write, content, what):
    with pytest.raises(InputError, match=what) as caught:
        whole(write("x.json", content), form="cloudwatch-json")
    assert "x.json" in caught.value.where


def test_how_sure_it_is(tmp_path):
    heads = [data(result()), statistics({}), '{"a":1}', '{"Datapoints":[]}', "Label,a"]
    assert [CLOUDWATCH_JSON.detect(h.encode(), tmp_path) for h in heads] == [
        1.0,
        0.95,
        0.0,
        0.0,
        0.0,
    ]


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=8,
)
_RESULT = st.fixed_dictionaries(
    {}, optional=dict.fromkeys(["Id", "Label", "Timestamps", "Values", "StatusCode"], _JSON)
)
_POINT = st.fixed_dictionaries(
    {}, optional=dict.fromkeys(["Timestamp", "Average", "Unit", "ExtendedStatistics"], _JSON)
)


@given(st.lists(_RESULT | _JSON, max_size=3), st.lists(_POINT | _JSON, max_size=3), _JSON)
def test_any_json_ends_in_rows_or_a_clear_error(tmp_path_factory, results, points, rest):
    path = tmp_path_factory.mktemp("cloudwatch") / "x.json"
    options = ReadOptions(as_name=NameChoice("running", ""))
    for content in (
        {"MetricDataResults": results, "Messages": rest},
        {"Label": rest, "Datapoints": points},
        {"MetricDataResults": rest},
    ):
        path.write_text(json.dumps(content))
        with suppress(InputError):
            list(CLOUDWATCH_JSON.read(path, options))


def test_the_sample(shared, whole):
    found = whole(shared / "formats" / "cloudwatch_get_metric_data.json", ReadOptions(as_name=UTIL))
    assert found.format == "cloudwatch-json"
    assert found.values == [95.5, 94.0, 92.0, 97.25, 91.75, 88.5]
    assert [one.pool for one in found.series.values()] == ["prefill", "decode"]
    assert found.codes == {"legend_as_instance": 2, "partial_result": 1, "step_aligned": 1}
