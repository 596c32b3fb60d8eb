"""Printed query results: matrices, vectors, scalars, and whether they lie on steps."""

from __future__ import annotations

import math

import pytest

from signals.errors import InputError
from signals.store.parsed import NameChoice, ReadOptions
from signals.store.sources import promtool_text, sample_chunks, stream

AS = ReadOptions(as_name=NameChoice("decode:decode_tps", "tokens/s"))
UP = 'up{pod="a", role="decode"}'


def samplings(found) -> set[str]:
    return {one.sampling for one in found.series.values()}


def test_a_range_query_lies_on_steps(whole, write):
    text = f"{UP} =>\n1 @[1760000000]\n0 @[1760000015]\nNaN @[1760000045]\nup =>\n5 @[1760000015]\n"
    found = whole(write("x.txt", text))
    assert found.format == "promtool-text"
    labels = {"pod": "a", "role": "decode"}
    assert found.rows[:2] == [("up", labels, 0.0, 1.0), ("up", labels, 15.0, 0.0)]
    assert math.isnan(found.rows[2][3])
    assert found.rows[3] == ("up", {}, 15.0, 5.0)
    assert samplings(found) == {"step_aligned"}
    assert found.codes == {"step_aligned": 1}
    assert "15 s" in found.findings[0].text
    assert found.rows_read == 4


def test_a_range_vector_is_raw(whole, write):
    text = f"{UP} =>\n1 @[1760000000.123]\n2 @[1760000015.121]\n3 @[1760000030.123]\n"
    found = whole(write("x.txt", text))
    assert found.seconds == [0.123, 15.121, 30.123]
    assert samplings(found) == {"raw"}
    assert found.findings == []


def test_an_instant_query_names_series_on_each_line(whole, write):
    text = f'{UP} => 1 @[1760000000.5]\nup{{a="x => y"}} => +Inf @[1760000000.5]\n'
    found = whole(write("x.txt", text))
    assert found.rows == [
        ("up", {"pod": "a", "role": "decode"}, 0.5, 1.0),
        ("up", {"a": "x => y"}, 0.5, math.inf),
    ]


@pytest.mark.parametrize(
    "text", ["{} =>\n7 @[1760000000]\n", "{} => 7 @[1760000000]\n", "scalar: 7 @[1760000000]\n"]
)
def test_expressions_need_a_name(whole, write, text):
    path = write("x.txt", text)
    with pytest.raises(InputError, match="no name") as caught:
        whole(path, form="promtool-text")
    assert "--as" in caught.value.hint
    found = whole(path, AS, form="promtool-text")
    assert found.rows == [("decode_tps", {}, 0.0, 7.0)]
    (one,) = found.series.values()
    assert (one.unit, one.pool) == ("tokens/s", "decode")


def test_series_go_on_in_the_next_block(whole, write, monkeypatch):
    monkeypatch.setattr(stream, "BLOCK_BYTES", 16)
    monkeypatch.setattr(sample_chunks, "_CHUNK_SAMPLES", 2)
    text = f"{UP} =>\n" + "".join(f"{n} @[{1760000000 + 15 * n}]\n" for n in range(6))
    found = whole(write("x.txt", text), form="promtool-text")
    assert found.values == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]
    assert samplings(found) == {"step_aligned"}


def test_what_is_held_is_bounded(whole, write, monkeypatch):
    monkeypatch.setattr(stream, "BLOCK_BYTES", 64)
    monkeypatch.setattr(sample_chunks, "_CHUNK_SAMPLES", 2)
    monkeypatch.setattr(promtool_text, "_HELD_SAMPLES", 4)
    text = f"{UP} =>\n" + "".join(f"{n} @[{1760000000 + 15 * n}]\n" for n in range(40))
    source = promtool_text.PROMTOOL_TEXT
    chunks = [c for c in source.read(write("x.txt", text), ReadOptions()) if c.samples is not None]
    assert len(chunks) > 3
    assert {one.sampling for chunk in chunks for one in chunk.series} == {"step_aligned"}


def test_broken_lines_are_rejects(whole, write):
    lines = [
        "1 @[1760000000]",
        f"{UP} =>",
        "1 @[1760000000]",
        "1",
        "one @[1760000000]",
        "1 @[soon]",
        "{count:3, sum:1.5} @[1760000000]",
        "up{pod=a} =>",
        "1 @[1760000000]",
    ]
    found = whole(write("x.txt", "\n".join(lines)), form="promtool-text")
    assert found.values == [1.0]
    assert found.rejected == [
        (1, "bad_line"),
        (4, "bad_line"),
        (5, "bad_line"),
        (6, "bad_time"),
        (7, "native_histogram"),
        (9, "bad_line"),
    ]


def test_milliseconds_are_refused(whole, write):
    with pytest.raises(InputError, match="beyond the year 2200"):
        whole(write("x.txt", f"{UP} =>\n1 @[1760000000000]\n"))


def test_nothing_in_it(whole, write):
    with pytest.raises(InputError, match="no sample"):
        whole(write("x.txt", "\n"), form="promtool-text")
    assert whole(write("y.txt", f"{UP} =>\n")).codes == {"empty_result": 1}


def test_the_real_text_equals_the_real_json(whole, shared):
    text = whole(shared / "formats" / "promtool_query_range.txt")
    json = whole(shared / "formats" / "promtool_query_range.json")
    assert text.rows == json.rows
    assert samplings(text) == samplings(json) == {"step_aligned"}
