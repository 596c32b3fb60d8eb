"""How long after load moves does the signal move?"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from signals.schema import Estimate
from signals.series.smooth import detrend
from signals.series.synthetic import add_noise, ar1, daily_load, delayed, noise_sigma
from signals.study.lag import _off_the_tick, estimate_lag, estimate_late_lag, lag_curve, lag_window

TICK_S = 60.0


def _pair(
    kind: float | str, count: int, lag: float, snr_db: float, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    def make(size: int) -> np.ndarray:
        if isinstance(kind, str):
            return daily_load(size, TICK_S, wander=0.1, phi=0.95, rng=rng)
        return ar1(size, kind, rng)

    load, late = delayed(make, count, lag)
    return load, add_noise(late, noise_sigma(detrend(late, TICK_S), snr_db), rng)


def _estimates(
    kind: float | str, count: int, lag: float, snr_db: float, series: int
) -> list[Estimate]:
    rng = np.random.default_rng((int(lag * 4), int(snr_db), count))
    return [
        estimate_lag(*_pair(kind, count, lag, snr_db, rng), TICK_S, rng=rng) for _ in range(series)
    ]


def _coverage(estimates: list[Estimate], truth_s: float) -> float:
    inside = [e.low <= truth_s <= e.high for e in estimates if e.low is not None]
    return float(np.mean(inside))


def test_late_signal_has_a_positive_lag_and_load_leads(shared: Path) -> None:
    """TTFT follows load by three samples of 15 s, r = 1 on 21 pairs; in words, load leads."""
    data = pl.read_csv(shared / "cases" / "22-lag-sign" / "input.csv")
    load = data["load_rps"].cast(pl.Float64).to_numpy()
    ttft = data["ttft_s"].to_numpy()
    estimate = estimate_lag(load, ttft, 15.0, rng=np.random.default_rng(0))
    assert estimate.determined
    assert estimate.value == pytest.approx(45.0)
    assert estimate.extra["ticks"] == 3
    assert estimate.extra["correlation"] == pytest.approx(1.0)
    assert estimate.extra["pairs"] == 21
    assert estimate.extra["leader"] == "load"
    swapped = estimate_lag(ttft, load, 15.0, rng=np.random.default_rng(0))
    assert swapped.value == pytest.approx(-45.0)
    assert swapped.extra["leader"] == "signal"


@pytest.mark.parametrize(
    ("count", "tick_s", "expected"),
    [(5760, 15.0, 60), (481, 180.0, 30), (24, 15.0, 6), (1440, 60.0, 30), (5000, 1.0, 900)],
)
def test_lag_window_is_fifteen_minutes_and_thirty_ticks_within_a_quarter(
    count: int, tick_s: float, expected: int
) -> None:
    """15 min, at least 30 ticks, at most N / 4."""
    assert lag_window(count, tick_s) == expected


def test_lag_curve_peaks_at_the_lag(rng: np.random.Generator) -> None:
    """The curve that is plotted is the one the lag is read from."""
    load, signal = _pair(0.9, 480, 7, 20, rng)
    curve = lag_curve(load, signal, TICK_S)
    assert curve.lags[int(np.argmax(curve.correlation))] == 7
    assert curve.pairs == 480 - 60
    assert np.nanmax(np.abs(curve.correlation)) <= 1 + 1e-12


@pytest.mark.parametrize("snr_db", [0.0, 10.0])
@pytest.mark.parametrize("lag", [0.0, 1.0, 3.5, 7.25, 13.0, 20.0])
def test_known_lag_is_found_within_a_quarter_tick(lag: float, snr_db: float) -> None:
    """Median over series of a daily load with slow departures; whole and fractional lags."""
    estimates = _estimates("daily", 720, lag, snr_db, 15)
    found = [e.value for e in estimates if e.determined and e.value is not None]
    assert len(found) == len(estimates)
    assert abs(np.median(found) / TICK_S - lag) <= 0.25


@pytest.mark.parametrize(
    ("kind", "count", "lag", "snr_db"),
    [(0.9, 720, 3.5, 0.0), (0.9, 720, 7.25, 0.0), ("daily", 720, 13.0, 0.0), (0.5, 480, 2.0, 10.0)],
)
def test_interval_holds_the_truth(kind: float | str, count: int, lag: float, snr_db: float) -> None:
    """95 % intervals, 120 series: at least 0.92 less twice the count's standard error."""
    estimates = _estimates(kind, count, lag, snr_db, 120)
    assert _coverage(estimates, lag * TICK_S) >= 0.92 - 2 * np.sqrt(0.92 * 0.08 / 120)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "lag", "snr_db"),
    [(0.9, 3.5, 0.0), (0.99, 7.25, 0.0), ("daily", 7.25, 0.0), (0.5, 0.0, 10.0)],
)
def test_interval_coverage_over_many_series(kind: float | str, lag: float, snr_db: float) -> None:
    """400 series a setting: 0.92 to 0.98, or above where the interval is narrow."""
    estimates = _estimates(kind, 720, lag, snr_db, 400)
    widths = [e.high - e.low for e in estimates if e.low is not None and e.high is not None]
    covered = _coverage(estimates, lag * TICK_S)
    assert covered >= 0.92 - 0.014
    assert covered <= 0.98 + 0.007 or np.median(widths) / TICK_S < 0.6


@pytest.mark.parametrize(("phi", "psi"), [(0.0, 0.0), (0.9, 0.0), (0.95, 0.95)])
def test_unrelated_signals_stay_undetermined(phi: float, psi: float) -> None:
    """100 independent pairs: at most 7 % determined."""
    rng = np.random.default_rng(8)
    determined = [
        estimate_lag(ar1(300, phi, rng), ar1(300, psi, rng), TICK_S, rng=rng).determined
        for _ in range(100)
    ]
    assert np.mean(determined) <= 0.07


def test_constant_signal_and_constant_load_are_undetermined_with_a_reason(
    rng: np.random.Generator,
) -> None:
    """No number is made up where nothing moves."""
    moving, still = ar1(300, 0.9, rng), np.full(300, 0.1)
    assert estimate_lag(moving, still, TICK_S, rng=rng) == Estimate(
        None, determined=False, reason="constant series"
    )
    assert estimate_lag(still, moving, TICK_S, rng=rng).reason == "load does not move"
    short = estimate_lag(moving[:5], moving[:5], TICK_S, rng=rng)
    assert short.reason == "too few ticks on which both have values"


def test_lag_beyond_the_window_is_undetermined(rng: np.random.Generator) -> None:
    """60 ticks late, 30 looked at."""
    load, signal = _pair(0.9, 480, 60, 20, rng)
    assert not estimate_lag(load, signal, TICK_S, rng=rng).determined


def test_slow_peak_at_the_edge_is_undetermined(rng: np.random.Generator) -> None:
    """A smooth load whose copy comes 35 ticks later correlates most at the edge of the window."""
    load, signal = delayed(lambda size: ar1(size, 0.998, rng), 2000, 35)
    estimate = estimate_lag(load, signal, TICK_S, rng=rng)
    assert not estimate.determined
    assert estimate.reason == "the peak lies at the edge of the window"


@pytest.mark.parametrize("direction", ["falls", "either"])
def test_falling_signal_is_matched_by_its_trough(direction: str, rng: np.random.Generator) -> None:
    """A signal that falls as load grows has its lag where the correlation is most negative."""
    load, signal = _pair(0.9, 480, 4, 20, rng)
    estimate = estimate_lag(load, -signal, TICK_S, rng=rng, direction=direction)
    assert estimate.value == pytest.approx(4 * TICK_S, abs=0.1 * TICK_S)
    assert estimate.extra["correlation"] < -0.9


def test_missing_ticks_leave_the_lag(rng: np.random.Generator) -> None:
    """One tenth of both series missing at random, and a hole in the signal."""
    load, signal = _pair(0.9, 720, 5, 10, rng)
    load[rng.random(720) < 0.1] = np.nan
    signal[rng.random(720) < 0.1] = np.nan
    signal[300:360] = np.nan
    estimate = estimate_lag(load, signal, TICK_S, rng=rng)
    assert estimate.determined
    assert estimate.value == pytest.approx(5 * TICK_S, abs=0.25 * TICK_S)


def test_step_alignment_widens_the_interval(rng: np.random.Generator) -> None:
    """Values aligned to a 30 s step: each side is widened by it in quadrature."""
    load, signal = _pair(0.9, 480, 5, 10, rng)
    raw = estimate_lag(load, signal, TICK_S, rng=np.random.default_rng(1))
    aligned = estimate_lag(load, signal, TICK_S, rng=np.random.default_rng(1), step_s=30.0)
    assert raw.value is not None
    assert raw.low is not None
    assert aligned.low is not None
    expected = np.sqrt((raw.value - raw.low) ** 2 + 30.0**2)
    assert raw.value - aligned.low == pytest.approx(expected)


@pytest.mark.parametrize(
    ("point", "below", "above", "expected"),
    [
        (3.3, 0.6, 0.2, (0.25, 0.2)),  # 3 is out of reach of a quarter more than the other side
        (3.3, 0.6, 0.25, (0.6, 0.25)),  # and here it is not
        (3.3, 0.1, 0.2, (0.1, 0.2)),
        (3.7, 0.2, 0.6, (0.2, 0.25)),
        (3.7, 0.25, 0.6, (0.25, 0.6)),
        (-3.3, 0.2, 0.6, (0.2, 0.25)),
        (3.0, 0.2, 0.6, (0.2, 0.6)),
    ],
)
def test_side_that_faces_a_tick_is_no_more_than_a_quarter_longer(
    point: float, below: float, above: float, expected: tuple[float, float]
) -> None:
    """Unless it reaches the tick: then the lag may lie on either side of it."""
    assert _off_the_tick(point, below, above) == pytest.approx(expected)


def test_same_seed_gives_the_same_interval(rng: np.random.Generator) -> None:
    """Deterministic for a seed."""
    load, signal = _pair(0.9, 480, 5, 0, rng)
    first, second = (
        estimate_lag(load, signal, TICK_S, rng=np.random.default_rng(3)) for _ in range(2)
    )
    assert first == second


def test_bound_lies_below_the_scatter_of_the_estimates() -> None:
    """No unbiased method could err less than the bound printed beside the lag."""
    estimates = _estimates(0.9, 480, 3.5, 0.0, 40)
    scatter = np.std([e.value for e in estimates])
    bound = np.mean([float(e.extra["bound_s"]) for e in estimates])
    assert 0.5 * scatter < bound < 1.5 * scatter


@pytest.mark.parametrize("minutes", [20, 25])
def test_late_lag_is_sought_beyond_the_window(minutes: int, rng: np.random.Generator) -> None:
    """At ticks of 15 s the window ends at 15 min: what trails by more has its peak at the edge, then beyond."""
    load, signal = delayed(lambda count: ar1(count, 0.99, rng), 5760, 4 * minutes)
    first = estimate_lag(load, signal, 15.0, rng=rng)
    assert not first.determined
    late = estimate_late_lag(load, signal, 15.0, rng=rng)
    assert late.determined
    assert late.value == pytest.approx(60 * minutes, abs=8)
    assert late.extra["window_s"] == 1800
    assert late.extra["window_count"] == 2


@pytest.mark.parametrize("minutes", [40, -20])
def test_late_lag_is_undetermined_farther_out_and_before_load(
    minutes: int, rng: np.random.Generator
) -> None:
    """Beyond twice the window, or ahead of load, the answer stays that of the first window."""
    load, signal = delayed(lambda count: ar1(count, 0.995, rng), 5760, 4 * minutes)
    late = estimate_late_lag(load, signal, 15.0, rng=np.random.default_rng(1))
    assert not late.determined
    assert late == estimate_lag(load, signal, 15.0, rng=np.random.default_rng(1))


def test_late_lag_is_the_lag_where_that_is_known(rng: np.random.Generator) -> None:
    """Inside the window nothing is looked at twice."""
    load, signal = _pair(0.9, 1440, 7, 10, rng)
    late = estimate_late_lag(load, signal, TICK_S, rng=np.random.default_rng(1))
    assert late == estimate_lag(load, signal, TICK_S, rng=np.random.default_rng(1))
    assert late.extra["window_count"] == 1


@pytest.mark.parametrize(("ticks", "windows"), [(59, 2), (56, 2), (52, 1)])
def test_late_lag_looks_beyond_an_edge_that_its_interval_is_near(
    ticks: int, windows: int, rng: np.random.Generator
) -> None:
    """A peak in the last tenth of the 60 ticks may be the flank of one that lies beyond them."""
    load, signal = delayed(lambda count: ar1(count, 0.99, rng), 5760, ticks)
    late = estimate_late_lag(load, signal, 15.0, rng=rng)
    assert late.value == pytest.approx(ticks * 15, abs=2)
    assert late.extra["window_count"] == windows


def test_smooth_series_have_too_few_independent_ticks(rng: np.random.Generator) -> None:
    """One hump, followed two ticks later: r is 1 at the peak, and the whole is worth hardly two ticks."""
    load = np.exp(2 * np.sin(2 * np.pi * np.arange(480) / 480))
    estimate = estimate_lag(load, np.roll(load, 2), TICK_S, rng=rng)
    correlation, n_eff = estimate.extra["correlation"], estimate.extra["n_eff"]
    assert not estimate.determined
    assert isinstance(correlation, float)
    assert correlation > 0.99
    assert isinstance(n_eff, float)
    assert n_eff < 2.5
    told = f"too few independent ticks to tell a lag: 420 are worth {n_eff:.1f}"
    assert estimate.reason == told


def test_unrelated_signal_is_not_followed_for_want_of_ticks(rng: np.random.Generator) -> None:
    """White noise has as many independent ticks as ticks, so it is the signal that does not follow."""
    load, signal = rng.standard_normal((2, 480))
    estimate = estimate_lag(load, signal, TICK_S, rng=rng)
    assert estimate.reason == "no lag at which the signal follows load significantly"
