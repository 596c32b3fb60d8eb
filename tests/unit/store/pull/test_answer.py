"""Answers are checked and cut before anything is kept."""

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signals.store.pull.answer import (
    Garbled,
    Partial,
    data_of,
    read_counts,
    read_matrix,
    read_names,
)
from signals.store.pull.plan import Window

WINDOW = Window(1_000_000, 2_000_000)
WORDS = st.sampled_from(["result", "resultType", "metric", "values", "histograms", "value", "a"])


def body(*series, **envelope):
    """A matrix of some series."""
    return json.dumps(
        {"status": "success", "data": {"resultType": "matrix", "result": list(series)}, **envelope}
    ).encode()


def test_samples_outside_are_cut_off():
    """The millisecond before the window, which some servers send along, and its end."""
    pairs = [[999.999, "1"], [1000, "2"], [1999.999, "NaN"], [2000, "4"]]
    answer = read_matrix(body({"metric": {"__name__": "a"}, "values": pairs}), WINDOW)
    assert (answer.samples, answer.series) == (2, 1)
    kept = json.loads(answer.text)["data"]["result"]
    assert kept == [{"metric": {"__name__": "a"}, "values": [[1000, "2"], [1999.999, "NaN"]]}]


def test_series_without_samples_are_left_out():
    """Nothing remains of a series of the edge alone."""
    answer = read_matrix(body({"metric": {}, "values": [[999.999, "1"]]}), WINDOW)
    assert (answer.samples, answer.series) == (0, 0)


def test_native_histograms_are_samples():
    """The loader makes buckets of them; those outside are cut off."""
    one = {"metric": {}, "histograms": [[1500, {"count": "1"}], [2500, {"count": "2"}]]}
    answer = read_matrix(body(one), WINDOW)
    assert answer.samples == 1
    (kept,) = json.loads(answer.text)["data"]["result"]
    assert kept["histograms"] == [[1500, {"count": "1"}]]


@pytest.mark.parametrize("times", [(1500, 2500, 1600), (1500, 500, 1600), (2500, 1500, 999)])
def test_no_order_is_trusted(times):
    """What lies outside is cut off wherever it stands; the rest stays in its order, which the store puts right."""
    pairs = [[at, str(at)] for at in times]
    answer = read_matrix(body({"metric": {}, "values": pairs}), WINDOW)
    kept = [at for s in json.loads(answer.text)["data"]["result"] for at, _ in s["values"]]
    assert kept == [at for at in times if 1000 <= at < 2000]


def test_interval_of_samples_in_any_order():
    """It is a distance between times, not between places in the answer."""
    pairs = [[1000 + 15 * n, "1"] for n in (3, 1, 0, 2, 5, 4)]
    assert read_matrix(body({"metric": {}, "values": pairs}), WINDOW).interval_s == 15


def test_warnings_travel_along():
    """The loader makes findings of them."""
    answer = read_matrix(body({"metric": {}, "values": [[1500, "1"]]}, warnings=["slow"]), WINDOW)
    assert json.loads(answer.text)["warnings"] == ["slow"]
    assert answer.warnings == ("slow",)
    for odd in (5, "slow", [5, None], {"a": 1}):
        assert read_matrix(body(warnings=odd), WINDOW).warnings == ()


def test_interval_is_the_closest_spacing():
    """Of the series that is scraped most often."""
    slow = [[1000 + 60 * n, "1"] for n in range(5)]
    fast = [[1000.5 + 15 * n, "1"] for n in range(9)]
    answer = read_matrix(body(*({"metric": {}, "values": v} for v in (slow, fast))), WINDOW)
    assert answer.interval_s == 15
    assert read_matrix(body({"metric": {}, "values": slow[:1]}), WINDOW).interval_s is None


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"<html>",
        b"[]",
        b"null",
        b'{"status":"error"}',
        b'{"status":"success"}',
        b'{"status":"success","data":null}',
        b'{"status":"success","data":{"resultType":"vector","result":[]}}',
        b'{"status":"success","data":{"resultType":"matrix"}}',
        b'{"status":"success","data":{"resultType":"matrix","result":[1]}}',
        b'{"status":"success","data":{"resultType":"matrix","result":[{"metric":{},"values":[["x","1"]]}]}}',
        b'{"status":"success","data":{"resultType":"matrix","result":[{"metric":{},"values":[[1]]}]}}',
        b'{"status":"success","data":{"resultType":"matrix","result":[{"metric":{},"values":[[1500,"1"],["x","1"]]}]}}',
        b'{"status":"success","data":{"resultType":"matrix","result":[{"metric":{},"values":[[1500,"1"],[NaN,"1"]]}]}}',
        b'{"status":"success","data":{"resultType":"matrix","result":[{"metric":{},"values":[[1500,"1"],[1e999,"1"]]}]}}',
        b'{"status":"success","data":{"resultType":"matrix","result":[{"metric":{},"values":[[true,"1"]]}]}}',
        b'{"status":"success","data":{"resultType":"matrix","result":[{"metric":{},"values":5}]}}',
        b'{"status":"success","data":{"resultType":"matrix","result":[{"metric":{"a":1},"values":[[1500,"1"]]}]}}',
        b'{"status":"success","data":{"resultType":"matrix","result":[{"metric":[],"values":[[1500,"1"]]}]}}',
        b'{"status":"success","data":{"resultType":"matrix","result":5}}',
        b'{"status":"success","data":5}',
        body({"metric": {}, "values": [[1500, "1"]]})[:-9],
        b"[" * 100_000,
    ],
)
def test_what_is_no_answer(text):
    """Cut short, or of another program."""
    with pytest.raises(Garbled):
        read_matrix(text, WINDOW)


def test_partial_answer_is_refused():
    """VictoriaMetrics says so when a part of its cluster is away."""
    with pytest.raises(Partial):
        data_of(body(isPartial=True))


def test_texts_of_any_kind_survive():
    """Labels need not be letters, and halves of surrogate pairs are bytes that the reader mends."""
    one = {"metric": {"a": "ü\ud800\n"}, "values": [[1500, "1"]]}
    assert read_matrix(body(one), WINDOW).samples == 1


@given(st.binary(max_size=200))
def test_no_bytes_do_harm(text):
    """An answer or `Garbled`, nothing else."""
    try:
        read_matrix(text, WINDOW)
    except Garbled:
        return


@given(st.lists(st.integers(999_000, 2_001_000), unique=True, max_size=50))
def test_exactly_the_window_is_kept(times):
    """Each sample of [start, end), once."""
    pairs = [[ms / 1000, str(ms)] for ms in times]
    answer = read_matrix(body({"metric": {}, "values": pairs}), WINDOW)
    kept = [int(v) for s in json.loads(answer.text)["data"]["result"] for _, v in s["values"]]
    assert kept == [ms for ms in times if WINDOW.start_ms <= ms < WINDOW.end_ms]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=4),
    max_leaves=12,
)


@pytest.mark.parametrize("read", [lambda b: read_matrix(b, WINDOW), read_counts, read_names])
@given(data=JSON)
def test_no_json_does_harm(read, data):
    """Whatever stands under `data`: what was asked for, or `Garbled`."""
    text = json.dumps({"status": "success", "data": data}).encode()
    with suppress(Garbled):
        read(text)


def counts(*rows):
    """An instant answer."""
    data = {"resultType": "vector", "result": list(rows)}
    return json.dumps({"status": "success", "data": data}).encode()


def test_counts_of_each_series():
    """As whole numbers; nothing found is no count at all."""
    assert read_counts(counts({"value": [1, "2"]}, {"value": [1, "3e3"]})) == [2, 3000]
    assert read_counts(counts()) == []
    assert read_counts(b'{"status":"success","data":{"result":null}}') == []


@pytest.mark.parametrize("value", ["", "many", "NaN", "+Inf", "-1", "1e300", None, [], {}])
def test_what_is_no_count(value):
    """Odd words, and numbers that no server holds."""
    with pytest.raises(Garbled):
        read_counts(counts({"value": [1, value]}))


@pytest.mark.parametrize("row", [{}, [], 5, {"value": 5}, {"value": [1]}, {"histogram": [1, {}]}])
def test_what_is_no_row(row):
    """Of an instant answer."""
    with pytest.raises(Garbled):
        read_counts(counts(row))


@pytest.mark.parametrize("data", ["5", "{}", "[1]", '["a", null]', '["\\ud800"]', '"abc"'])
def test_what_is_no_list_of_names(data):
    """Nor could such names be asked for."""
    with pytest.raises(Garbled):
        read_names(f'{{"status":"success","data":{data}}}'.encode())


def test_list_of_names_may_be_null():
    """As some servers write an empty one."""
    assert read_names(b'{"status":"success","data":null}') == []
    assert read_names(b'{"status":"success","data":["b","a"]}') == ["b", "a"]
