"""How much of the signal is not load?"""

from __future__ import annotations

import numpy as np
import pytest

from signals.schema import Estimate
from signals.series.synthetic import daily_load
from signals.study.monotone import fit_monotone
from signals.study.noise import noise_ratio, response_span, scatter_ratio, snr_db


def test_white_noise_has_its_share_of_the_span(rng: np.random.Generator) -> None:
    """A tenth of the span in noise reads 0.10, a little more for the local line's own error."""
    load = daily_load(1440, 60.0, rng=rng)
    curve = fit_monotone(load, load, "rises")
    assert curve is not None
    span = response_span(load, curve)
    signal = load + 0.1 * span * rng.standard_normal(1440)
    estimate = noise_ratio(signal, 60.0, span, rng=rng)
    assert estimate.value == pytest.approx(0.104, abs=0.01)
    assert estimate.low is not None
    assert estimate.high is not None
    assert estimate.low < estimate.value < estimate.high
    assert snr_db(estimate).value == pytest.approx(-20 * np.log10(estimate.value))
    assert snr_db(estimate).low == pytest.approx(-20 * np.log10(estimate.high))


def test_slow_departures_are_scatter_but_not_noise(rng: np.random.Generator) -> None:
    """A signal that wanders off for hours is smooth, yet far from its response to load."""
    load = daily_load(1440, 60.0, rng=rng)
    signal = load + 0.2 * np.sin(2 * np.pi * np.arange(1440) / 500)
    curve = fit_monotone(load, signal, "rises")
    assert curve is not None
    span = response_span(load, curve)
    noise = noise_ratio(signal, 60.0, span, rng=rng)
    scatter = scatter_ratio(load, signal, curve, span, rng=rng)
    assert noise.value is not None
    assert scatter.value is not None
    assert scatter.value > 10 * noise.value


def test_response_span_is_between_the_outer_percentiles() -> None:
    """The 5th and 95th percentile, not the extremes."""
    load = np.arange(101.0)
    curve = fit_monotone(load, 2 * load, "rises")
    assert curve is not None
    assert response_span(load, curve) == pytest.approx(180)
    assert response_span(np.full(3, np.nan), curve) == 0.0


def test_no_response_has_no_noise_ratio(rng: np.random.Generator) -> None:
    """Noise in units of nothing is undefined, with a reason that snr_db passes on."""
    estimate = noise_ratio(rng.normal(size=100), 60.0, 0.0, rng=rng)
    assert estimate.reason == "the signal does not respond to load"
    assert snr_db(estimate) == estimate
    assert noise_ratio(np.full(100, np.nan), 60.0, 1.0, rng=rng).reason == "too few ticks"


def test_noiseless_signal_has_no_decibels() -> None:
    """A ratio of zero is a fact; its logarithm is not a number."""
    assert snr_db(Estimate(0.0, 0.0, 0.0)).value is None
