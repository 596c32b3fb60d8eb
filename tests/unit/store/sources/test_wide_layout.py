"""Columns of a wide table: time, labels, numbers, and what is left out."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from signals.errors import InputError
from signals.store.sources.header import parse_series_header
from signals.store.sources.wide_layout import (
    is_known,
    label_of_column,
    no_time_column,
    time_like,
    wide_layout,
)

PATH = Path("gpus.csv")


def layout_of(**columns):
    head = pl.DataFrame(columns)
    return wide_layout(head.columns, head, PATH)


def test_columns_by_what_they_hold():
    found = layout_of(
        ts=["1760000000"],
        host=["a"],
        gpu=["0"],
        phase=["steady"],
        **{"label:tenant": ["x"], "gpu_util [%]": ["50"], "speed": ["1"]},
    )
    assert found.time.column == "ts"
    assert found.labels == {"host": "host", "gpu": "gpu", "label:tenant": "tenant"}
    assert list(found.numbers) == ["gpu_util [%]", "speed"]
    assert [(one.code, one.subject) for one in found.findings] == [("text_column", "phase")]


def test_a_series_has_the_labels_of_its_row():
    found = layout_of(ts=["1"], pod=["a"], pool=["decode"], **{"gpu_util [%]": ["5"]})
    one = found.series({"pod": "a", "pool": "decode"}, "gpu_util [%]")
    assert (one.metric, one.unit, one.pool) == ("gpu_util", "%", "decode")
    assert one.labels == {"pod": "a", "pool": "decode"}
    assert found.series({"pod": None, "pool": None}, "gpu_util [%]").labels == {}


def test_the_header_of_a_column_comes_before_its_row():
    found = layout_of(ts=["1"], gpu=["0"], **{"prefill/a#3:gpu_util": ["5"]})
    one = found.series({"gpu": "0"}, "prefill/a#3:gpu_util")
    assert one.labels == {"pool": "prefill", "instance": "a", "gpu": "3"}
    assert one.pool == "prefill"


def test_a_known_metric_is_no_text_however_bad_its_cells():
    found = layout_of(ts=["1"], gpu_util=["n/a"], note=["n/a"], empty=[None])
    assert list(found.numbers) == ["gpu_util", "empty"]


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("Hostname", "Hostname"),
        ("gpu_id", "gpu"),
        ("model", "model_name"),
        ("label:zone", "zone"),
        ("label: zone ", "zone"),
        ("gpu_util", ""),
        ("tenant", ""),
    ],
)
def test_names_of_labels(name, label):
    assert label_of_column(name) == label


@pytest.mark.parametrize(
    ("names", "found"),
    [
        (["timestamp", "gpu"], "timestamp"),
        (["a", "timestamp_anon", "exec_time_seconds"], "timestamp_anon"),
        (["Time", "TTFT p50"], "Time"),
        (["vLLM.time_to_first_token_avg"], ""),
        (["timestamp", "datetime"], ""),
        (["creation_time", "deletion_time"], ""),
    ],
)
def test_the_column_that_looks_like_the_time(names, found):
    assert time_like(names) == found


def test_the_error_names_the_option_that_helps():
    assert "--map 'timestamp=ts'" in no_time_column(["timestamp"], PATH, "a form").hint
    assert "without times" in no_time_column(["metric", "value"], PATH, "a form").hint


@pytest.mark.parametrize(
    ("columns", "what"),
    [
        ({"time": ["1"], "gpu_util": ["5"]}, "'ts' is missing"),
        ({"ts": ["1"], "host": ["a"]}, "no column holds numbers"),
        ({"ts": ["1"], "gpu_util": ["5"], "gpu_util [%]": ["5"]}, "the same series"),
        ({"ts": ["1"], "gpu": ["0"], "gpu_id": ["0"], "gpu_util": ["5"]}, "the same label"),
        ({"ts": ["1"], "gpu_util [furlong]": ["5"]}, "unit 'furlong'"),
    ],
)
def test_what_is_wrong_with_a_header(columns, what):
    with pytest.raises(InputError, match=what) as caught:
        layout_of(**columns)
    assert "gpus.csv" in caught.value.where


def test_odd_pools_are_told():
    found = layout_of(ts=["1"], **{"encode/a:gpu_util": ["5"]})
    assert [one.code for one in found.findings] == ["unknown_pool"]


def test_what_the_catalog_knows():
    assert is_known(parse_series_header("decode:gpu_util [%]", where=""))
    assert not is_known(parse_series_header("speed", where=""))
