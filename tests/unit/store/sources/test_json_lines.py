"""JSON objects line by line."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from signals.errors import InputError
from signals.store.sources.json_lines import first_object, object_blocks


def read(path):
    blocks = list(object_blocks(path))
    lines = [line for block in blocks for line in block.lines]
    objects = [one for block in blocks for one in block.objects]
    rejects = [(one.line, one.reason) for block in blocks for one in block.rejects]
    return lines, objects, rejects


def test_lines_are_numbered_and_blank_ones_skipped(write):
    path = write("x.jsonl", '{"a": 1}\n\n{"a": 2}\r\n')
    assert read(path) == ([1, 3], [{"a": 1}, {"a": 2}], [])


def test_what_is_no_object_is_counted(write):
    path = write("x.jsonl", '[1]\n{"a": }\nnull\n"x"\n{"a": 1}\n')
    assert read(path) == (
        [5],
        [{"a": 1}],
        [(1, "no_object"), (2, "bad_json"), (3, "no_object"), (4, "no_object")],
    )


def test_a_file_that_ends_inside_an_object_is_broken(write):
    with pytest.raises(InputError, match="ends in the middle") as caught:
        read(write("x.jsonl", '{"a": 1}\n{"a": 2, "b'))
    assert "line 2" in caught.value.where


@pytest.mark.parametrize("text", ["", "\n\n"])
def test_empty(write, text):
    with pytest.raises(InputError, match="empty"):
        read(write("x.jsonl", text))


@pytest.mark.parametrize("text", ['{"a":' * 100_000, '{"a": ' + "1" * 10_000 + "}"])
def test_nesting_and_numbers_without_end_are_no_json(write, text):
    assert read(write("x.jsonl", f'{{"b": 1}}\n{text}\n'))[2] == [(2, "bad_json")]


def test_first_object():
    assert first_object(b'\n{"a": 1}\n{"a": 2}') == {"a": 1}
    assert first_object(b"[1]\n") == {}
    assert first_object(b'{"a": [1,') == {}
    assert first_object(b"") == {}


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.dictionaries(st.text(max_size=5), st.integers() | st.text(max_size=5)), min_size=1)
)
def test_whatever_is_written_is_read(write, objects):
    path = write("x.jsonl", "".join(json.dumps(one) + "\n" for one in objects))
    assert read(path) == (list(range(1, len(objects) + 1)), objects, [])
