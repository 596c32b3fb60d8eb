"""Matrix results: envelope, names, times, sampling."""

from __future__ import annotations

import gzip
import json
import math

import pytest

from signals.errors import InputError
from signals.store.parsed import NameChoice, ReadOptions
from signals.store.sources import (
    detect,
    input_files,
    matrix_document,
    prometheus_matrix,
    pull_json,
    stream,
)
from signals.store.sources.prometheus_matrix import PROMETHEUS_MATRIX

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
        ('{"status":"success","data":{"resultType":"string","result":[1,"a"]}}', "is a string"),
        ('{"status":"error","error":"query timed out"}', "query timed out"),
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


def test_one_moment_is_read_and_told(whole, write):
    vector = [{"metric": {"__name__": "up", "pod": "a"}, "value": [BASE, "1"]}]
    found = whole(write("x.json", json.dumps(vector)))
    assert found.rows == [("up", {"pod": "a"}, 0, 1)]
    assert found.codes == {"instant_result": 1}
    named = ReadOptions(as_name=NameChoice("decode_tps", "tokens/s"))
    found = whole(write("y.json", f'[{BASE},"7"]'), named)
    assert found.rows == [("decode_tps", {}, 0, 7)]


def test_files_of_expressions_are_named_one_by_one(whole, write):
    path = write("decode_by_pod.json", matrix(series(name="", pod="a")))
    columns = {"decode_by_pod": NameChoice("decode_tps", "tokens/s"), "other": NameChoice("x", "s")}
    (one,) = whole(path, ReadOptions(columns=columns)).series.values()
    assert (one.metric, one.unit, one.labels) == ("decode_tps", "tokens/s", {"pod": "a"})
    with pytest.raises(InputError, match="no name") as caught:
        whole(path)
    assert "--map 'decode_by_pod=NAME[unit]'" in caught.value.hint


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


def test_a_series_read_in_parts_is_one_of_a_chunk(write, monkeypatch):
    monkeypatch.setattr(stream, "BLOCK_BYTES", 100)
    monkeypatch.setattr(pull_json, "_SHORT", 0)
    values = [(BASE + n, str(n)) for n in range(100)]
    path = write("x.json", matrix(series(values=values), series(pod="b", values=values)))
    first, *_ = PROMETHEUS_MATRIX.read(path, ReadOptions())
    assert [one.labels for one in first.series] == [{}, {"pod": "b"}]
    assert first.samples["series"].to_list() == [0] * 100 + [1] * 100


def test_large_files_are_read_by_compiled_code(whole, write, monkeypatch):
    rows = [(BASE + n / 10, str(n / 7)) for n in range(5000)]
    values = [*rows[:3000], (BASE + 300, "abc"), *rows[3000:]]
    path = write("x.json", matrix(series(values=values), series(pod="b", values=rows)))
    slow = whole(path)
    monkeypatch.setattr(matrix_document, "_LARGE_BYTES", 0)
    fast = whole(path)
    assert (fast.rows, fast.rejects, fast.rows_read) == (slow.rows, slow.rejects, slow.rows_read)
    assert fast.rejects[0].excerpt == f"series 1, sample 3001: [{BASE + 300}, 'abc']"


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


@pytest.mark.parametrize(
    "text",
    [
        '{"status": "error", "error": "x"}',
        '{"status":"error","errorType":"bad_data","error":"x"}',
        '{"status":"success","isPartial":true,"data":{"resultType":"vector","result":[]}}',
        '[{"metric":{"__name__":"up"},"value":[1780300800,"1"]}]',
        '[{"metric":{"__name__":"up"},"histogram":[1780300800,{"count":"1","sum":"1"}]}]',
        '[{"metric":{"__name__":"up"},"histograms":[[1780300800,{"count":"1","sum":"1"}]]}]',
        '[1780300800.123,"1.5e-3"]\n',
    ],
)
def test_detection(write, text):
    assert detect(write("x.json", text)).name == "prometheus-matrix"


@pytest.mark.parametrize(
    "text", ['{"status":"ok","series":[]}', '{"metric":{},"value":[1]}', '["a","b"]', "[1,2]"]
)
def test_what_is_not_detected(write, text):
    assert PROMETHEUS_MATRIX.detect(text.encode(), write("x.json", text)) == 0.0


@pytest.mark.parametrize("case", ["02-rate-extrapolation", "04-ha-replica-double"])
def test_cases_are_read_as_they_stand(whole, shared, case):
    path = shared / "cases" / case / "input.json"
    answer = json.loads(path.read_text())["data"]["result"]
    expected = [
        (one["metric"]["pod"], time - BASE, float(value))
        for one in answer
        for time, value in one["values"]
    ]
    found = whole(path)
    assert [(labels["pod"], seconds, value) for _, labels, seconds, value in found.rows] == expected
    replicas = {one.labels.get("prometheus_replica") for one in found.series.values()}
    assert replicas == {one["metric"].get("prometheus_replica") for one in answer}


@pytest.mark.parametrize("scrape", ["prom_5s", "prom_15s"])
def test_compiled_code_reads_the_live_fleet_the_same(shared, monkeypatch, scrape):
    folder = shared / "data" / "dynamo_pd_run" / scrape / "raw_range_vector"
    for path in input_files(folder)[::7]:
        frames = []
        for limit in (1 << 40, 0):
            monkeypatch.setattr(matrix_document, "_LARGE_BYTES", limit)
            monkeypatch.setattr(matrix_document, "_LARGE_PACKED_BYTES", limit)
            chunks = list(PROMETHEUS_MATRIX.read(path, ReadOptions()))
            frames.append([chunk.samples for chunk in chunks if chunk.samples is not None])
        for parsed, scanned in zip(*frames, strict=True):
            assert scanned.equals(parsed, null_equal=True), path.name


def test_range_queries_are_step_aligned(whole, shared):
    folder = shared / "data" / "dynamo_pd_run" / "prom_5s"
    for path in input_files(folder / "query_range_step15s")[::9]:
        found = whole(path)
        kinds = {one.sampling for one in found.series.values()}
        assert kinds <= {"step_aligned"} or len(set(found.seconds)) < 2, path.name
        assert found.codes.get("step_aligned", 0) == (kinds == {"step_aligned"}), path.name
    for path in input_files(folder / "derived_query_range_15s"):
        stem = path.name.partition(".")[0]
        columns = {stem: NameChoice("decode_tps", "tokens/s")}
        assert whole(path, ReadOptions(columns=columns)).rejects == [], path.name


def test_a_bucket_without_a_bound_is_lost_with_all_its_samples(whole, write):
    name = "vllm:time_to_first_token_seconds_bucket"
    pairs = [(BASE + 15 * k, str(k)) for k in range(3)]
    result = [series(name, pairs, le=bound) for bound in ("0.5", "abc", "+Inf")]
    found = whole(write("x.json", json.dumps({"resultType": "matrix", "result": result})))
    assert {labels["le"] for _, labels, *_ in found.rows} == {"0.5", "+Inf"}
    assert [(one.line, one.reason, one.count) for one in found.rejects] == [(2, "bad_bound", 3)]
    assert (len(found.rows), found.rows_read) == (6, 9)


@pytest.mark.parametrize(
    ("time", "hint"),
    [
        (BASE * 1000, "the number looks like milliseconds"),
        (253_402_300_799, "no telemetry has such times"),
        (1e200, "no telemetry has such times"),
    ],
)
def test_a_time_far_away_is_told_short_and_without_a_wrong_guess(whole, write, time, hint):
    one = series("vllm:num_requests_running", [(time, "1")])
    with pytest.raises(InputError, match="beyond the year 2200") as caught:
        whole(write("x.json", json.dumps({"resultType": "matrix", "result": [one]})))
    assert caught.value.hint.startswith(hint)
    assert len(caught.value.what) < 80
