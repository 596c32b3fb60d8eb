"""What does the signal do as load grows?"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from signals.schema import Estimate
from signals.series.synthetic import daily_load
from signals.study.monotone import fit_monotone
from signals.study.noise import response_span
from signals.study.response import (
    Bins,
    bin_means,
    hysteresis,
    knee,
    linearity,
    mean_width,
)
from signals.study.trend import rising_and_falling

TICK_S = 60.0
RAMP = np.linspace(1, 3, 1440)


def _bins(load: np.ndarray, signal: np.ndarray) -> Bins:
    bins = bin_means(load, signal, TICK_S)
    assert bins is not None
    return bins


def test_mean_width_is_fifteen_minutes_unless_the_series_is_short() -> None:
    """Two means fall into each of 24 bins even where 15 minutes would leave fewer."""
    assert mean_width(1440, 60.0) == 15
    assert mean_width(480, 180.0) == 5
    assert mean_width(240, 15.0) == 5
    assert mean_width(12, 60.0) == 1


def test_bin_means_are_in_order_of_load_and_hold_equally_many() -> None:
    """96 means of a ramp: 24 bins of four."""
    bins = _bins(RAMP[::-1], 10 * RAMP[::-1])
    assert bins.count.tolist() == [4] * 24
    assert np.all(np.diff(bins.reference) > 0)
    np.testing.assert_allclose(bins.signal, 10 * bins.reference)
    assert bin_means(RAMP[:20], RAMP[:20], TICK_S) is None


def test_linearity_of_a_line_and_of_a_parabola(rng: np.random.Generator) -> None:
    """1 for a line whatever its offset, less for a bend, none for a constant."""

    def straight(signal: np.ndarray) -> Estimate:
        return linearity(RAMP, signal, _bins(RAMP, signal), TICK_S, rng=rng)

    line = straight(5 - 2 * RAMP)
    assert (line.value, line.low, line.high) == pytest.approx((1.0, 1.0, 1.0))
    assert straight((RAMP - 2) ** 2).value == pytest.approx(0.0, abs=0.01)
    assert straight(np.full(1440, 0.3)).reason == "constant series"


def test_hysteresis_is_the_gap_between_up_and_down(rng: np.random.Generator) -> None:
    """A tenth of the span lower on the way up; none for a curve that ignores direction."""
    load = daily_load(1440, TICK_S, rng=rng)
    rising, falling = rising_and_falling(load, TICK_S)
    up = np.gradient(load) > 0
    curve = fit_monotone(load, load, "rises")
    assert curve is not None
    span = response_span(load, curve)
    split = load + np.where(up, -0.05, 0.05) * span
    assert hysteresis(load, split, rising, falling, span, "rises").value == pytest.approx(
        -0.1, abs=0.01
    )
    assert hysteresis(load, load, rising, falling, span, "rises").value == pytest.approx(
        0.0, abs=0.005
    )


def test_hysteresis_needs_span_and_both_ways(rng: np.random.Generator) -> None:
    """Each missing part has its reason."""
    load = daily_load(1440, TICK_S, rng=rng)
    rising, falling = rising_and_falling(load, TICK_S)
    none = np.zeros(1440, dtype=bool)
    assert hysteresis(load, load, rising, falling, 0.0, "rises").value is None
    assert hysteresis(load, load, none, falling, 1.0, "rises").reason == (
        "load hardly rises or falls"
    )
    apart = hysteresis(RAMP, RAMP, RAMP > 2.5, RAMP < 1.5, 1.0, "rises")
    assert apart.reason == "rising and falling load never meet"


def test_knee_is_found_where_two_lines_meet(rng: np.random.Generator) -> None:
    """Flat, then steep from 2 on."""
    signal = 1 + 0.1 * RAMP + 3 * np.maximum(RAMP - 2, 0) + 0.02 * rng.standard_normal(1440)
    estimate = knee(RAMP, signal, TICK_S)
    assert estimate.value == pytest.approx(2.0, abs=0.05)
    assert estimate.extra["slope_below"] == pytest.approx(0.1, abs=0.08)
    assert estimate.extra["slope_above"] == pytest.approx(3.1, abs=0.1)


@pytest.mark.parametrize("curve", [lambda load: load**3, lambda load: load / (load + 0.5), np.exp])
def test_knee_is_not_reported_for_a_smooth_bend(
    curve: Callable[[np.ndarray], np.ndarray], rng: np.random.Generator
) -> None:
    """The slope grows or falls to less than half, but all along; that it bends is in `extra`."""
    clean = curve(RAMP)
    noise = 0.1 * np.std(clean) * rng.standard_normal(1440)
    estimate = knee(RAMP, clean + noise, TICK_S)
    assert (estimate.value, estimate.reason) == (None, "it bends smoothly, without a knee")
    slopes = sorted((estimate.extra["slope_below"], estimate.extra["slope_above"]))
    assert slopes[1] > 2 * slopes[0]
    assert estimate.extra["p_value"] < 0.01


def test_knee_is_not_reported_for_a_line(rng: np.random.Generator) -> None:
    """Noise around a line has no bend."""
    estimate = knee(RAMP, RAMP + 0.1 * rng.standard_normal(1440), TICK_S)
    assert (estimate.value, estimate.reason) == (None, "no knee")
    assert knee(RAMP, np.full(1440, 2.0), TICK_S).value is None
