"""A signal at an end of its range, or on one value."""

from __future__ import annotations

import numpy as np
import pytest

from signals.schema import PanelColumn
from signals.study.standstill import standstill


def _column(signal: str, unit: str) -> PanelColumn:
    return PanelColumn(f"decode:{signal}", "decode", signal, unit, "average")


UTIL = _column("gpu_util", "ratio")


@pytest.mark.parametrize(
    ("value", "upper", "lower"), [(1.0, 1.0, 0.0), (0.0, 0.0, 1.0), (0.6, 0.0, 0.0)]
)
def test_a_constant_is_named_and_its_end_too(value: float, upper: float, lower: float) -> None:
    """At 100 %, at nothing, and in the middle, where it is constant without being saturated."""
    found = standstill(np.full(12, value), UTIL)
    assert found == {
        "at_upper_end": upper,
        "at_lower_end": lower,
        "at_zero": None,
        "constant": 1.0,
    }


def test_within_a_hair_of_the_end_counts_and_missing_values_do_not(
    rng: np.random.Generator,
) -> None:
    """19 of 20 values at 99.6 to 100 %: pinned for 95 % of the time, but not constant."""
    values = rng.uniform(0.996, 1.0, 400)
    values[::20] = 0.7
    values = np.append(values, np.full(100, np.nan))
    found = standstill(values, UTIL)
    assert found["at_upper_end"] == pytest.approx(0.95)
    assert found["constant"] == 0.0
    assert standstill(np.full(50, 0.99), UTIL)["at_upper_end"] == 0.0


def test_a_pool_that_is_hardly_used_is_not_at_an_end(rng: np.random.Generator) -> None:
    values = rng.uniform(0.0001, 0.004, 400)
    assert standstill(values, UTIL)["at_lower_end"] == 0.0
    values[:300] = 0.0
    assert standstill(values, UTIL)["at_lower_end"] == 0.75


def test_an_open_end_is_never_reached() -> None:
    """A queue may grow for ever, and an empty one is at rest, not saturated."""
    queue = _column("queue_depth", "count")
    assert standstill(np.full(20, 1e6), queue)["at_upper_end"] is None
    assert standstill(np.zeros(20), queue)["at_lower_end"] is None
    assert standstill(np.zeros(20), queue)["at_zero"] == 1.0
    assert standstill(np.full(20, 1e-6), queue)["at_zero"] == 0.0


def test_the_unit_bounds_what_the_catalog_does_not_know() -> None:
    """An own ratio ends at 1; a value relative to its own maximum has no bound there."""
    assert standstill(np.ones(20), _column("own_share", "ratio"))["at_upper_end"] == 1.0
    assert standstill(np.ones(20), _column("gpu_util", "rel"))["at_upper_end"] is None


def test_a_few_values_prove_nothing() -> None:
    """Nine of the same are not enough, ten are."""
    assert set(standstill(np.ones(9), UTIL).values()) == {None}
    assert standstill(np.ones(10), UTIL)["constant"] == 1.0
