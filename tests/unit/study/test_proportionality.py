"""Is the signal in the same ratio to load at every load?"""

from __future__ import annotations

import numpy as np
import pytest

from signals.study.proportionality import proportionality


def test_proportional_signal_is_one() -> None:
    """Any constant ratio is 1."""
    load = np.arange(1.0, 101.0)
    assert proportionality(load, 7 * load).value == pytest.approx(1.0)


def test_constant_signal_is_the_ratio_of_the_outer_deciles() -> None:
    """Median load 95.5 of the highest decile over 5.5 of the lowest; medians of 1/l are near."""
    load = np.arange(1.0, 101.0)
    value = proportionality(load, np.ones(100)).value
    assert value == pytest.approx(np.median(1 / load[:10]) / np.median(1 / load[90:]))


def test_missing_idle_and_zero_are_handled() -> None:
    """Ticks without load are left out; a decile at zero has no ratio; few ticks no answer."""
    load = np.concatenate([[0.0, np.nan], np.arange(1.0, 101.0)])
    assert proportionality(load, 2 * load).value == pytest.approx(1.0)
    assert proportionality(load, np.maximum(load - 50, 0)).value is None
    assert proportionality(load[:10], load[:10]).reason == "too few ticks"
