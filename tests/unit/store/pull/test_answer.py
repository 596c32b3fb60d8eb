"""Answers are checked and cut before anything is kept."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signals.store.pull.answer import Garbled, Partial, data_of, read_matrix
from signals.store.pull.plan import Window

WINDOW = Window(1_000_000, 2_000_000)


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


def test_native_histograms_are_counted():
    """The loader does not read them; the user is told."""
    one = {"metric": {}, "histograms": [[1500, {"count": "1"}], [2500, {"count": "2"}]]}
    assert read_matrix(body(one), WINDOW).native == 1


def test_warnings_travel_along():
    """The loader makes findings of them."""
    answer = read_matrix(body({"metric": {}, "values": [[1500, "1"]]}, warnings=["slow"]), WINDOW)
    assert json.loads(answer.text)["warnings"] == ["slow"]


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
    pairs = [[ms / 1000, str(ms)] for ms in sorted(times)]
    answer = read_matrix(body({"metric": {}, "values": pairs}), WINDOW)
    kept = [int(v) for s in json.loads(answer.text)["data"]["result"] for _, v in s["values"]]
    assert kept == [ms for ms in sorted(times) if WINDOW.start_ms <= ms < WINDOW.end_ms]
