"""Runs of samples: where they end, and the JSON parser as their twin."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from signals.errors import InputError
from signals.store.parsed import ReadOptions
from signals.store.sources import matrix_document, matrix_scan, stream
from signals.store.sources.matrix_scan import PairScanner
from signals.store.sources.prometheus_matrix import PROMETHEUS_MATRIX


@pytest.mark.parametrize(
    ("text", "count", "end"),
    [
        ('[1,"2"]', 1, 7),
        ('[1,"2"]]}', 1, 7),
        ('[1,"2"],[3,"4"]]', 2, 15),
        (' [ 1 , "2" ] , [ 3 , "4" ] ]', 2, 27),
        ("[1,2.5],[3,4]", 2, 13),
        ('[1,"2"],[3,"x"]', 1, 7),
        ('[1,"2"],[3,"4"', 1, 7),
        ('[1,"2"],', 1, 7),
        ('[1,"2"],,', 1, 7),
        ('[1,"2"] x', 1, 8),
        ('[1,"2",3]', 0, 0),
        ("[1]", 0, 0),
        ("[1,-0]", 0, 0),
        ("[1,12345678901234567890123]", 0, 0),
        ("]", 0, 0),
        ("", 0, 0),
    ],
)
def test_where_a_run_ends(text, count, end):
    found, pairs = PairScanner()(text.encode(), 0)
    assert (found, 0 if pairs is None else len(pairs.times)) == (end, count)


@pytest.mark.parametrize("cut", range(1, 29))
def test_a_cut_sample_is_left(cut):
    text = b'[1700000000.123,"12.5e-1"]'
    end, pairs = PairScanner()(text[:cut], 0)
    assert (end, pairs is None) == ((26, False) if cut >= 26 else (0, True))


def test_a_run_begins_anywhere_and_is_the_callers_own():
    scan = PairScanner()
    _, first = scan(b'[1,"2"]', 0)
    end, second = scan(b'xx[3,"4"]', 2)
    assert (end, first.values.tolist(), second.values.tolist()) == (9, [2.0], [4.0])
    assert scan(b'[1,"2"]', 9) == (9, None)


def test_more_than_fits_one_run():
    count = matrix_scan.CAPACITY + 10
    data = b",".join([b'[7,"8"]'] * count)
    end, pairs = PairScanner()(data, 0)
    assert len(pairs.times) == matrix_scan.CAPACITY
    assert data[end : end + 1] == b","


def test_values_for_python_among_others():
    texts = ["1", "5e-324", "2.5", "123456789012345678901", "3"]
    data = ",".join(f'[1,"{text}"]' for text in texts).encode()
    _, pairs = PairScanner()(data, 0)
    assert pairs.values.tolist() == [float(text) for text in texts]


TIMES = st.one_of(
    st.integers(1_600_000_000, 2_100_000_000).map(str),
    st.integers(1_600_000_000_000, 2_100_000_000_000).map(
        lambda ms: f"{ms // 1000}.{ms % 1000:03d}"
    ),
    st.sampled_from(
        ["0", "1.7e9", "-1", "-0", "1e400", "NaN", "true", "null", '"5"', "1.5E+3", "7e9"]
    ),
    st.sampled_from(["3000000000.123", "1700000000.1234567", "1760000000000", "01", "1.", "[1]"]),
)
TEXTS = st.one_of(
    st.integers(-1000, 1000).map(lambda n: f'"{n}"'),
    st.floats().map(lambda x: f'"{x!r}"'),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.sampled_from(['"NaN"', '"+Inf"', '"-Inf"', '"Inf"', '" 1"', '"1_0"', '".5"', '"1."', '"x"']),
    st.sampled_from(
        ["-0", "null", "[]", '"\\u0031"', '"é"', '"12345678901234567890"', "1" * 25, '"]"']
    ),
)
SPACES = st.sampled_from(["", "", "", " ", "\n", "\t \r"])


@st.composite
def documents(draw):
    """Answers as servers write them, and others near to them."""
    result = []
    for number in range(draw(st.integers(0, 3))):
        plain = st.tuples(st.integers(1_700_000_000, 1_800_000_000).map(str), st.just('"1.5"'))
        pairs = draw(st.lists(st.one_of(plain, plain, plain, st.tuples(TIMES, TEXTS)), max_size=12))
        space = draw(SPACES)
        values = f"{space},{space}".join(f"[{space}{time},{space}{text}]" for time, text in pairs)
        labels = json.dumps({"__name__": "up", "n": str(number), "text": draw(st.text(max_size=3))})
        result.append(f'{{"metric":{space}{labels},"values":[{values}]{space}}}')
    text = f'{{"status":"success","data":{{"resultType":"matrix","result":[{",".join(result)}]}}}}'
    if draw(st.integers(0, 3)) == 0:
        at = draw(st.integers(0, len(text) - 1))
        text = text[:at] + draw(st.sampled_from(["", "]", ",", '"', "x", "1"])) + text[at + 1 :]
    return text


def outcome(path):
    """All that reading a file gives, or the error that ends it."""
    frames, rejects, series = [], [], {}
    try:
        for chunk in PROMETHEUS_MATRIX.read(path, ReadOptions()):
            rejects += chunk.rejects
            if chunk.samples is None:
                continue
            for index, one in enumerate(chunk.series):
                number = series.setdefault(
                    (one.metric, tuple(one.labels.items()), one.sampling), len(series)
                )
                frames.append(
                    chunk.samples.filter(pl.col("series") == index).with_columns(
                        series=pl.lit(number)
                    )
                )
    except InputError as error:
        return error.what, error.where, error.expected, error.hint
    table = pl.concat(frames) if frames else pl.DataFrame({"series": [], "ts": [], "value": []})
    values = table["value"].cast(pl.Float64).to_numpy()
    bits = np.where(np.isnan(values), np.nan, values).view(np.int64).tolist()
    return list(series), rejects, table["series"].to_list(), table["ts"].to_list(), bits


@settings(
    max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(text=documents(), block=st.sampled_from([7, 64, 1 << 20]))
def test_the_parser_reads_the_same(tmp_path, monkeypatch, text, block):
    path = tmp_path / "x.json"
    path.write_text(text, encoding="utf-8")
    monkeypatch.setattr(stream, "BLOCK_BYTES", block)
    monkeypatch.setattr(matrix_document, "_LARGE_BYTES", 1 << 40)
    expected = outcome(path)
    monkeypatch.setattr(matrix_document, "_LARGE_BYTES", 0)
    assert outcome(path) == expected
