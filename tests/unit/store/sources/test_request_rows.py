"""Records gathered into rows."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from signals.store.sources.request_rows import (
    RequestRows,
    asked_tokens,
    failure_status,
    is_number,
    minus,
    offsets_of,
    plain,
    record,
)


def test_cells_become_texts_with_all_their_digits():
    rows = RequestRows("arrived_at", "prompt_tokens", "block_hashes")
    rows.add(3, arrived_at=1759813207532900363, prompt_tokens=1.5, block_hashes=[1])
    rows.add(4, arrived_at=1787267980.0827403)
    rows.reject(5, "no_object", {"a": 1})
    assert rows.rows == 3
    part = rows.part()
    assert part.frame.rows() == [
        ("1759813207532900363", "1.5", [1]),
        ("1787267980.0827403", None, None),
    ]
    assert part.lines.to_list() == [3, 4]
    assert [(one.line, one.excerpt) for one in part.rejects] == [(5, "{'a': 1}")]
    assert rows.rows == 0
    assert rows.part().frame.is_empty()


def test_plain():
    values = [None, "", "a", 1, 1e-7, True, [1]]
    assert [plain(value) for value in values] == [None, None, "a", "1", "1e-07", "True", "[1]"]


def test_numbers_and_records():
    assert [is_number(value) for value in (1, 1.5, True, "1", None)] == [
        True,
        True,
        False,
        False,
        False,
    ]
    assert [is_number(value) for value in (10**400, float("nan"), float("inf"))] == [False] * 3
    assert minus(3, 1.5) == 1.5
    assert minus(1_759_813_207_532_900_363, 1_759_813_207_532_900_360) == 3.0
    assert minus(None, 1) is None
    assert record({"a": 1}) == {"a": 1}
    assert record([1]) == {}


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (("HTTP Error 429", "x"), "rejected"),
        (("Too Many Requests",), "rejected"),
        (("asyncio.TimeoutError", None), "timeout"),
        ((499, "RequestCancellationError"), "cancelled"),
        ((500, "Internal Server Error"), "error"),
        ((None,), "error"),
    ],
)
def test_failures_have_the_forms_own_words(words, status):
    assert failure_status(*words) == status


@pytest.mark.parametrize(
    ("body", "tokens"),
    [
        ('{"max_tokens": 128}', 128),
        ('{"body": {"max_completion_tokens": 64, "max_tokens": 9}}', 64),
        ('{"prompt": "say \\"max_tokens\\": 5"}', None),
        ('{"max_tokens": "many"}', None),
        ('{"max_tokens": ', None),
        ("[" * 100_000 + "max_", None),
        (None, None),
        (7, None),
    ],
)
def test_asked_tokens(body, tokens):
    assert asked_tokens(body) == tokens


def test_offsets_count_from_the_earliest():
    clock = pl.Series("t", ["5001.5", "5000.25", "x", None, "nan", "1e300"])
    assert offsets_of(clock).to_list() == ["1250000", "0", "x", None, "nan", "1e300"]
    assert offsets_of(pl.Series("t", ["x"])).to_list() == ["x"]


@given(st.lists(st.floats(0, 1e7), min_size=1))
def test_offsets_keep_distances(values):
    texts = offsets_of(pl.Series("t", [repr(value) for value in values], dtype=pl.String))
    offsets = [int(text) for text in texts]
    assert min(offsets) == 0
    for offset, value in zip(offsets, values, strict=True):
        assert offset == pytest.approx((value - min(values)) * 1e6, abs=1)
