"""The envelope of an answer, and series in parts wherever the text is cut."""

from __future__ import annotations

import json
from itertools import chain

import pytest

from signals.errors import InputError
from signals.store.sources import matrix_document, pull_json, stream
from signals.store.sources.matrix_document import MatrixDocument

BASE = 1_760_000_000
PAIRS = [[BASE + 15 * n, str(n)] for n in range(40)]


def parts_of(path):
    """Per series its labels, its samples (None if it has no list of them) and whether it has native ones."""
    found = {}
    for part in MatrixDocument(path).parts():
        labels, pairs, native = found.setdefault(part.number, (part.labels, [], []))
        assert labels == part.labels
        if part.pairs is not None:
            pairs.append(part.pairs)
        native.append(part.native)
    return [
        (labels, list(chain.from_iterable(pairs)) if pairs else None, any(native))
        for labels, pairs, native in found.values()
    ]


def answer(*series):
    return json.dumps({"status": "success", "data": {"resultType": "matrix", "result": series}})


@pytest.mark.parametrize("block", [5, 64, 1 << 20])
@pytest.mark.parametrize("short", [0, 1 << 14])
def test_series_are_whole_wherever_blocks_end(write, monkeypatch, block, short):
    monkeypatch.setattr(stream, "BLOCK_BYTES", block)
    monkeypatch.setattr(pull_json, "_SHORT", short)
    odd = [[BASE, "],"], [BASE, "]]"], [], 5, {"a": [[1]]}, [[BASE, "1"]]]
    path = write(
        "x.json",
        answer(
            {"metric": {"__name__": "a"}, "values": PAIRS},
            {"values": PAIRS[:3], "metric": {"__name__": "b"}, "other": [[1], {"c": [2]}]},
            {"metric": {"__name__": "c"}, "values": odd},
            {"metric": {"__name__": "d"}, "histograms": [[BASE, {"buckets": [[0, "1"]]}]]},
            {"metric": {"__name__": "e"}, "values": []},
            {"metric": {"__name__": "f"}, "values": None},
        ),
    )
    assert parts_of(path) == [
        ({"__name__": "a"}, PAIRS, False),
        ({"__name__": "b"}, PAIRS[:3], False),
        ({"__name__": "c"}, odd, False),
        ({"__name__": "d"}, None, True),
        ({"__name__": "e"}, [], False),
        ({"__name__": "f"}, None, False),
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


@pytest.mark.parametrize("short", [0, 1 << 14])
@pytest.mark.parametrize(
    "series", [{"values": PAIRS}, {"metric": [], "values": PAIRS}, 1, [[1]], None]
)
def test_what_is_no_series(write, monkeypatch, series, short):
    monkeypatch.setattr(pull_json, "_SHORT", short)
    with pytest.raises(InputError, match="no series") as caught:
        parts_of(write("x.json", answer(series)))
    assert "series 1" in caught.value.where
