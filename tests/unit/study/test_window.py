"""What does averaging buy in noise, what does it cost in lag, and which window is enough?"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from signals.schema import PanelColumn
from signals.series.smooth import trailing_mean
from signals.series.synthetic import daily_load
from signals.study.capacity import capacity_error, ratio_errors
from signals.study.window import suggested_window_s, window_curve, window_sizes

TICK_S = 60.0
COUNT = 2880
COLUMN = PanelColumn("decode:running", "decode", "running", "count", "total", window_s=60.0)


@pytest.fixture
def load(rng: np.random.Generator) -> np.ndarray:
    """Two days, smooth from tick to tick."""
    return 100 * daily_load(COUNT, TICK_S, rng=rng)


def curve_of(signal: np.ndarray, load: np.ndarray, *, lag_s: float | None = 0.0):
    return window_curve(signal, load, load, TICK_S, span=80.0, lag_s=lag_s)


@pytest.mark.parametrize(
    ("tick_s", "count", "widest"), [(60.0, 15, 15), (15.0, 20, 60), (1.0, 20, 900), (1800.0, 1, 1)]
)
def test_windows_reach_from_a_tick_to_fifteen_minutes(
    tick_s: float, count: int, widest: int
) -> None:
    """All of them while they are few, else some in equal ratios; each once."""
    sizes = window_sizes(tick_s)
    assert (sizes[0], sizes[-1]) == (1, widest)
    assert len(sizes) <= count
    assert (np.diff(sizes) > 0).all()
    assert len(sizes) >= 0.8 * count


def test_noise_falls_at_least_with_the_root_of_the_window_and_lag_grows_by_half_of_it(
    load: np.ndarray, rng: np.random.Generator
) -> None:
    """White noise of a tenth of the span: four ticks halve it. Over many, the local line follows what is left."""
    curve = curve_of(load + 8 * rng.standard_normal(COUNT), load, lag_s=90.0)
    assert curve.noise_ratio[0] == pytest.approx(0.104, abs=0.01)
    assert curve.noise_ratio[3] == pytest.approx(0.047, abs=0.006)
    assert (np.diff(curve.noise_ratio) < 0).all()
    assert curve.noise_ratio[14] < curve.noise_ratio[0] / np.sqrt(15)
    np.testing.assert_allclose(curve.lag_s, 90.0 + 30.0 * np.arange(15))
    np.testing.assert_allclose(curve.window_s, 60.0 * np.arange(1, 16))


def test_perfect_signal_needs_no_window(load: np.ndarray) -> None:
    """Without noise, averaging only costs."""
    curve = curve_of(load / 3, load)
    assert curve.suggested == 0
    assert curve.capacity_error[0] == 0.0
    assert (np.diff(curve.capacity_error) > 0).all()


def test_the_noisier_the_longer(load: np.ndarray, rng: np.random.Generator) -> None:
    """2 %, 8 % and 30 % of noise take a longer window each, and none takes the longest for nothing."""
    suggested = []
    for noise in (0.02, 0.08, 0.3):
        curve = curve_of(load * np.exp(noise * rng.standard_normal(COUNT)), load)
        assert curve.suggested is not None
        suggested.append(curve.suggested)
        best = int(np.argmin(curve.capacity_error))
        assert curve.suggested <= best
        bound = curve.capacity_error[best] + curve.standard_error
        assert (curve.capacity_error[: curve.suggested] > bound).all()
        assert curve.capacity_error[curve.suggested] <= bound
    assert suggested == sorted(set(suggested))


def test_suggested_window_is_good_on_days_it_has_not_seen(rng: np.random.Generator) -> None:
    """Its error on another two days is within a tenth of the best that any window has there."""
    for noise in (0.03, 0.1, 0.3):
        seen, other = (
            curve_of(day * np.exp(noise * rng.standard_normal(COUNT)), day)
            for day in (100 * daily_load(COUNT, TICK_S, wander=0.1, rng=rng) for _ in range(2))
        )
        assert seen.suggested is not None
        assert other.capacity_error[seen.suggested] <= 1.1 * other.capacity_error.min()


def test_standard_error_is_that_of_the_interval(rng: np.random.Generator) -> None:
    """The bootstrap's interval of the capacity error is about 3.9 of them wide."""
    load = 100 * daily_load(COUNT, TICK_S, rng=rng)
    curve = curve_of(load * np.exp(0.3 * rng.standard_normal(COUNT)), load)
    best = int(np.argmin(curve.capacity_error))
    signal = load * np.exp(0.3 * rng.standard_normal(COUNT))
    held = ratio_errors(load, trailing_mean(signal, best + 1), load, TICK_S)
    estimate = capacity_error(held, rng=rng)
    assert estimate.low is not None
    assert estimate.high is not None
    assert curve.standard_error == pytest.approx((estimate.high - estimate.low) / 3.92, rel=0.35)


def test_unsettled_lag_has_no_curve_but_the_rest_has(load: np.ndarray) -> None:
    curve = curve_of(load, load, lag_s=None)
    assert np.isnan(curve.lag_s).all()
    assert np.isfinite(curve.capacity_error).all()
    assert suggested_window_s(curve, COLUMN).extra["lag_s"] is None


def test_suggestion_says_what_it_costs_and_how_to_ask(
    load: np.ndarray, rng: np.random.Generator
) -> None:
    """Figures of the suggested window, of no window, and the query."""
    curve = curve_of(load * np.exp(0.1 * rng.standard_normal(COUNT)), load, lag_s=30.0)
    estimate = suggested_window_s(curve, COLUMN)
    at = curve.suggested
    assert at is not None
    assert estimate.value == 60.0 * (at + 1)
    assert estimate.extra["lag_s"] == 30.0 + 30.0 * at
    assert estimate.extra["noise_ratio"] == curve.noise_ratio[at]
    assert estimate.extra["capacity_error"] == curve.capacity_error[at]
    assert estimate.extra["one_tick_capacity_error"] == curve.capacity_error[0]
    assert estimate.extra["best_window_s"] == curve.window_s[np.argmin(curve.capacity_error)]
    assert estimate.extra["promql"] == f"sum(avg_over_time(running[{at + 1}m]))"


def test_query_covers_what_a_value_of_the_panel_covers(load: np.ndarray) -> None:
    """A rate that looks back two minutes at every minute looks back two, not one, when averaged over one."""
    column = PanelColumn(
        "decode:decode_tps", "decode", "decode_tps", "tokens/s", "total", window_s=120.0
    )
    estimate = suggested_window_s(curve_of(load, load), column)
    assert estimate.value == 60.0
    assert estimate.extra["promql"] == "sum(rate(decode_tokens_total[2m]))"


@pytest.mark.parametrize("count", [1, 10, 30])
def test_too_little_is_a_result_with_a_reason(count: int) -> None:
    values = np.arange(1.0, count + 1)
    estimate = suggested_window_s(curve_of(values, values), COLUMN)
    assert estimate.value is None
    assert not estimate.determined
    assert estimate.reason == "too few held-out ticks"


@pytest.mark.parametrize("value", [np.nan, 0.0, 1.0, -1.0])
def test_signal_that_never_moves_has_no_use_for_a_window(load: np.ndarray, value: float) -> None:
    """A constant is as wrong under any window; a missing one has no curve."""
    curve = window_curve(np.full(COUNT, value), load, load, TICK_S, span=0.0, lag_s=None)
    assert np.isnan(curve.noise_ratio).all()
    assert curve.suggested == (None if np.isnan(value) else 0)


@settings(max_examples=25)
@given(seed=st.integers(0, 2**32 - 1), power=st.integers(-20, 20))
def test_unit_of_the_signal_does_not_matter(seed: int, power: int) -> None:
    """Ratio or per cent, holes and zeros included: the same curve."""
    rng = np.random.default_rng(seed)
    load = daily_load(400, TICK_S, wander=0.2, rng=rng)
    signal = load * np.exp(0.2 * rng.standard_normal(400))
    signal[rng.random(400) < 0.1] = np.nan
    signal[rng.random(400) < 0.05] = 0.0
    factor = 2.0**power
    one = window_curve(signal, load, load, TICK_S, span=0.5, lag_s=0.0)
    other = window_curve(signal * factor, load, load, TICK_S, span=0.5 * factor, lag_s=0.0)
    np.testing.assert_allclose(one.noise_ratio, other.noise_ratio, rtol=1e-9)
    np.testing.assert_allclose(one.capacity_error, other.capacity_error, atol=1e-9)
    assert one.suggested == other.suggested
