"""A held fleet must hold, and its changes must be where it says."""

from __future__ import annotations

import numpy as np
import pytest

from signals.series.synthetic import daily_load, hold_load, stepped_load


def test_scaler_follows_a_step_after_its_delay() -> None:
    """Load 30 at target 10 takes three; when it doubles at tick 4, six serve five ticks later."""
    load = stepped_load(20, [4], [30.0, 60.0])
    fleet = hold_load(load, 10.0, delay=5)
    np.testing.assert_array_equal(fleet.count, np.where(np.arange(20) < 9, 3, 6))
    np.testing.assert_array_equal(fleet.changes, [9])
    np.testing.assert_allclose(fleet.per_instance[[3, 4, 9]], [10, 20, 10])


def test_scaler_decides_only_when_it_is_due() -> None:
    """A change at tick 1 is answered at tick 4."""
    fleet = hold_load(stepped_load(9, [1], [10.0, 20.0]), 10.0, every=4)
    np.testing.assert_array_equal(fleet.count, [1, 1, 1, 1, 2, 2, 2, 2, 2])


def test_scaler_orders_nothing_within_its_tolerance() -> None:
    """9 % over the target is left alone, 11 % is not."""
    quiet = hold_load(stepped_load(4, [2], [100.0, 109.0]), 10.0)
    loud = hold_load(stepped_load(4, [2], [100.0, 111.0]), 10.0)
    assert len(quiet.changes) == 0
    assert loud.count[-1] == 12


def test_load_per_instance_is_held(rng: np.random.Generator) -> None:
    """Over a day in which load grows fivefold it stays within the tolerance and one instance's worth."""
    load = daily_load(1440, 60.0, rng=rng) * 1000
    fleet = hold_load(load, 10.0)
    assert load.max() / load.min() > 4.5
    assert fleet.per_instance.max() <= 11 * (1 + 1e-9)
    assert fleet.per_instance.min() >= 9 * 20 / 21
    np.testing.assert_allclose(fleet.per_instance * fleet.count, load)


def test_changes_are_natural_experiments(rng: np.random.Generator) -> None:
    """At each, load per instance leaps as the count does, while load itself hardly moves; elsewhere none leaps."""
    load = daily_load(1440, 60.0, rng=rng) * 1000
    fleet = hold_load(load, 10.0, delay=3)
    steps = np.diff(np.log(fleet.per_instance))
    at = fleet.changes - 1
    assert len(at) > 10
    np.testing.assert_array_equal(np.flatnonzero(np.diff(fleet.count)), at)
    leaps = -np.diff(np.log(fleet.count))
    assert steps[at] == pytest.approx(leaps[at], abs=0.01)
    assert np.abs(np.delete(steps, at)).max() < 0.01


def test_a_fleet_has_one_instance_at_least() -> None:
    """Next to no load takes one."""
    assert hold_load(np.full(3, 1e-6), 10.0).count.tolist() == [1, 1, 1]
