"""The lag of resampled series: exact on ordinary grids, bounded on long and fine ones."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from signals.series.smooth import detrend
from signals.series.synthetic import add_noise, ar1, delayed
from signals.study import lag_draws
from signals.study.lag import estimate_lag
from signals.study.lag_draws import (
    MOST_PAIRS,
    Pairs,
    around,
    block_sums,
    coarser,
    draw_lags,
    pair_up,
    resampled_lags,
)


def _series(count: int, lag: float, noise: float) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng((count, int(lag * 10)))
    load, late = delayed(lambda size: ar1(size, 0.99, rng), count, lag)
    return load, add_noise(late, noise, rng)


def _pairs(count: int, lag: float, noise: float, reach: int) -> Pairs:
    load, signal = _series(count, lag, noise)
    return pair_up(detrend(load, 60.0), detrend(signal, 60.0), reach)


def test_ordinary_sizes_are_resampled_in_full() -> None:
    """12,000 ticks and 361 lags: the very draws of the unbounded form."""
    pairs = _pairs(12_000, 5.3, 0.3, 180)
    found = draw_lags(pairs, 1.0, 5, 30, np.random.default_rng(1))
    expected = resampled_lags(pairs, 1.0, 30, np.random.default_rng(1))
    assert found.width == 1
    np.testing.assert_array_equal(found.lags, expected)


@pytest.mark.parametrize("lag", [-9, 0, 5, 55, 60])
def test_lags_near_one_have_the_sums_of_all_lags(lag: int) -> None:
    """Leaving lags out changes no sum of those that stay, at the ends of the window neither."""
    pairs = _pairs(2_000, 5.0, 0.3, 60)
    near, middle = around(pairs, lag, 7)
    sums, totals = block_sums(pairs, 20)
    some, same = block_sums(near, 20)
    assert abs(middle) <= 60 - 7
    assert middle == lag or abs(lag) > 60 - 7
    first = middle - 7 + pairs.reach
    # the neighbour of the very last lag lies outside of the window and is never asked for
    np.testing.assert_allclose(
        some[:, [0, 1, 3]], sums[:, [0, 1, 3], first : first + 15], atol=1e-9
    )
    np.testing.assert_allclose(some[:, 2, :-1], sums[:, 2, first : first + 14], atol=1e-9)
    np.testing.assert_allclose(same, totals)


def test_coarse_means_hold_what_was_known() -> None:
    """Three ticks to a mean; a tick that is not used does not pull it towards zero."""
    x = np.arange(30.0)
    used = np.ones(30)
    used[[0, 1, 2, 27, 28, 29]] = 0
    used[[9, 10]] = 0
    pairs = Pairs(x, np.where(used > 0, 2 * x, 0.0), used, 3)
    rough = coarser(pairs, 3)
    assert rough.reach == 1
    np.testing.assert_allclose(rough.x, [1, 4, 7, 10, 13, 16, 19, 22, 25, 28])
    np.testing.assert_allclose(rough.used, [0, 1, 1, 1, 1, 1, 1, 1, 1, 0])
    np.testing.assert_allclose(rough.y, [0, 8, 14, 22, 26, 32, 38, 44, 50, 0])


@pytest.mark.parametrize("reach", [60, 300], ids=["one round", "two rounds"])
def test_sharp_peak_keeps_its_full_resolution(reach: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond the limit the same resamples near the peak give the interval of the unbounded form."""
    pairs = _pairs(6_000, 5.3, 0.05, reach)
    expected = resampled_lags(pairs, 1.0, 30, np.random.default_rng(1))
    monkeypatch.setattr(lag_draws, "MOST_PAIRS", 60_000)
    found = draw_lags(pairs, 1.0, 5, 30, np.random.default_rng(1))
    assert found.width == 1
    np.testing.assert_allclose(
        np.quantile(found.lags, (0.025, 0.975)), np.quantile(expected, (0.025, 0.975)), atol=0.02
    )


def test_wide_peak_is_searched_over_the_whole_window(monkeypatch: pytest.MonkeyPatch) -> None:
    """Noise spreads the resampled peaks over many ticks: means of ticks find the same spread."""
    pairs = _pairs(6_000, 5.3, 40.0, 60)
    expected = np.quantile(resampled_lags(pairs, 1.0, 30, np.random.default_rng(1)), (0.025, 0.975))
    monkeypatch.setattr(lag_draws, "MOST_PAIRS", 100_000)
    found = draw_lags(pairs, 1.0, 5, 30, np.random.default_rng(1))
    low, high = np.quantile(found.lags, (0.025, 0.975))
    assert found.width == 3
    assert high - low == pytest.approx(expected[1] - expected[0], rel=0.5)


@pytest.mark.parametrize(
    ("count", "tick_s", "lag"), [(60_000, 1.0, 40.0), (16_000, 0.013, 6.5)], ids=["long", "fine"]
)
def test_long_and_fine_grids_are_bounded(count: int, tick_s: float, lag: float) -> None:
    """17 hours of 1 s ticks, and 3 minutes of 13 ms ticks: a known lag, seconds, under 300 MB."""
    load, signal = _series(count, lag, 0.3)
    assert count * 1_801 > MOST_PAIRS
    tracemalloc.start()
    estimate = estimate_lag(load, signal, tick_s, rng=np.random.default_rng(0))
    _, peak_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak_bytes < 300e6
    assert estimate.determined
    assert estimate.value == pytest.approx(lag * tick_s, abs=0.3 * tick_s)
    assert estimate.low is not None
    assert estimate.high is not None
    assert estimate.low <= lag * tick_s <= estimate.high
    assert estimate.high - estimate.low < 3 * tick_s
