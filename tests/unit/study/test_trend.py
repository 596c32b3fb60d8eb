"""Rising and falling load."""

from __future__ import annotations

import numpy as np

from signals.study.trend import rising_and_falling


def test_one_wave_rises_and_falls_where_it_should() -> None:
    """On a sine the steepest fifth of the rise lies around its zero crossing upwards."""
    ticks = np.arange(1440)
    load = 2 + np.sin(2 * np.pi * ticks / 1440)
    rising, falling = rising_and_falling(load, 60.0)
    assert not (rising & falling).any()
    assert abs(rising.sum() - 0.2 * 1411) <= 2
    # ln(2 + sin) is steepest after the trough
    assert set(ticks[rising]) <= set(range(1080, 1440)) | set(range(180))
    assert set(ticks[falling]) <= set(range(500, 1080))


def test_one_high_tick_does_not_count_as_rising() -> None:
    """The tick itself takes no part, or noise in the load would look like lateness."""
    rng = np.random.default_rng(1)
    load = np.exp(0.2 * rng.standard_normal(5000))
    rising, falling = rising_and_falling(load, 60.0)
    assert abs(np.log(load[rising]).mean() - np.log(load[falling]).mean()) < 0.03


def test_flat_short_and_missing_load_have_no_trend() -> None:
    """Nothing rises where nothing changes."""
    for load in (np.full(200, 3.0), np.arange(1.0, 20.0), np.full(200, np.nan)):
        rising, falling = rising_and_falling(load, 60.0)
        assert not rising.any()
        assert not falling.any()
