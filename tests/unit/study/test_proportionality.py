"""Is the signal in the same ratio to load at every load?"""

from __future__ import annotations

import numpy as np
import pytest

from signals.study.proportionality import proportionality


def test_proportional_signal_is_one(rng: np.random.Generator) -> None:
    """Any constant ratio is 1, and surely so."""
    load = np.tile(np.arange(1.0, 101.0), 9)
    estimate = proportionality(load, 7 * load, rng=rng)
    assert (estimate.value, estimate.low, estimate.high) == pytest.approx((1.0, 1.0, 1.0))


def test_interval_lies_around_the_ratio(rng: np.random.Generator) -> None:
    """A square root of load, with noise, over many waves."""
    load = 2 + np.sin(np.arange(3000) / 20)
    signal = np.sqrt(load) * np.exp(0.05 * rng.standard_normal(3000))
    estimate = proportionality(load, signal, rng=rng)
    assert estimate.value is not None
    assert estimate.low is not None
    assert estimate.high is not None
    assert estimate.low <= estimate.value <= estimate.high
    assert estimate.high - estimate.low < 0.1


def test_constant_signal_is_the_ratio_of_the_outer_deciles(rng: np.random.Generator) -> None:
    """Median load 95.5 of the highest decile over 5.5 of the lowest; medians of 1/l are near."""
    load = np.arange(1.0, 101.0)
    value = proportionality(load, np.ones(100), rng=rng).value
    assert value == pytest.approx(np.median(1 / load[:10]) / np.median(1 / load[90:]))


def test_missing_idle_and_zero_are_handled(rng: np.random.Generator) -> None:
    """Ticks without load are left out; a decile at zero has no ratio; few ticks no answer."""
    load = np.concatenate([[0.0, np.nan], np.arange(1.0, 101.0)])
    assert proportionality(load, 2 * load, rng=rng).value == pytest.approx(1.0)
    assert proportionality(load, np.maximum(load - 50, 0), rng=rng).value is None
    assert proportionality(load[:10], load[:10], rng=rng).reason == "too few ticks"
