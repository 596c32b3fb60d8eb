"""Averages over time."""

from __future__ import annotations

import numpy as np

from signals.series.smooth import (
    block_means,
    daily_shape,
    detrend,
    harmonics,
    local_line,
    trailing_mean,
)

NAN = np.nan


def test_trailing_mean_looks_back_only() -> None:
    """The mean at a tick knows nothing of later ones."""
    np.testing.assert_allclose(trailing_mean(np.array([2.0, 4, 6, 8]), 2), [2, 3, 5, 7])


def test_trailing_mean_needs_half_of_its_window() -> None:
    """One value of four is too few, two are enough."""
    values = np.array([1.0, NAN, NAN, NAN, 5, 7])
    np.testing.assert_allclose(trailing_mean(values, 4), [1, 1, NAN, NAN, NAN, 6])


def test_trailing_mean_of_one_tick_is_the_series() -> None:
    """A window of one changes nothing and copies."""
    values = np.array([1.0, NAN, 3])
    result = trailing_mean(values, 1)
    np.testing.assert_array_equal(result, values)
    assert result is not values


def test_block_means_leave_out_the_incomplete_tail() -> None:
    """5 ticks hold two blocks of two."""
    np.testing.assert_allclose(block_means(np.array([1.0, 3, 5, NAN, 9]), 2), [2, 5])


def test_local_line_of_a_straight_line_is_the_line() -> None:
    """A line through the neighbours of a tick on a line passes through it, ends included."""
    values = 3 + 2 * np.arange(10.0)
    np.testing.assert_allclose(local_line(values, 2), values)


def test_local_line_leaves_the_tick_itself_out() -> None:
    """A lone spike does not pull its own prediction."""
    values = np.zeros(11)
    values[5] = 100.0
    assert local_line(values, 2)[5] == 0.0


def test_local_line_without_neighbours_is_missing() -> None:
    """One neighbour does not make a line."""
    assert np.isnan(local_line(np.array([1.0, 2, NAN, NAN, NAN]), 1)[0])


def test_daily_shape_needs_three_days() -> None:
    """Two days are no shape."""
    assert daily_shape(np.zeros(47), 3600.0) is None
    assert daily_shape(np.zeros(71), 3600.0) is None
    assert daily_shape(np.zeros(72), 3600.0) is not None


def test_daily_shape_is_the_mean_by_time_of_day() -> None:
    """Three days of 1, 2 and 6 have the mean 3 at every hour; the leftover tick gets it too."""
    values = np.concatenate([np.full(24, 1.0), np.full(24, 2.0), np.full(24, 6.0), [50.0]])
    shape = daily_shape(values, 3600.0)
    assert shape is not None
    np.testing.assert_allclose(shape, 3.0)


def test_harmonics_reproduce_two_waves_of_the_span() -> None:
    """What the basis can express is taken away exactly, missing ticks or not."""
    phase = 2 * np.pi * np.arange(100) / 100
    values = 5 + np.cos(phase) - 2 * np.sin(2 * phase)
    holed = values.copy()
    holed[10:20] = NAN
    np.testing.assert_allclose(harmonics(holed), values, atol=1e-10)


def test_detrend_of_a_short_series_takes_the_mean_only() -> None:
    """24 ticks keep their waves: five coefficients would eat the load."""
    values = np.arange(24.0)
    np.testing.assert_allclose(detrend(values, 15.0), values - 11.5)


def test_detrend_of_nothing_is_nothing() -> None:
    """A series without a value stays without one."""
    assert np.isnan(detrend(np.full(10, NAN), 15.0)).all()
