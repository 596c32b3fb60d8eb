"""How long a signal is pinned."""

from __future__ import annotations

import numpy as np
import pytest

from signals.catalog.spec import Direction
from signals.schema import Estimate
from signals.study.monotone import fit_monotone
from signals.study.response import bin_means
from signals.study.saturation import flat_against_direction, plateau_ticks, saturation_ratio

TICK_S = 60.0
RAMP = np.linspace(1, 3, 1440)


def _saturation(load: np.ndarray, signal: np.ndarray, direction: Direction = "rises") -> Estimate:
    curve = fit_monotone(load, signal, direction)
    bins = bin_means(load, signal, TICK_S)
    assert curve is not None
    assert bins is not None
    return saturation_ratio(load, bins, curve, direction)


@pytest.mark.parametrize("cap", [1.5, 2.0, 2.6])
def test_saturation_is_the_share_of_ticks_at_the_cap(cap: float) -> None:
    """A ramp from 1 to 3 that stops at 2 is pinned half of the time (and 2 % of span more)."""
    estimate = _saturation(RAMP, np.minimum(RAMP, cap))
    span = cap - 1
    assert estimate.value == pytest.approx((3 - cap + 0.02 * span) / 2, abs=0.005)
    assert estimate.extra["lower"] == 0.0


def test_saturation_at_the_lower_end_counts_too() -> None:
    """A queue that is empty below 2."""
    estimate = _saturation(RAMP, np.maximum(RAMP - 2, 0))
    assert estimate.value == pytest.approx(0.51, abs=0.005)
    assert estimate.extra["upper"] == 0.0


def test_saturation_is_none_of_a_line_and_all_of_a_constant() -> None:
    """No plateau, and nothing but a plateau."""
    assert _saturation(RAMP, RAMP).value == 0.0
    assert _saturation(RAMP, -RAMP, "falls").value == 0.0
    constant = _saturation(RAMP, np.full(1440, 1.0))
    assert (constant.value, constant.reason) == (1.0, "constant series")


def test_saturation_survives_noise(rng: np.random.Generator) -> None:
    """5 % of noise on top hides no plateau, because the fit is looked at."""
    noisy = np.minimum(RAMP, 2.0) + 0.05 * rng.standard_normal(1440)
    assert _saturation(RAMP, noisy).value == pytest.approx(0.5, abs=0.12)


def test_plateau_names_the_ticks_that_lie_on_it() -> None:
    """Those above the cap; a missing load lies nowhere."""
    load = RAMP.copy()
    load[1400] = np.nan
    signal = np.minimum(RAMP, 2.0)
    bins, curve = bin_means(load, signal, TICK_S), fit_monotone(load, signal, "rises")
    assert bins is not None
    assert curve is not None
    found = plateau_ticks(load, bins, curve, "rises")
    assert found is not None
    assert not found[0].any()
    assert found[1][720:1400].all()
    assert not found[1][:690].any()
    assert not found[1][1400]


@pytest.mark.parametrize(
    ("signal", "direction"),
    [(4 - RAMP, "rises"), (RAMP, "falls"), (np.minimum(4 - RAMP, 2.0), "rises")],
)
def test_signal_that_moves_against_its_direction_is_not_pinned(
    signal: np.ndarray, direction: Direction
) -> None:
    """The fit that may not follow it is flat, and that is no plateau."""
    estimate = _saturation(RAMP, signal, direction)
    assert (estimate.value, estimate.determined) == (None, False)
    assert estimate.reason == "as load grows it moves the other way, or not at all"
    assert flat_against_direction(estimate) == 1.0
    bins, curve = bin_means(RAMP, signal, TICK_S), fit_monotone(RAMP, signal, direction)
    assert bins is not None
    assert curve is not None
    assert plateau_ticks(RAMP, bins, curve, direction) is None


def test_signal_that_falls_but_for_a_little_at_its_end_is_not_pinned() -> None:
    """Its fit rises by that little, and would be a plateau of nine tenths."""
    signal = np.where(RAMP < 2.9, 4 - RAMP, 4.0)
    assert _saturation(RAMP, signal).value is None
    assert _saturation(RAMP, signal, "either").value is not None


def test_signal_that_moves_in_its_direction_is_not_against_it() -> None:
    """Nor is a constant, nor one that rises to its cap and then gives way a little."""
    for signal in (RAMP, np.full(1440, 1.0), np.where(RAMP < 2, RAMP, 2.02 - 0.01 * RAMP)):
        estimate = _saturation(RAMP, signal)
        assert estimate.value is not None
        assert flat_against_direction(estimate) is None
