"""The pull parser, with blocks small enough to cut everything in two."""

from __future__ import annotations

import json
import re
from itertools import chain

import pytest

from signals.errors import InputError
from signals.store.sources import pull_json, stream
from signals.store.sources.pull_json import JsonPuller

DOCUMENT = {"a": [1, 2.5e3, {"b": 'q"\\ é\n'}, None, True], "long": "x" * 50, "n": 1234567}


@pytest.fixture(params=[1, 3, 7, 1 << 20])
def block(request, monkeypatch):
    monkeypatch.setattr(stream, "BLOCK_BYTES", request.param)


@pytest.mark.usefixtures("block")
@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("ascii_only", [True, False])
def test_members_and_elements_wherever_blocks_end(write, indent, ascii_only):
    text = json.dumps(DOCUMENT, indent=indent, ensure_ascii=ascii_only)
    puller = JsonPuller(write("x.json", text))
    found = {}
    for name in puller.members():
        found[name] = list(puller.elements()) if name == "a" else puller.value()
    puller.finish()
    assert found == DOCUMENT


@pytest.mark.usefixtures("block")
@pytest.mark.parametrize("text", ["[]", "[ ]", "[1]", "[12, 345]", '[{"a": [1]}]'])
def test_arrays(write, text):
    puller = JsonPuller(write("x.json", text))
    assert list(puller.elements()) == json.loads(text)
    puller.finish()


@pytest.mark.usefixtures("block")
@pytest.mark.parametrize("text", ["[1", "[1,", '["a', '[{"a":', "["])
def test_a_file_that_ends_early(write, text):
    with pytest.raises(InputError, match="ends in the middle"):
        list(JsonPuller(write("x.json", text)).elements())


@pytest.mark.usefixtures("block")
@pytest.mark.parametrize("text", ["[1 2]", "[,]", "[tru]", "[1]]", "x"])
def test_what_is_no_json(write, text):
    path = write("x.json", text)

    def read_all():
        puller = JsonPuller(path)
        list(puller.elements())
        puller.finish()

    with pytest.raises(InputError):
        read_all()


def test_deep_nesting(write):
    with pytest.raises(InputError, match="nested too deep"):
        list(JsonPuller(write("x.json", "[" * 200_000)).elements())


def test_one_value_has_a_limit(write, monkeypatch):
    monkeypatch.setattr(stream, "BLOCK_BYTES", 16)
    monkeypatch.setattr(pull_json, "MAX_ELEMENT_CHARS", 64)
    with pytest.raises(InputError, match="one JSON value is larger"):
        list(JsonPuller(write("x.json", '["' + "x" * 1000 + '"]')).elements())


ARRAYS = [
    [[1, "a"], [2, "b"]] * 20,
    [[]] * 50,
    [[1, "],"], [2, "]]"], [3, "["]] * 5,
    [1, 2.5, "x", None, {"a": [[1]]}, [[2]], []] * 4,
    [],
]


@pytest.mark.usefixtures("block")
@pytest.mark.parametrize("array", ARRAYS)
@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize("credit", [0, 1 << 20])
def test_batches_hold_what_elements_hold(write, monkeypatch, array, indent, credit):
    monkeypatch.setattr(pull_json, "_CREDIT", credit)
    puller = JsonPuller(write("x.json", json.dumps(array, indent=indent)))
    found = list(puller.batches())
    puller.finish()
    assert list(chain.from_iterable(found)) == array
    assert all(found)


def test_arrays_come_many_at_a_time(write):
    puller = JsonPuller(write("x.json", json.dumps([[n, "v"] for n in range(5000)])))
    assert [len(batch) for batch in puller.batches()] == [5000]


@pytest.mark.usefixtures("block")
@pytest.mark.parametrize("value", [*ARRAYS, DOCUMENT, 7.5, "x"])
def test_skipping(write, value):
    puller = JsonPuller(write("x.json", json.dumps([value, "next"])))
    for number in puller.items():
        if number == 1:
            puller.skip()
        else:
            assert puller.value() == "next"
    puller.finish()


def test_looking_for_brackets_stays_linear(write, monkeypatch):
    # a bracket inside the very last text makes every attempt fail
    looked = 0
    loads = json.loads

    def counting(text):
        nonlocal looked
        looked += len(text)
        return loads(text)

    text = "[" + "1," * 20_000 + '"],"]'
    monkeypatch.setattr(pull_json.json, "loads", counting)
    monkeypatch.setattr(pull_json, "_CREDIT", 1 << 17)
    assert sum(map(len, JsonPuller(write("x.json", text)).batches())) == 20_001
    assert looked < 10 * len(text)


def numbers_scanner(calls):
    """Reads runs of `[n]`, and notes what it was given."""
    run = re.compile(rb"\[\d+\](,\[\d+\])*")

    def scan(data, at):
        calls.append(data[at : at + 3])
        found = run.match(data, at)
        return (at, None) if found is None else (found.end(), json.loads(b"[" + found[0] + b"]"))

    return scan


@pytest.mark.usefixtures("block")
@pytest.mark.parametrize(
    "array",
    [
        [],
        [[n] for n in range(200)],
        [[1], "é∞", [2], [3], {"a": [4]}, [5]],
        [*("x" * 30), *([n] for n in range(50)), *("y" * 30)],
    ],
)
def test_runs_hold_what_elements_hold(write, array):
    calls = []
    puller = JsonPuller(write("x.json", json.dumps(array, ensure_ascii=False, indent=1)))
    compact = JsonPuller(write("y.json", json.dumps(array, separators=(",", ":"))))
    for one in (puller, compact):
        assert list(chain.from_iterable(one.runs(numbers_scanner(calls)))) == array
        one.finish()


def test_text_for_the_scanner_has_one_byte_per_character(write):
    calls = []
    puller = JsonPuller(write("x.json", '["é∞😀",[1]]'))
    assert list(chain.from_iterable(puller.runs(numbers_scanner(calls)))) == ["é∞😀", [1]]
    assert calls == ['"é?'.encode("latin-1"), b"[1]"]


@pytest.mark.usefixtures("block")
def test_members_behind_a_value(write):
    puller = JsonPuller(write("x.json", '{"a": 1 , "b": 2}'))
    first = next(puller.members())
    values = [puller.value()]
    values += [(name, puller.value()) for name in puller.more_members()]
    puller.finish()
    assert (first, values) == ("a", [1, ("b", 2)])


def test_a_match_is_consumed_or_nothing_is(write):
    puller = JsonPuller(write("x.json", ' {"a": 1}'))
    assert puller.match(re.compile(r"\[")) is None
    found = puller.match(re.compile(r'\{"a"'))
    assert puller.peek() == ":"
    puller.unmatch(found)
    assert puller.value() == {"a": 1}
    puller.finish()
