"""Matrix results: envelope, names, times, sampling."""

from __future__ import annotations

import gzip
import json
import math

import numpy as np
import pytest

from signals.errors import InputError
from signals.store.parsed import NameChoice, ReadOptions
from signals.store.sources import input_files, prometheus_matrix
from signals.store.sources.prometheus_matrix import sampling_of

BASE = 1_760_000_000


def series(name="up", values=((BASE, "1"),), **labels):
    metric = {"__name__": name, **labels} if name else labels
    return {"metric": metric, "values": [list(pair) for pair in values]}


def matrix(*result, **more):
    body = {"status": "success", "data": {"resultType": "matrix", "result": list(result)}, **more}
    return json.dumps(body)


def test_case_01_values_are_strings(whole, shared):
    found = whole(shared / "cases" / "01-counter-reset" / "input.json")
    assert found.values == [1000, 1060, 1120, 20, 80]
    assert found.seconds == [0, 15, 30, 45, 60]
    assert found.rows[0][:2] == ("vllm:generation_tokens_total", {"pod": "decode-0"})
    assert found.rows_read == 5


def test_special_values(whole, write):
    values = [(BASE, "NaN"), (BASE + 15, "+Inf"), (BASE + 30, "-Inf"), (BASE + 45, 2.5)]
    found = whole(write("x.json", matrix(series(values=values))))
    assert math.isnan(found.values[0])
    assert found.values[1:] == [math.inf, -math.inf, 2.5]


def test_milliseconds_of_a_scrape_survive(whole, write):
    found = whole(write("x.json", matrix(series(values=[(BASE + 0.893, "1")]))))
    assert found.seconds == [0.893]


def test_promtools_bare_array(whole, write):
    assert whole(write("x.json", json.dumps([series(), series(pod="a")]))).rows_read == 2


def test_members_in_any_order(whole, write):
    text = (
        '{"warnings": ["w"], "data": {"result": [' + json.dumps(series()) + '], "resultType":'
        ' "matrix"}, "status": "success"}'
    )
    found = whole(write("x.json", text))
    assert found.rows_read == 1
    assert found.codes == {"server_warning": 1}


def test_a_nameless_result_needs_a_name(whole, write):
    path = write("x.json", matrix(series(name="")))
    with pytest.raises(InputError, match="no name") as caught:
        whole(path)
    assert "--as NAME[unit]" in caught.value.hint
    found = whole(path, ReadOptions(as_name=NameChoice("decode:decode_tps", "tokens/s")))
    (one,) = found.series.values()
    assert (one.metric, one.unit, one.pool) == ("decode_tps", "tokens/s", "decode")


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (
            '{"status":"error","errorType":"bad_data","error":"exceeded maximum"}',
            "exceeded maximum",
        ),
        ('{"status":"success","data":{"resultType":"vector","result":[]}}', "is a vector"),
        ('{"status":"success","data":{"resultType":"matrix"}}', "holds no result"),
        (matrix(series(values=[(BASE * 1000, "1")])), "beyond the year 2200"),
        (matrix([1]), "no series"),
    ],
)
def test_answers_that_are_no_matrix(whole, write, text, what):
    with pytest.raises(InputError, match=what) as caught:
        whole(write("x.json", text))
    assert "x.json" in caught.value.where


@pytest.mark.parametrize("keep", [0.3, 0.6, 0.95])
def test_half_a_file(whole, write, keep):
    text = matrix(*(series(pod=f"p{n}") for n in range(50)))
    with pytest.raises(InputError, match="ends in the middle"):
        whole(write("x.json", text[: int(len(text) * keep)]))


def test_truncated_gzip(whole, write):
    packed = gzip.compress(matrix(*(series(pod=f"p{n}") for n in range(500))).encode())
    with pytest.raises(InputError, match="cut short"):
        whole(write("x.json.gz", packed[:-10]))


def test_bad_samples_are_rejects(whole, write):
    values = [(BASE, "1"), (BASE + 15, "abc"), (BASE + 30,), (BASE + 45, "2")]
    found = whole(write("x.json", matrix(series(values=values))))
    assert found.values == [1.0, 2.0]
    assert found.rejected == [(1, "bad_sample"), (1, "bad_sample")]
    assert found.rows_read == 4


def test_native_histograms(whole, shared, write):
    path = shared / "formats" / "mimir_query_range_native_histogram.json"
    with pytest.raises(InputError, match="native histograms"):
        whole(path, ReadOptions(as_name=NameChoice("ttft", "s")))
    histogram = {"metric": {"__name__": "x"}, "histograms": [[BASE, {}]]}
    assert whole(write("x.json", matrix(series(), histogram))).codes == {
        "native_histogram_skipped": 1
    }


def test_an_empty_result_is_no_error(whole, write):
    found = whole(write("x.json", matrix()))
    assert found.rows == []
    assert found.codes == {"empty_result": 1}


def test_chunks_are_cut_between_series(whole, write, monkeypatch):
    monkeypatch.setattr(prometheus_matrix, "_CHUNK_SAMPLES", 2)
    monkeypatch.setattr(prometheus_matrix, "_BUFFERED_SAMPLES", 5)
    values = [(BASE, "1"), (BASE + 15, "2")]
    found = whole(write("x.json", matrix(*(series(values=values, pod=f"p{n}") for n in range(7)))))
    assert found.rows_read == 14
    assert [row[1]["pod"] for row in found.rows] == [f"p{n // 2}" for n in range(14)]


@pytest.mark.parametrize(
    ("times", "expected"),
    [
        ([[0, 15, 30], [15, 30]], "step_aligned"),
        ([[0, 15, 45]], "step_aligned"),
        ([[0, 15, 30], [4, 19, 34]], "raw"),
        ([[0.0, 15.002, 30.0]], "raw"),
        ([[0], [15]], "raw"),
        ([[]], "raw"),
    ],
)
def test_sampling(times, expected):
    micros = [np.array([round(t * 1e6) for t in one], dtype=np.int64) for one in times]
    assert sampling_of(micros) == expected


def test_formats_of_real_programs(whole, shared):
    counts = {
        "prometheus_query_range.json": (24, 4),
        "prometheus_query_rangevector_raw.json": (12, 2),
        "promtool_query_range.json": (12, 2),
        "thanos_query_range.json": (6, 2),
    }
    for name, expected in counts.items():
        found = whole(shared / "formats" / name)
        assert (len(found.rows), len(found.series)) == expected, name
        assert found.rejects == []


def test_every_file_of_the_live_fleet(whole, shared):
    folder = shared / "data" / "dynamo_pd_run" / "prom_15s" / "raw_range_vector"
    samples = 0
    for path in input_files(folder):
        found = whole(path)
        samples += found.rows_read
        assert found.rejects == [], path.name
        assert {one.sampling for one in found.series.values()} <= {"raw"}, path.name
    assert samples == 146_353


@pytest.mark.parametrize(
    "pair", [[True, "1"], [BASE, False], [BASE], [BASE, "1", "2"], [-1, "1"], "ab", {}, None, 7]
)
def test_what_is_no_sample(whole, write, pair):
    text = matrix({"metric": {"__name__": "up"}, "values": [[BASE, "1"], pair, [BASE + 15, "2"]]})
    found = whole(write("x.json", text))
    assert found.values == [1.0, 2.0]
    assert found.rejected == [(1, "bad_sample")]
    assert found.rejects[0].excerpt == f"series 1, sample 2: {pair!r}"


def test_a_file_of_malformed_samples_ends_early(whole, write, monkeypatch):
    monkeypatch.setattr(prometheus_matrix, "_MAX_REJECTS", 1000)
    text = '[{"metric":{"__name__":"x"},"values":[' + "[]," * 5_000_000 + "[]]}]"
    with pytest.raises(InputError, match="malformed, 1001 so far") as caught:
        whole(write("x.json.gz", gzip.compress(text.encode())))
    assert caught.value.where.endswith("series 1, sample 1001: []")


def test_malformed_samples_of_a_good_file_are_rejects(whole, write, monkeypatch):
    monkeypatch.setattr(prometheus_matrix, "_MAX_REJECTS", 3)
    values = [pair for n in range(10) for pair in ((BASE + n, "1"), (BASE + n, "2"), ())]
    assert len(whole(write("x.json", matrix(series(values=values)))).rejects) == 10


@pytest.mark.parametrize("time", ["1e400", "NaN", "-1e400"])
def test_times_that_are_no_number_are_rejects(whole, write, time):
    text = matrix(series(values=[(0, "1"), (BASE, "2")])).replace("[0,", f"[{time},")
    found = whole(write("x.json", text))
    assert found.values == [2.0]
    assert found.rejected == [(1, "bad_sample")]
