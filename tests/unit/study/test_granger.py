"""Whose past helps whom."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from signals.schema import Estimate
from signals.series.synthetic import ar1
from signals.study.granger import granger, granger_orders

TICK_S = 900.0


def _figure(estimate: Estimate, name: str) -> float:
    value = estimate.extra[name]
    assert isinstance(value, (int, float))
    return float(value)


def test_follower_is_predicted_by_what_it_follows(rng: np.random.Generator) -> None:
    """A signal that trails load by two ticks: load's past helps the signal, not the reverse."""
    load = ar1(700, 0.8, rng)
    signal = np.roll(load, 2) + 0.3 * rng.standard_normal(700)
    estimate = granger(load, signal, TICK_S)
    assert _figure(estimate, "reverse_p_value") < 1e-6
    assert _figure(estimate, "reverse_p_shifts") == pytest.approx(1 / 200)
    assert _figure(estimate, "reverse_gain_ratio") > 0.5
    assert _figure(estimate, "gain_ratio") < 0.05
    assert 2 <= _figure(estimate, "order_ticks") <= 4


def test_forerunner_helps_to_predict_load(rng: np.random.Generator) -> None:
    """Turned around, the value itself is small, and it is the p-value."""
    load = ar1(700, 0.8, rng)
    signal = np.roll(load, -1) + 0.3 * rng.standard_normal(700)
    estimate = granger(load, signal, TICK_S)
    assert estimate.determined
    assert estimate.value is not None
    assert estimate.value < 1e-6
    assert estimate.value == _figure(estimate, "p_value")


@pytest.mark.parametrize("phi", [0.0, 0.5, 0.9, 0.97])
def test_false_positives_under_a_shared_day_are_about_five_per_cent(phi: float) -> None:
    """300 pairs of unrelated series under one daily shape, F test and shifts: 3 to 7 %, with scatter."""
    rng = np.random.default_rng(42)
    day = 3 * np.sin(2 * np.pi * np.arange(7 * 96) / 96)
    estimates = [
        granger(day + ar1(len(day), phi, rng), day + ar1(len(day), phi, rng), TICK_S)
        for _ in range(300)
    ]
    for name in ("p_value", "p_shifts", "reverse_p_value"):
        rejected = np.mean([_figure(estimate, name) < 0.05 for estimate in estimates])
        assert 0.03 - 0.013 <= rejected <= 0.07 + 0.015, name


def test_shifts_that_disagree_leave_it_undetermined() -> None:
    """Among many unrelated pairs some pass one test by chance; the two then say so together or not at all."""
    rng = np.random.default_rng(5)
    for _ in range(150):
        estimate = granger(ar1(300, 0.9, rng), ar1(300, 0.9, rng), TICK_S)
        agree = (_figure(estimate, "p_value") < 0.05) == (_figure(estimate, "p_shifts") < 0.05)
        assert estimate.determined == agree
        assert bool(estimate.reason) != agree


def test_too_little_and_repetitions_say_why(rng: np.random.Generator) -> None:
    """A constant, a short series, the load itself, a signal that is nothing but the clock, nothing at all."""
    load = ar1(400, 0.9, rng)
    clock = 1e5 + np.sin(2 * np.pi * np.arange(400) / 96)
    assert granger(load, np.ones(400), TICK_S).reason == "constant series"
    assert granger(load, clock, TICK_S).reason == "constant series"
    assert granger(load, np.full(400, np.nan), TICK_S).reason == "constant series"
    assert granger(load, 3 * load, TICK_S).reason.endswith("repeats the other")
    assert granger_orders(load[1:], load[:-1]) is None, "a lag of one is the other"
    assert granger(load[:100], load[100:200], TICK_S).value is None
    assert granger_orders(load[:10], load[10:20]) is None


def test_missing_values_cost_the_rows_that_would_look_into_them(rng: np.random.Generator) -> None:
    """One hole costs its tick and the fifteen after it."""
    y, x = ar1(400, 0.5, rng), ar1(400, 0.5, rng)
    whole = granger_orders(y, x)
    y[200] = np.nan
    holed = granger_orders(y, x)
    assert whole is not None
    assert holed is not None
    assert (whole.rows, holed.rows) == (385, 385 - 16)


@settings(max_examples=20, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    factor=st.floats(1e-6, 1e6),
    offset=st.floats(-1e3, 1e3),
)
def test_units_change_no_test(seed: int, factor: float, offset: float) -> None:
    """Scale and offset of either series leave every F as it is; swapping the series swaps the ways."""
    rng = np.random.default_rng(seed)
    y, x = ar1(260, 0.7, rng), ar1(260, 0.7, rng)
    plain = granger_orders(y, x)
    scaled = granger_orders(factor * (y + offset), x)
    swapped = granger_orders(x, y)
    assert plain is not None
    assert scaled is not None
    assert swapped is not None
    np.testing.assert_allclose(scaled.f_values(), plain.f_values(), rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(swapped.f_values()[::-1], plain.f_values(), rtol=1e-8, atol=1e-12)
    assert (plain.both <= plain.own * (1 + 1e-12)).all()
