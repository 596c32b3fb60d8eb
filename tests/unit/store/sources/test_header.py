"""The grammar of column headers."""

from __future__ import annotations

import pytest

from signals.errors import InputError
from signals.store.sources.header import (
    SeriesHeader,
    known_unit,
    label_of_header,
    parse_series_header,
    parse_time_header,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("request_rate [req/s]", SeriesHeader("request_rate", "req/s")),
        ("decode:gpu_util [%]", SeriesHeader("gpu_util", "%", "decode")),
        ("decode/pod-a:gpu_util", SeriesHeader("gpu_util", "", "decode", "pod-a")),
        ("decode/pod-a#1:gpu_util", SeriesHeader("gpu_util", "", "decode", "pod-a", "1")),
        (
            "decode/10.0.0.1:8000#0:gpu_util [percent]",
            SeriesHeader("gpu_util", "%", "decode", "10.0.0.1:8000", "0"),
        ),
        ("vllm:num_requests_running", SeriesHeader("vllm:num_requests_running")),
    ],
)
def test_series_headers(text, expected):
    assert parse_series_header(text, where="file") == expected


def test_an_unknown_unit_names_the_column():
    with pytest.raises(InputError, match="unit 'foo'") as caught:
        parse_series_header("decode:gpu_util [foo]", where="file")
    assert caught.value.where == "file, column 'decode:gpu_util [foo]'"


@pytest.mark.parametrize(
    ("columns", "unit", "relative"),
    [
        (["ts", "a"], "", False),
        (["a", "ts [ms]"], "ms", False),
        (["ts_s", "a"], "s", True),
    ],
)
def test_time_headers(columns, unit, relative):
    found = parse_time_header(columns)
    assert found is not None
    assert (found.unit, found.relative) == (unit, relative)


def test_no_time_header():
    assert parse_time_header(["time", "ts [h]", "arrived_at"]) is None
    assert parse_time_header(["ts_s"], "arrived_at") is None


def test_labels_by_their_header():
    assert label_of_header("label:zone") == "zone"
    assert label_of_header("zone") == ""
    assert parse_series_header("decode/a#1:gpu_util", where="").labels() == {
        "pool": "decode",
        "instance": "a",
        "gpu": "1",
    }


def test_clocks_without_a_zero():
    found = parse_time_header(["clock_s", "gpu_util"])
    assert found is not None
    assert (found.column, found.unit, found.relative, found.clock) == ("clock_s", "s", True, True)
    assert parse_time_header(["clock_s [ms]"]) is None


@pytest.mark.parametrize(
    ("text", "name"), [("%", "%"), ("MiB", "MiB"), ("furlong", ""), ("", ""), ("é\0", "")]
)
def test_units_of_exporters_are_ours_or_none(text, name):
    """An exporter's unit of which no measurement is, as of fans, is not an error."""
    assert known_unit(text) == name
