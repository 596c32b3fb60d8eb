"""Answers of Datadog's two query interfaces."""

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
from signals.store.sources import datadog_json
from signals.store.sources.datadog_json import DATADOG_JSON

T0 = 1_760_000_000_000


def series(**more):
    return {
        "metric": "vllm.num_requests.waiting",
        "expression": "avg:vllm.num_requests.waiting{*} by {pod_name}",
        "scope": "pod_name:a",
        "interval": 15,
        "pointlist": [[T0, 1.0], [T0 + 15000, None], [T0 + 30000, 3]],
        **more,
    }


def v1(*elements, **more):
    return json.dumps({"status": "ok", "res_type": "time_series", "series": elements, **more})


def v2(values, times=(T0, T0 + 15000), about=None):
    attributes = {"series": about, "times": times, "values": values}
    return json.dumps({"data": {"type": "timeseries_response", "attributes": attributes}})


def test_version_1(whole, write):
    found = whole(write("x.json", v1(series(), series(tag_set=["pod_name:b", "gpu:0"], scope="*"))))
    assert found.format == "datadog-json"
    assert found.rows == [
        ("vllm_num_requests_waiting", {"pod_name": "a"}, 0.0, 1.0),
        ("vllm_num_requests_waiting", {"pod_name": "a"}, 30.0, 3.0),
        ("vllm_num_requests_waiting", {"pod_name": "b", "gpu": "0"}, 0.0, 1.0),
        ("vllm_num_requests_waiting", {"pod_name": "b", "gpu": "0"}, 30.0, 3.0),
    ]
    assert {one.sampling for one in found.series.values()} == {"step_aligned"}
    assert found.codes == {"step_aligned": 1}
    assert found.rows_read == 4


def test_gzip_reads_alike(whole, write):
    text = v1(series())
    assert whole(write("x", gzip.compress(text.encode()))).rows == whole(write("y", text)).rows


def test_formulas_take_a_name(whole, write):
    formula = series(
        metric="(a / b)", expression="(avg:a{*} / avg:b{*})", unit=[{"name": "millisecond"}, None]
    )
    path = write("x.json", v1(formula))
    with pytest.raises(InputError, match="no series has the name") as caught:
        whole(path)
    assert "--as" in caught.value.hint
    by_as = whole(path, ReadOptions(as_name=NameChoice("decode:ttft_p99", "")))
    by_map = whole(path, ReadOptions(columns={"(a / b)": NameChoice("decode:ttft_p99", "")}))
    assert by_as.rows == by_map.rows
    assert by_as.rows[0] == ("ttft_p99", {"pod_name": "a", "pool": "decode"}, 0.0, 1.0)
    assert [one.unit for one in by_as.series.values()] == ["ms"]


def test_an_unnamed_formula_beside_a_metric_is_kept_and_told(whole, write):
    formula = series(metric="(a / b)", expression="(avg:a{*} / avg:b{*})")
    found = whole(write("x.json", v1(series(), formula)))
    assert found.rows[2][0] == "(avg:a{*} / avg:b{*})"
    assert found.codes == {"step_aligned": 1, "unnamed_column": 1}


def test_counters_are_signals_only_as_rates(whole, write):
    metric = "vllm.generation_tokens.count"
    plain = series(metric=metric, expression=f"sum:{metric}{{*}} by {{pod_name}}")
    rate = series(metric=metric, expression=f"sum:{metric}{{*}} by {{pod_name}}.as_rate()")
    found = whole(write("x.json", v1(plain, rate)))
    assert [row[0] for row in found.rows[::2]] == [metric, "decode_tps"]
    assert found.codes["count_per_interval"] == 1
    options = ReadOptions(columns={metric: NameChoice("decode:decode_tps", "tokens/s")})
    mapped = whole(write("x.json", v1(plain)), options)
    assert mapped.codes == {"step_aligned": 1}


def test_version_2(whole, write):
    about = [
        {"group_tags": ["pod_name:a"], "query_index": 0, "unit": [{"name": "second"}, None]},
        {"group_tags": ["pod_name:b"], "query_index": 0},
    ]
    text = v2([[1.0, None], [2, 3.5]], about=about)
    with pytest.raises(InputError, match="no series has the name"):
        whole(write("x.json", text))
    found = whole(write("x.json", text), ReadOptions(as_name=NameChoice("ttft_p99", "")))
    assert found.rows == [
        ("ttft_p99", {"pod_name": "a"}, 0.0, 1.0),
        ("ttft_p99", {"pod_name": "b"}, 0.0, 2.0),
        ("ttft_p99", {"pod_name": "b"}, 15.0, 3.5),
    ]


def test_formulas_of_version_2_are_told_by_number(whole, write):
    about = [{"query_index": 0}, {"query_index": 1}]
    options = ReadOptions(
        columns={"0": NameChoice("decode:running", ""), "1": NameChoice("decode:queue_depth", "")}
    )
    found = whole(write("x.json", v2([[1, 2], [3, 4]], about=about)), options)
    assert [(metric, value) for metric, _, _, value in found.rows] == [
        ("running", 1.0),
        ("running", 2.0),
        ("queue_depth", 3.0),
        ("queue_depth", 4.0),
    ]


def test_version_2_in_another_order_and_of_unequal_lengths(whole, write):
    text = (
        '{"data": {"attributes": {"values": [[1, 2, 3], [4]], "series": [{}, {"group_tags": ["pod_name:b"]}],'
        f' "times": [{T0}, {T0 + 15000}]}}, "id": "0", "type": "timeseries_response"}}}}'
    )
    found = whole(write("x.json", text), ReadOptions(as_name=NameChoice("running", "")))
    assert found.values == [1.0, 2.0, 4.0]
    assert found.rejected == [(1, "bad_point"), (2, "bad_point")]


def test_too_many_values_before_their_times(whole, write, monkeypatch):
    monkeypatch.setattr(datadog_json, "_MAX_EARLY", 3)
    text = '{"data": {"attributes": {"values": [[1, 2, 3, 4]], "times": [1, 2]}}}'
    with pytest.raises(InputError, match="before their times"):
        whole(write("x", text), ReadOptions(as_name=NameChoice("running", "")), form="datadog-json")


def test_what_is_no_point(whole, write):
    points = [
        [T0, 1.0],
        [T0 / 1000, 1.0],
        [T0 * 1000, 1.0],
        ["x", 1.0],
        [True, 1.0],
        [T0, "1"],
        [T0, True],
        [T0],
        None,
        {},
    ]
    found = whole(write("x.json", v1(series(pointlist=points))))
    assert found.values == [1.0]
    assert [reason for _, reason in found.rejected] == [
        *["bad_time"] * 4,
        *["bad_number"] * 2,
        *["bad_point"] * 3,
    ]
    assert found.rejects[0].excerpt == f"series 1, point 2: [{T0 / 1000}, 1.0]"
    assert found.rows_read == 10


def test_order_repeats_nan_and_huge_numbers_are_handed_on(whole, write):
    text = v1(series(pointlist=[[T0 + 5000.0, 1], [T0, 2], [T0, 3], [T0, math.nan], [T0, 10**400]]))
    found = whole(write("x.json", text))
    assert found.seconds == [5.0, 0.0, 0.0, 0.0, 0.0]
    assert math.isnan(found.values[3])
    assert found.values[4] == math.inf


def test_halves_of_characters(whole, write):
    found = whole(write("x.json", v1(series(scope="pod_name:a\ud800"))))
    assert found.rows[0][1] == {"pod_name": "a?"}


def test_chunks_are_bounded(write, monkeypatch):
    monkeypatch.setattr(datadog_json, "FULL", 4)
    path = write("x.json", v1(*(series(scope=f"pod_name:{n}") for n in range(5))))
    sizes = [
        c.samples.height for c in DATADOG_JSON.read(path, ReadOptions()) if c.samples is not None
    ]
    assert sizes == [4, 4, 2]


def test_no_series(whole, write):
    found = whole(write("x.json", v1(from_date=1)))
    assert (found.rows, found.codes) == ([], {"empty_result": 1})


@pytest.mark.parametrize(
    ("content", "what"),
    [
        ("", "empty"),
        ("[]", "no valid JSON"),
        ('{"status":"error","error":"Rate limit"}', "Rate limit"),
        ('{"errors":["Forbidden"]}', "Forbidden"),
        ('{"status":"ok"}', "no series"),
        ('{"series":[3]}', "no object"),
        (v1(series())[:-20], "ends in the middle"),
        (v1(series()) + "x", "no valid JSON"),
        (b'{"series":["\xff"]}', "not UTF-8"),
        ('{"series":' + "[" * 100_000, "deep"),
        ('{"series":[{"metric":"' + "x" * (17 << 20), "larger than"),
    ],
)
def test_what_is_wrong_with_the_whole_file(whole, write, content, what):
    with pytest.raises(InputError, match=what) as caught:
        whole(write("x.json", content), form="datadog-json")
    assert "x.json" in caught.value.where


@pytest.mark.parametrize(
    ("text", "sure"),
    [
        (v1(series()), 1.0),
        (v2([[1, 2]]), 1.0),
        ('{"status":"error","res_type":"time_series","from_date":1}', 0.95),
        ('{"data":{"attributes":{"series":[],"times":[],"values":[]}}}', 0.95),
        ('{"status":"success","data":{"resultType":"matrix","result":[]}}', 0.0),
        ("time,timestamp\n", 0.0),
    ],
)
def test_how_sure_it_is(tmp_path, text, sure):
    assert DATADOG_JSON.detect(text.encode(), tmp_path) == sure


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(
    st.fixed_dictionaries(
        {},
        optional=dict.fromkeys(
            [
                "metric",
                "expression",
                "scope",
                "tag_set",
                "unit",
                "aggr",
                "pointlist",
                "display_name",
            ],
            _JSON,
        ),
    ),
    _JSON,
)
def test_any_json_ends_in_rows_or_a_clear_error(tmp_path_factory, element, rest):
    path = tmp_path_factory.mktemp("datadog") / "x.json"
    options = ReadOptions(as_name=NameChoice("running", ""))
    for content in (
        {"series": [element]},
        {"data": {"attributes": {"series": [element], "times": rest, "values": [rest]}}},
        {"data": rest, "series": rest},
    ):
        path.write_text(json.dumps(content))
        with suppress(InputError):
            list(DATADOG_JSON.read(path, options))


def test_the_sample_of_version_1(shared, whole):
    found = whole(shared / "formats" / "datadog_query_v1.json")
    assert found.format == "datadog-json"
    assert found.values == [0.0, 2.0, 9.0, 1.0, 1.0]
    assert {labels["pod_name"] for _, labels, *_ in found.rows} == {
        "vllm-prefill-0",
        "vllm-decode-0",
    }
