"""The monotone curve that fits best."""

from __future__ import annotations

import numpy as np
import pytest

from signals.study.monotone import fit_monotone, rises


def test_fit_pools_what_breaks_the_order() -> None:
    """2 after 3 is pooled to 2.5; between points the curve is straight, beyond them flat."""
    curve = fit_monotone(np.array([0.0, 1, 2, 3]), np.array([1.0, 3, 2, 4]), "rises")
    assert curve is not None
    assert curve.y.tolist() == [1, 2.5, 2.5, 4]
    np.testing.assert_allclose(curve.at(np.array([-9, 0.5, 2.5, 99])), [1, 1.75, 3.25, 4])


def test_fit_falls_where_the_catalog_says_so() -> None:
    """The mirror image."""
    curve = fit_monotone(np.array([0.0, 1, 2]), np.array([3.0, 1, 2]), "falls")
    assert curve is not None
    assert curve.y.tolist() == [3, 1.5, 1.5]


def test_ties_in_load_are_averaged_first() -> None:
    """Two values at the same load are one point."""
    curve = fit_monotone(np.array([1.0, 1, 2]), np.array([0.0, 4, 5]), "rises")
    assert curve is not None
    assert (curve.x.tolist(), curve.y.tolist()) == ([1, 2], [2, 5])


def test_fit_of_nothing_is_none() -> None:
    """Missing values are left out; without any other there is no curve."""
    assert fit_monotone(np.array([np.nan, 1.0]), np.array([1.0, np.nan]), "rises") is None


@pytest.mark.parametrize(("sign", "expected"), [(1, True), (-1, False)])
def test_either_follows_the_data(sign: int, expected: bool) -> None:
    """Where the catalog leaves it open, the data decide."""
    x = np.arange(5.0)
    assert rises(x, sign * x, "either") is expected
    assert rises(x, sign * x, "rises") is True
