"""JSON tables: three layouts, records that are none, broken files."""

from __future__ import annotations

import gzip
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from signals.errors import InputError
from signals.store.sources import json_table
from signals.store.sources.json_table import is_json, open_json

RECORDS = [{"ts": 1760000000.25, "host": "a", "x": None}, {"ts": 1760000001, "host": "", "x": 2}]


def table_of(path):
    names, parts = open_json(path)
    parts = list(parts)
    rows = [row for part in parts for row in part.frame.rows()]
    lines = [line for part in parts for line in part.lines]
    rejects = [(one.line, one.reason) for part in parts for one in part.rejects]
    return names, rows, lines, rejects


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(RECORDS),
        "\n".join(json.dumps(one) for one in RECORDS) + "\n",
        json.dumps({str(number): one for number, one in enumerate(RECORDS)}),
        "\ufeff " + json.dumps(RECORDS, indent=2),
    ],
)
def test_layouts_of_records(write, text):
    for path in (write("x.json", text), write("y.json.gz", gzip.compress(text.encode()))):
        assert table_of(path) == (
            ["ts", "host", "x"],
            [("1760000000.25", "a", None), ("1760000001", None, "2")],
            [1, 2],
            [],
        )


def test_a_field_may_be_missing_but_not_new(write, monkeypatch):
    monkeypatch.setattr(json_table, "_ROWS", 2)
    text = '[{"a":1,"b":2},{"b":3},{"a":4,"c":5},7,{"a":6}]'
    names, rows, lines, rejects = table_of(write("x.json", text))
    assert names == ["a", "b"]
    assert rows == [("1", "2"), (None, "3"), ("6", None)]
    assert lines == [1, 2, 5]
    assert rejects == [(3, "unknown_field"), (4, "no_record")]


def test_cells_that_are_no_scalars(write):
    _, rows, _, _ = table_of(write("x.json", '[{"a":[1,2],"b":true,"c":{"d":1}}]'))
    assert rows == [("[1, 2]", "true", '{"d": 1}')]


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("[]", "no records"),
        ("{}", "no records"),
        ("[1,2]", "no records"),
        ('[{"a":1},', "ends in the middle"),
        ('{"0":{"a":1}', "ends in the middle"),
        ('{"0":{"a":1},"1":2}', "side by side"),
        ('[{"a":1}] x', "no valid JSON"),
        ("[" * 5000, "nested too deep|ends in the middle"),
    ],
)
def test_broken_files(write, text, what):
    path = write("x.json", text)
    with pytest.raises(InputError, match=what) as caught:
        table_of(path)
    assert "x.json" in caught.value.where


def test_what_is_json():
    assert is_json(b' \n{"a":1}')
    assert is_json(b"[1]")
    assert not is_json(b"ts,gpu_util\n")


@given(
    st.lists(
        st.dictionaries(
            st.sampled_from("abc"),
            st.none() | st.integers() | st.floats(allow_nan=False) | st.booleans(),
            min_size=3,
        ),
        min_size=1,
        max_size=20,
    )
)
def test_every_layout_gives_the_same_table(tmp_path_factory, records):
    folder = tmp_path_factory.mktemp("json")
    texts = {
        "list": json.dumps(records),
        "lines": "\n".join(json.dumps(one) for one in records),
        "index": json.dumps({str(n): one for n, one in enumerate(records)}),
    }
    found = []
    for name, text in texts.items():
        path = folder / name
        path.write_text(text, encoding="utf-8")
        found.append(table_of(path))
    assert found[0] == found[1] == found[2]
    assert len(found[0][1]) == len(records)
