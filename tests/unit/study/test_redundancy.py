"""What a second signal adds to the first."""

from __future__ import annotations

import numpy as np
import pytest

from signals.schema import Estimate
from signals.series.synthetic import daily_load
from signals.study.capacity import calibrated_errors, mean_error
from signals.study.redundancy import redundancy

TICK_S = 60.0
COUNT = 2 * 1440


@pytest.fixture
def load() -> np.ndarray:
    return 100 * daily_load(COUNT, TICK_S, wander=0.2, rng=np.random.default_rng(6))


def _fall(load: np.ndarray, first: np.ndarray, second: np.ndarray) -> Estimate:
    return redundancy(
        load, (first, "rises"), (second, "either"), load, TICK_S, rng=np.random.default_rng(0)
    )


def _noisy(load: np.ndarray, seed: int) -> np.ndarray:
    return load * np.exp(0.1 * np.random.default_rng(seed).standard_normal(len(load)))


def test_second_copy_with_noise_of_its_own_averages_it_out(load: np.ndarray) -> None:
    """Two independent errors of one size: their mean is smaller by 1 - 1 / sqrt(2) = 0.29."""
    estimate = _fall(load, _noisy(load, 1), _noisy(load, 2))
    assert estimate.value == pytest.approx(1 - 0.5**0.5, abs=0.04)
    assert estimate.low is not None
    assert estimate.high is not None
    assert estimate.low < (estimate.value or 0.0) < estimate.high
    assert estimate.high - estimate.low < 0.1
    assert estimate.extra["ticks"] == COUNT


@pytest.mark.parametrize("kind", ["same", "curved", "falling"])
def test_function_of_the_first_adds_nothing(load: np.ndarray, kind: str) -> None:
    """Whatever monotone form it has."""
    first = _noisy(load, 1)
    second = {"same": first, "curved": first**0.3, "falling": -np.log(first)}[kind]
    assert _fall(load, first, second).value == pytest.approx(0.0, abs=5e-3)


def test_unrelated_second_adds_nothing(load: np.ndarray) -> None:
    """White noise: nothing within two per cent."""
    estimate = _fall(load, _noisy(load, 1), np.random.default_rng(3).standard_normal(COUNT))
    assert estimate.value == pytest.approx(0.0, abs=0.02)


@pytest.mark.parametrize("seed", [4, 5, 6, 7])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_what_distorts_the_first_is_mended_by_knowing_it(
    load: np.ndarray, seed: int, sign: float
) -> None:
    """A signal moved by a mix of requests, and the mix itself beside it, whichever way it is counted."""
    mix = np.repeat(np.random.default_rng(seed).standard_normal(COUNT // 30), 30)
    estimate = _fall(load, load * np.exp(0.2 * mix), sign * mix)
    assert estimate.value is not None
    assert estimate.value > 0.6


def test_error_of_the_first_is_the_calibrated_capacity_error(load: np.ndarray) -> None:
    """Grades cost next to nothing against a fit over every value."""
    first = _noisy(load, 1)
    exact = mean_error(
        calibrated_errors(load, first, load, TICK_S, "rises"), rng=np.random.default_rng(0)
    )
    assert _fall(load, first, _noisy(load, 2)).extra["error_first"] == pytest.approx(
        exact.value, rel=0.01
    )


def test_only_ticks_with_both_count(load: np.ndarray) -> None:
    """A second signal that is missing half of the time is judged on the other half."""
    second = _noisy(load, 2)
    second[::2] = np.nan
    assert _fall(load, _noisy(load, 1), second).extra["ticks"] == COUNT // 2


def test_too_little_says_why(load: np.ndarray) -> None:
    """A second signal without values; a first without an error."""
    assert _fall(load, load, np.full(COUNT, np.nan)).reason.startswith("too few ticks")
    steps = np.where(np.arange(COUNT) // 60 % 2 == 0, 50.0, 100.0)
    assert _fall(steps, steps, load).reason == "the first signal leaves no error"


def test_second_mends_the_first_only_where_it_is_blind(load: np.ndarray) -> None:
    """A first that is exact up to its capacity, a second with noise: the second is heard above it alone."""
    first = np.minimum(load, np.quantile(load, 0.85))
    second = load * np.exp(0.03 * np.random.default_rng(1).standard_normal(COUNT))
    estimate = _fall(load, first, second)
    assert estimate.value is not None
    assert estimate.value > 0.3
