"""On how many ticks is there a value when there should be one?"""

from __future__ import annotations

import numpy as np
import pytest

from signals.study.coverage import coverage, covered

SIGNAL = np.array([1.0, np.nan, 3.0, np.nan])


def test_every_tick_is_expected_where_instances_are_unknown() -> None:
    """Two of four."""
    assert coverage(SIGNAL, None).value == pytest.approx(0.5)


def test_ticks_without_an_instance_are_not_expected() -> None:
    """The second tick had no instance, the fourth an unknown number: two of three."""
    estimate = coverage(SIGNAL, np.array([2.0, 0.0, 1.0, np.nan]))
    assert estimate.value == pytest.approx(2 / 3)
    assert (estimate.extra["expected"], estimate.extra["present"]) == (3, 2)


def test_pool_that_never_ran_has_no_coverage() -> None:
    """Nothing was expected, so no share."""
    assert coverage(SIGNAL, np.zeros(4)).value is None


def test_every_second_tick_is_half_of_them_whichever_comes_first() -> None:
    """Of 481 ticks, the 240 odd ones are covered by half for the verdict, the measure says what it counts."""
    signal = np.where(np.arange(481) % 2 == 0, np.nan, 1.0)
    found = coverage(signal, None)
    assert found.value == 240 / 481
    assert covered(found) == 0.5
    assert covered(coverage(np.ones(9), None)) == 1.0
    assert covered(coverage(np.ones(9), np.zeros(9))) is None
