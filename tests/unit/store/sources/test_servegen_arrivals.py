"""Arrivals within a window."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from signals.store.sources.servegen_arrivals import draw_arrivals


def draw(counts, shapes, gamma, seed=0):
    return draw_arrivals(
        np.array(counts, dtype=np.int64),
        np.array(shapes, dtype=float),
        np.array(gamma, dtype=bool),
        np.random.default_rng(seed),
    )


@given(
    st.lists(
        st.tuples(st.integers(0, 50), st.floats(0.001, 50_000), st.booleans()),
        min_size=1,
        max_size=8,
    ),
    st.integers(0, 99),
)
def test_each_client_has_its_count_in_order_within_the_window(clients, seed):
    counts, shapes, gamma = zip(*clients, strict=True)
    at, place = draw(counts, shapes, gamma, seed)
    assert np.bincount(place, minlength=len(counts)).tolist() == list(counts)
    assert ((at >= 0) & (at < 1)).all()
    for client in range(len(counts)):
        assert (np.diff(at[place == client]) >= -1e-12).all()


@pytest.mark.parametrize(
    ("shape", "gamma", "variation"),
    [
        (0.25, True, 2.0),
        (1.0, True, 1.0),
        (4.0, True, 0.5),
        (0.5, False, 5**0.5),
        (1.0, False, 1.0),
    ],
)
def test_gaps_vary_as_their_family_does(shape, gamma, variation):
    at, _ = draw([200_000], [shape], [gamma])
    gaps = np.diff(at)
    assert gaps.std() / gaps.mean() == pytest.approx(variation, rel=0.03)


def test_no_client_or_no_request():
    assert draw([0, 0], [1.0, 1.0], [True, False])[0].size == 0


def test_gaps_that_vanish_or_overflow_are_even():
    at, _ = draw([3], [1e-9], [False])
    assert np.isfinite(at).all()
    assert at.size == 3


def test_the_same_seed_draws_the_same():
    first, again = (draw([30, 7], [0.3, 2.0], [True, False], seed=5)[0] for _ in range(2))
    assert first.tolist() == again.tolist()
