"""Delays must be as long as they say."""

from __future__ import annotations

import numpy as np
import pytest

from signals.series.synthetic import completion_counter, delayed, smeared, stepped_load


@pytest.mark.parametrize("lag", [3, -2, 0])
def test_delayed_by_whole_ticks_is_a_shift(lag: int, rng: np.random.Generator) -> None:
    """The copy at tick i is the load at tick i - lag."""
    x, y = delayed(lambda count: rng.normal(size=count), 50, lag)
    inner = np.arange(5, 45)
    np.testing.assert_array_equal(y[inner], x[inner - lag])


def test_delayed_by_a_fraction_mixes_neighbours() -> None:
    """2.25 ticks late on a ramp is 2.25 lower."""
    x, y = delayed(lambda count: np.arange(float(count)), 20, 2.25)
    np.testing.assert_allclose(x - y, 2.25)


@pytest.mark.parametrize("time_constant", [0.5, 4.0, 30.0])
def test_smeared_covers_a_step_by_its_time_constant(time_constant: float) -> None:
    """t ticks after the end of the first tick of a step from 2 to 3, 1 - exp(-(t + 1) / T) of it is covered."""
    answer = smeared(stepped_load(200, [20], [2.0, 3.0]), time_constant)
    np.testing.assert_allclose(answer[:20], 2)
    np.testing.assert_allclose(answer[20:] - 2, 1 - np.exp(-np.arange(1, 181) / time_constant))


def test_smeared_is_late_by_the_delay_it_states() -> None:
    """On a ramp it lies below by the mean delay."""
    ramp = np.arange(500.0)
    assert (ramp - smeared(ramp, 6.0))[-1] == pytest.approx(1 / np.expm1(1 / 6))


def test_completion_counter_moves_when_work_ends() -> None:
    """Half of the work takes one tick, half takes three: on a ramp the rate is two ticks late, and no work is lost."""
    shares = np.array([0.0, 0.5, 0.0, 0.5])
    ramp = np.arange(30.0)
    counter = completion_counter(ramp, shares)
    np.testing.assert_allclose(np.diff(counter)[5:], ramp[6:] - 2)
    single = completion_counter(np.array([8.0, 0, 0, 0, 0]), shares)
    np.testing.assert_allclose(single, [0, 4, 4, 8, 8])
