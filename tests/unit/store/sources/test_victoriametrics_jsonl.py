"""Export lines: nulls and infinities, several lines per series, lines of any length, broken ones."""

from __future__ import annotations

import gzip
import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signals.errors import InputError
from signals.store.parsed import ReadOptions
from signals.store.sources import stream, victoriametrics_jsonl
from signals.store.sources.victoriametrics_jsonl import VICTORIAMETRICS_JSONL


def line(values, times, **labels) -> str:
    metric = {"__name__": "up", **labels}
    return json.dumps(
        {"metric": metric, "values": values, "timestamps": times}, separators=(",", ":")
    )


def stamps(*seconds) -> list[int]:
    return [1_760_000_000_000 + round(second * 1000) for second in seconds]


def test_one_series_over_several_lines(whole, write):
    lines = [
        line([1, 2.5], stamps(0, 15), pod="a"),
        line([7], stamps(0), pod="b"),
        line([3], stamps(30.123), pod="a"),
    ]
    text = "\n".join(lines) + "\n"
    found = whole(write("x.jsonl", text))
    assert found.format == "victoriametrics-jsonl"
    assert found.rows == [
        ("up", {"pod": "a"}, 0.0, 1.0),
        ("up", {"pod": "a"}, 15.0, 2.5),
        ("up", {"pod": "b"}, 0.0, 7.0),
        ("up", {"pod": "a"}, 30.123, 3.0),
    ]
    assert whole(write("x.jsonl.gz", gzip.compress(text.encode()))).rows == found.rows


def test_nulls_and_infinities(whole, write):
    found = whole(
        write("x.jsonl", line([None, "Infinity", "-Infinity", "NaN"], stamps(0, 1, 2, 3)))
    )
    assert math.isnan(found.values[0])
    assert found.values[1:3] == [math.inf, -math.inf]
    assert math.isnan(found.values[3])
    assert found.rejects == []


def test_labels_that_look_like_the_rest(whole, write):
    labels = {"a": '","values":[1],"timestamps":[2]}', "b": "]}", "c": "é\n", "d": ""}
    found = whole(write("x.jsonl", line([1], stamps(0), **labels) + "\n"))
    assert found.rows == [("up", {key: text for key, text in labels.items() if text}, 0.0, 1.0)]


@pytest.mark.parametrize(
    "text",
    [
        '{"timestamps": [1760000000000, 1760000015000], "values": [1, null], "metric": {"__name__": "up"}}',
        '{"metric":{"__name__":"up"},"values":[1, null],"timestamps":[1760000000000,1760000015000],"x":[]}',
        '  {"metric":{"__name__":"up"},"values":["1",null],"timestamps":["1760000000000",1760000015000]}  ',
    ],
)
def test_other_writers(whole, write, text):
    found = whole(write("x.jsonl", text + "\n"))
    assert found.seconds == [0.0, 15.0]
    assert found.values[0] == 1.0
    assert math.isnan(found.values[1])


def test_broken_lines_and_samples_are_rejects(whole, write):
    lines = [
        line([1], stamps(0)),
        "no json",
        "[1]",
        '{"metric":{"__name__":"up"},"values":[1]}',
        line([1, 2], stamps(0)),
        line([1, "soon", True], stamps(15, 30, 45)),
        line([2, 3, 4], [1.5, -1, 10**17]),
        '{"metric":["up"],"values":[1],"timestamps":[1760000000000]}',
        line([], []),
        line(["1,2"], stamps(0)),
    ]
    found = whole(write("x.jsonl", "\n".join(lines) + "\n"), form="victoriametrics-jsonl")
    assert found.values == [1.0, 1.0]
    assert found.rejected == [
        (2, "bad_line"),
        (3, "bad_line"),
        (4, "bad_line"),
        (5, "unequal_lengths"),
        (6, "bad_number"),
        (6, "bad_number"),
        (7, "bad_time"),
        (7, "bad_time"),
        (7, "bad_time"),
        (8, "bad_line"),
        (10, "unequal_lengths"),
    ]
    assert [one.count for one in found.rejects if one.reason == "unequal_lengths"] == [2, 2]
    assert found.rows_read == len(found.values) + sum(one.count for one in found.rejects)


def test_a_bucket_without_a_bound_is_lost_with_all_its_samples(whole, write):
    name = "vllm:time_to_first_token_seconds_bucket"
    metrics = [{"__name__": name, "le": bound} for bound in ("0.5", "abc", "+Inf")]
    lines = [
        json.dumps({"metric": one, "values": [1, 2, 3], "timestamps": stamps(0, 15, 30)})
        for one in metrics
    ]
    found = whole(write("x.jsonl", "\n".join(lines) + "\n"), form="victoriametrics-jsonl")
    assert [(one.line, one.reason, one.count) for one in found.rejects] == [(2, "bad_series", 3)]
    assert (len(found.rows), found.rows_read) == (6, 9)


def test_a_cut_export_is_refused(whole, write):
    text = line([1], stamps(0)) + "\n" + line([1, 2, 3], stamps(0, 1, 2))
    with pytest.raises(InputError, match="ends in the middle") as caught:
        whole(write("x.jsonl", text[:-9]))
    assert "line 2" in caught.value.where


def test_nameless_results_need_a_name(whole, write):
    text = '{"metric":{"pod":"a"},"values":[1],"timestamps":[1760000000000]}\n'
    with pytest.raises(InputError, match="no name"):
        whole(write("x.jsonl", text))


def test_lines_longer_than_a_block(whole, write, monkeypatch):
    monkeypatch.setattr(stream, "BLOCK_BYTES", 128)
    monkeypatch.setattr(stream, "MAX_LINE_BYTES", 128)
    monkeypatch.setattr(victoriametrics_jsonl, "MAX_LINE_BYTES", 100_000)
    count = 5000
    path = write("x.jsonl", line(list(range(count)), stamps(*range(count))) + "\n")
    assert whole(path, form="victoriametrics-jsonl").values == [float(n) for n in range(count)]
    monkeypatch.setattr(victoriametrics_jsonl, "MAX_LINE_BYTES", 1000)
    with pytest.raises(InputError, match="longer than"):
        whole(path, form="victoriametrics-jsonl")


def test_a_long_line_is_recognised_by_its_beginning():
    head = line(list(range(100)), stamps(*range(100))).encode()[:120]
    assert VICTORIAMETRICS_JSONL.detect(head, None) == 1.0
    matrix = b'{"metric":{"__name__":"up"},"values":[[1760000000,"1"]'
    assert VICTORIAMETRICS_JSONL.detect(matrix, None) == 0.0


@pytest.mark.parametrize("text", ["", "\n", '{"metric":{},"values":[],"timestamps":[]}\n'])
def test_nothing_in_it(whole, write, text):
    with pytest.raises(InputError, match="no sample"):
        whole(write("x.jsonl", text), form="victoriametrics-jsonl")


def test_half_of_a_surrogate_pair_is_no_text(whole, write):
    text = '{"metric":{"__name__":"up","a":"\\ud800"},"values":[1],"timestamps":[1760000000000]}\n'
    assert whole(write("x.jsonl", text)).rows[0][1] == {"a": "?"}


@given(st.lists(st.floats(allow_nan=False), min_size=1, max_size=20))
def test_values_keep_every_bit(tmp_path_factory, values):
    path = tmp_path_factory.mktemp("vm") / "x.jsonl"
    cells = [v if math.isfinite(v) else ("Infinity" if v > 0 else "-Infinity") for v in values]
    path.write_text(line(cells, stamps(*range(len(values)))) + "\n")
    (chunk,) = VICTORIAMETRICS_JSONL.read(path, ReadOptions())
    assert chunk.samples is not None
    assert [v.hex() for v in chunk.samples["value"]] == [v.hex() for v in values]


def test_the_real_export(whole, shared):
    found = whole(shared / "formats" / "victoriametrics_export.jsonl")
    dump = whole(shared / "formats" / "promtool_tsdb_dump.txt")
    rows = [
        sorted((name, sorted(labels.items()), *rest) for name, labels, *rest in form.rows)
        for form in (found, dump)
    ]
    assert rows[0] == rows[1]
