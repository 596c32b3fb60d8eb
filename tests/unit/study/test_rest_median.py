"""Medians of what is left when one stretch after another is taken out of a series."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from signals.study.rest_median import medians_of_rest


def test_each_span_leaves_its_rest() -> None:
    """Numbers to check by hand."""
    values = np.array([5.0, 1.0, 4.0, 2.0, 3.0])
    spans = np.array([[0, 0], [0, 1], [1, 3], [0, 4], [4, 5]])
    assert medians_of_rest(values, spans).tolist() == [3.0, 2.5, 3.0, 3.0, 3.0]


def test_nothing_left_is_missing() -> None:
    assert np.isnan(medians_of_rest(np.array([1.0, 2.0]), np.array([[0, 2]]))).all()
    assert np.isnan(medians_of_rest(np.zeros(0), np.array([[0, 0]]))).all()
    assert len(medians_of_rest(np.ones(3), np.zeros((0, 2), dtype=np.int64))) == 0


@pytest.mark.parametrize("count", [1, 2, 7, 100, 1001])
@given(data=st.data(), seed=st.integers(0, 2**32 - 1), ties=st.integers(1, 50))
def test_medians_equal_those_of_the_rest_itself(
    count: int, data: st.DataObject, seed: int, ties: int
) -> None:
    """Against numpy on the values that are left, ties included."""
    rng = np.random.default_rng(seed)
    values = np.round(rng.standard_normal(count) * ties)
    if ties == 50:
        values = rng.standard_normal(count)
    ends = data.draw(st.lists(st.tuples(st.integers(0, count), st.integers(0, count)), max_size=8))
    spans = np.array([sorted(pair) for pair in ends], dtype=np.int64).reshape(-1, 2)
    rests = [np.delete(values, slice(start, end)) for start, end in spans]
    expected = [np.median(rest) if len(rest) else np.nan for rest in rests]
    np.testing.assert_allclose(medians_of_rest(values, spans), expected, rtol=1e-15)
