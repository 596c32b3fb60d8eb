"""Invariants of the study's measures.

1. The future does not matter: a trailing mean up to a tick is the same whatever comes later.
2. Shifting the signal shifts the lag by as much; scaling it changes no lag.
3. Scaling signal or load changes no rank correlation, elasticity, proportionality or capacity error.
4. A monotone fit is monotone and stays between the smallest and the largest value.
5. Errors are never negative, and a signal in proportion to load has none.
6. Drawn medians lie among the values.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from signals.series.smooth import trailing_mean
from signals.series.synthetic import add_noise, ar1, wandering_load
from signals.study.association import pearson, spearman
from signals.study.bootstrap import draw_counts, drawn_medians
from signals.study.capacity import capacity_error, ratio_errors
from signals.study.elasticity import elasticity
from signals.study.lag import estimate_lag
from signals.study.monotone import fit_monotone
from signals.study.proportionality import proportionality
from signals.study.response import bin_means

TICK_S = 60.0
SEEDS = st.integers(0, 2**32 - 1)
FACTORS = st.floats(1e-3, 1e3)
VALUES = hnp.arrays(
    np.float64, st.integers(2, 60), elements=st.floats(-1e6, 1e6, allow_subnormal=False)
)


@given(values=VALUES, cut=st.integers(1, 59), width=st.integers(1, 9), later=st.floats(-1e6, 1e6))
def test_trailing_mean_does_not_know_the_future(
    values: np.ndarray, cut: int, width: int, later: float
) -> None:
    """Invariant 1."""
    changed = values.copy()
    changed[cut:] = later
    np.testing.assert_array_equal(
        trailing_mean(values, width)[:cut], trailing_mean(changed, width)[:cut]
    )


@settings(max_examples=15, deadline=None)
@given(seed=SEEDS, shift=st.integers(-8, 8), factor=FACTORS)
def test_shift_and_scale_of_the_signal(seed: int, shift: int, factor: float) -> None:
    """Invariant 2, on a load that does not know where it is cut."""
    rng = np.random.default_rng(seed)
    base = ar1(420, 0.8, rng)
    load = base[10:410]
    signal = add_noise(base, 0.1, rng)[10 - shift : 410 - shift]
    plain = estimate_lag(load, signal, TICK_S, rng=np.random.default_rng(0))
    scaled = estimate_lag(load, factor * signal, TICK_S, rng=np.random.default_rng(0))
    assert plain.value == pytest.approx(shift * TICK_S, abs=0.3 * TICK_S)
    assert scaled.value == pytest.approx(plain.value, abs=1e-4)
    assert (scaled.low, scaled.high) == pytest.approx((plain.low, plain.high), abs=1e-3)


@settings(max_examples=25, deadline=None)
@given(seed=SEEDS, of_load=FACTORS, of_signal=FACTORS)
def test_units_change_nothing(seed: int, of_load: float, of_signal: float) -> None:
    """Invariant 3."""
    rng = np.random.default_rng(seed)
    load = wandering_load(400, phi=0.9, spread=0.5, rng=rng)
    signal = load**0.7 * np.exp(0.1 * rng.standard_normal(400))
    for x, y in ((load, signal), (of_load * load, of_signal * signal)):
        held = ratio_errors(x, y, x, TICK_S)
        draws = np.random.default_rng(0)
        figures = [
            spearman(x, y).value,
            pearson(x, y).value,
            proportionality(x, y, rng=draws).value,
            elasticity(x, y, bin_means(x, y, TICK_S), TICK_S, rng=draws).value,
            capacity_error(held, rng=draws).value,
        ]
        if x is load:
            expected = figures
    assert figures == pytest.approx(expected, rel=1e-9, abs=1e-9)


@given(values=VALUES, seed=SEEDS)
def test_monotone_fit_is_monotone(values: np.ndarray, seed: int) -> None:
    """Invariant 4."""
    x = np.random.default_rng(seed).normal(size=len(values))
    curve = fit_monotone(x, values, "rises")
    assert curve is not None
    slack = 1e-9 * (1 + np.abs(values).max())
    assert np.all(np.diff(curve.y) >= -slack)
    assert values.min() - slack <= curve.y.min()
    assert curve.y.max() <= values.max() + slack


@settings(max_examples=40, deadline=None)
@given(seed=SEEDS, factor=FACTORS, noise=st.floats(0, 1))
def test_capacity_error_is_not_negative_and_zero_in_proportion(
    seed: int, factor: float, noise: float
) -> None:
    """Invariant 5."""
    rng = np.random.default_rng(seed)
    load = wandering_load(300, phi=0.9, spread=0.5, rng=rng)
    perfect = capacity_error(ratio_errors(load, factor * load, load, TICK_S), rng=rng)
    assert perfect.value == 0.0
    noisy = load * np.exp(noise * rng.standard_normal(300))
    estimate = capacity_error(ratio_errors(load, noisy, load, TICK_S), rng=rng)
    assert estimate.value is not None
    assert estimate.low is not None
    assert estimate.value >= 0
    assert estimate.low >= 0


@given(values=VALUES, seed=SEEDS)
def test_drawn_medians_are_values(values: np.ndarray, seed: int) -> None:
    """Invariant 6."""
    ids = np.arange(len(values)) // 2
    counts = draw_counts(int(ids[-1]) + 1, np.random.default_rng(seed), 10)
    medians, distances = drawn_medians(values, ids, counts)
    assert set(medians) <= set(values)
    assert np.all(distances >= 0)
