"""The window curve against the measures themselves, one window at a time."""

from __future__ import annotations

import numpy as np
import pytest

from signals.series.smooth import trailing_mean
from signals.series.synthetic import daily_load
from signals.study.capacity import ratio_errors
from signals.study.noise import noise_ratio
from signals.study.window import window_curve, window_sizes


@pytest.mark.parametrize(("tick_s", "days"), [(60.0, 1), (60.0, 4), (120.0, 3), (15.0, 0.5)])
@pytest.mark.parametrize("holes", [0.0, 0.1])
def test_curve_equals_the_measures_of_each_trailing_mean(
    tick_s: float, days: float, holes: float, rng: np.random.Generator
) -> None:
    """Capacity errors to rounding, holes, zeros and idle ticks included; noise too, away from gaps."""
    count = round(days * 86400 / tick_s)
    ready = np.where(np.arange(count) % 200 < 150, 3.0, 0.0 if holes else 2.0)
    total = daily_load(count, tick_s, trough=0.03, wander=0.1, rng=rng)
    load = trailing_mean(total, round(60 / tick_s) or 1)
    reference = load / np.where(ready > 0, ready, np.nan)
    signal = total / np.maximum(ready, 1) * np.exp(0.2 * rng.standard_normal(count))
    signal[rng.random(count) < holes] = np.nan
    signal[rng.random(count) < holes / 5] = 0.0
    curve = window_curve(signal, reference, load, tick_s, span=0.3, lag_s=2000.0)
    for at, width in enumerate(window_sizes(tick_s)):
        mean = trailing_mean(signal, int(width))
        held = ratio_errors(reference, mean, load, tick_s, lag_ticks=2000.0 / tick_s)
        errors = held.errors[np.isfinite(held.errors)]
        assert curve.capacity_error[at] == pytest.approx(np.abs(errors).mean(), rel=1e-9)
        noise = noise_ratio(mean, tick_s, 0.3, rng=rng).value
        assert curve.noise_ratio[at] == pytest.approx(noise, rel=0.15 if holes else 0.03)
