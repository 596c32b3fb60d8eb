"""The envelope of an answer, and series in parts wherever the text is cut."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from itertools import chain

import pytest

from signals.errors import InputError
from signals.store.sources import matrix_document, pull_json, stream
from signals.store.sources.matrix_document import MatrixDocument
from signals.store.sources.matrix_scan import ScannedPairs

BASE = 1_760_000_000
PAIRS = [[BASE + 15 * n, str(n)] for n in range(40)]


@pytest.fixture(params=["parsed", "scanned"])
def reader(request, monkeypatch):
    """Read with the JSON parser alone, or with compiled code where it can."""
    monkeypatch.setattr(
        matrix_document, "_LARGE_BYTES", 1 << 40 if request.param == "parsed" else 0
    )


def listed(pairs):
    if isinstance(pairs, list):
        return pairs
    return [
        [time // 1_000_000, str(int(value))]
        for time, value in zip(pairs.times, pairs.values, strict=True)
    ]


def parts_of(path):
    """Per series its labels, its samples (None if it has no list of them) and its native histograms."""
    found = {}
    for part in MatrixDocument(path).parts():
        labels, pairs, native = found.setdefault(part.number, (part.labels, [], []))
        assert labels == part.labels
        if part.pairs is not None:
            pairs.append(listed(part.pairs))
        native += part.histograms or []
    return [
        (labels, list(chain.from_iterable(pairs)) if pairs else None, native)
        for labels, pairs, native in found.values()
    ]


def answer(*series, kind="matrix", **more):
    return json.dumps({"status": "success", "data": {"resultType": kind, "result": series}, **more})


def findings_of(path):
    document = MatrixDocument(path)
    for _ in document.parts():
        continue
    return [(finding.code, finding.count) for finding in document.findings]


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize("block", [5, 64, 1 << 20])
@pytest.mark.parametrize("short", [0, 1 << 14])
def test_series_are_whole_wherever_blocks_end(write, monkeypatch, block, short):
    monkeypatch.setattr(stream, "BLOCK_BYTES", block)
    monkeypatch.setattr(pull_json, "_SHORT", short)
    histogram = [BASE, {"count": "1", "sum": "2", "buckets": [[0, "0", "1", "1"]]}]
    odd = [[BASE, "],"], [BASE, "]]"], [], 5, {"a": [[1]]}, [[BASE, "1"]]]
    path = write(
        "x.json",
        answer(
            {"metric": {"__name__": "a"}, "values": PAIRS},
            {"values": PAIRS[:3], "metric": {"__name__": "b"}, "other": [[1], {"c": [2]}]},
            {"metric": {"__name__": "c"}, "values": odd},
            {"metric": {"__name__": "d"}, "histograms": [histogram, histogram]},
            {"metric": {"__name__": "e"}, "values": []},
            {"metric": {"__name__": "f"}, "values": None},
        ),
    )
    assert parts_of(path) == [
        ({"__name__": "a"}, PAIRS, []),
        ({"__name__": "b"}, PAIRS[:3], []),
        ({"__name__": "c"}, odd, []),
        ({"__name__": "d"}, None, [histogram, histogram]),
        ({"__name__": "e"}, [], []),
        ({"__name__": "f"}, None, []),
    ]


def test_a_long_series_comes_in_parts(write, monkeypatch):
    monkeypatch.setattr(stream, "BLOCK_BYTES", 256)
    monkeypatch.setattr(pull_json, "_SHORT", 0)
    path = write("x.json", answer({"metric": {}, "values": PAIRS * 50}))
    longest = max(len(part.pairs) for part in MatrixDocument(path).parts() if part.pairs)
    assert 1 < longest < 30


def test_samples_before_their_labels_are_held_up_to_a_limit(write, monkeypatch):
    monkeypatch.setattr(stream, "BLOCK_BYTES", 256)
    monkeypatch.setattr(pull_json, "_SHORT", 0)
    monkeypatch.setattr(matrix_document, "_MAX_EARLY", 30)
    path = write("x.json", answer({"values": PAIRS, "metric": {}}))
    with pytest.raises(InputError, match="before their labels"):
        parts_of(path)


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize("short", [0, 1 << 14])
@pytest.mark.parametrize(
    "series", [{"values": PAIRS}, {"metric": [], "values": PAIRS}, 1, [[1]], None]
)
def test_what_is_no_series(write, monkeypatch, series, short):
    monkeypatch.setattr(pull_json, "_SHORT", short)
    with pytest.raises(InputError, match="no series") as caught:
        parts_of(write("x.json", answer(series)))
    assert "series 1" in caught.value.where


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize("short", [0, 1 << 14])
def test_one_moment(write, monkeypatch, short):
    monkeypatch.setattr(pull_json, "_SHORT", short)
    histogram = [BASE, {"count": "1", "sum": "2"}]
    series = (
        {"metric": {"__name__": "a"}, "value": [BASE, "1"]},
        {"metric": {"__name__": "b"}, "histogram": histogram},
    )
    expected = [
        ({"__name__": "a"}, [[BASE, "1"]], []),
        ({"__name__": "b"}, None, [histogram]),
    ]
    path = write("x.json", answer(*series, kind="vector"))
    assert parts_of(path) == expected
    assert findings_of(path) == [("instant_result", 2)]
    assert parts_of(write("bare.json", json.dumps(series))) == expected


@pytest.mark.parametrize(
    "text", [answer(BASE, "7", kind="scalar"), f'[{BASE},"7"]', f' [ {BASE} , "7" ]\n']
)
def test_a_scalar(write, text):
    path = write("x.json", text)
    assert parts_of(path) == [({}, [[BASE, "7"]], [])]
    assert findings_of(path) == [("instant_result", 1)]


@pytest.mark.parametrize("text", ['[1e5e,"7"]', '[1-2,"7"]', f'[{BASE},"7"] x', f'[{BASE},"7"'])
def test_what_is_no_scalar(write, text):
    with pytest.raises(InputError):
        parts_of(write("x.json", text))


def test_a_string_holds_no_samples(write):
    with pytest.raises(InputError, match="is a string"):
        parts_of(write("x.json", answer(BASE, "7", kind="string")))


@pytest.mark.parametrize(
    ("more", "found"),
    [
        ({"warnings": ["No StoreAPIs matched for this query"]}, {"partial_response": 1}),
        ({"warnings": ["PromQL warning: bad bucket label"]}, {}),
        ({"infos": ["partial"]}, {}),
        ({"isPartial": True}, {"partial_response": 1}),
        ({"isPartial": False}, {}),
    ],
)
def test_a_partial_answer_is_told(write, more, found):
    codes = dict(findings_of(write("x.json", answer(**more))))
    assert {code: n for code, n in codes.items() if not code.startswith("server_")} == found


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ('{"status":"error","errorType":"timeout","error":"too slow"}', "(errorType timeout)"),
        ('{"status":"error","error":"too slow"}', "x.json"),
        ('{"error":"too slow","status":"error"}', "x.json"),
        ('{"status":"error","data":{"resultType":"","result":null},"error":"too slow"}', "x.json"),
    ],
)
def test_an_error_answer(write, text, where):
    with pytest.raises(InputError, match="the server answered with an error: too slow") as caught:
        parts_of(write("x.json", text))
    assert caught.value.where.endswith(where)


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize(
    "text",
    [
        '[{"metric":{"a":"}{"},"values":[[1,"1"]]}]',
        '[{"metric":{"a":"b"},"values":[[1,"1"]],"more":[1]}]',
        '[{"metric":{"a":"b"},"values":[[1,"1"]],"metric":{"a":"b"}}]',
        '[ {\n"metric" : {"a" : "b"} ,\t"values" :\r [ [ 1 , "1" ] ] } ]',
        '[{"metric":{"a":"\\u0062"},"values":[[1,"1"]]}]',
    ],
)
def test_ways_to_write_a_series(write, text):
    ((_, pairs, native),) = parts_of(write("x.json", text))
    assert (pairs, native) == ([[1, "1"]], [])


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize("odd", ["\f", "\v", "\u00a0"])
def test_white_space_that_json_does_not_know(write, odd):
    with pytest.raises(InputError, match="no valid JSON"):
        parts_of(write("x.json", f'[{{"metric":{odd}{{"a":"b"}},"values":[[1,"1"]]}}]'))
    with pytest.raises(InputError):
        parts_of(write("x.json", f'[{odd}1,"7"]'))


@pytest.mark.parametrize("kind", [["matrix"], {}, None, 1])
def test_a_type_that_is_no_text(write, kind):
    with pytest.raises(InputError, match="which holds no samples"):
        parts_of(write("x.json", answer(kind=kind)))


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize("labels", ['{"a":"b",}', '{"a"}', "{a}"])
def test_labels_that_are_no_json(write, labels):
    with pytest.raises(InputError, match="no valid JSON"):
        parts_of(write("x.json", f'[{{"metric":{labels},"values":[[1,"1"]]}}]'))


def test_only_large_files_are_worth_a_compiler(write, monkeypatch):
    path = write("x.json", answer({"metric": {}, "values": PAIRS}))
    packed = write("x.json.gz", gzip.compress(path.read_bytes()))
    kinds = []
    for limit in (1 << 40, 0):
        monkeypatch.setattr(matrix_document, "_LARGE_BYTES", limit)
        monkeypatch.setattr(matrix_document, "_LARGE_PACKED_BYTES", limit)
        for one in (path, packed):
            kinds += [type(part.pairs) for part in MatrixDocument(one).parts() if part.pairs]
    assert kinds == [list, list, ScannedPairs, ScannedPairs]


def test_a_small_file_does_not_wait_for_a_compiler(write):
    path = write("x.json", answer({"metric": {}, "values": PAIRS}))
    code = (
        "import sys, pathlib\n"
        "from signals.store.sources.matrix_document import MatrixDocument\n"
        f"assert list(MatrixDocument(pathlib.Path({str(path)!r})).parts())\n"
        "sys.exit('numba' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
