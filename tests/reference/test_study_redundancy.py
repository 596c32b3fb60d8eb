"""Two monotone curves on grades against backfitting over every tick until nothing moves."""

from __future__ import annotations

import numpy as np
import pytest

from signals.series.grid import folds
from signals.series.synthetic import daily_load
from signals.study.monotone import fit_monotone
from signals.study.redundancy import redundancy

TICK_S = 300.0
COUNT = 2 * 288


def slow_fall(load: np.ndarray, first: np.ndarray, second: np.ndarray) -> float:
    """The definition word by word: every value is a point of its curve, 2,000 rounds."""
    wanted, alone, both = np.log(load), [], []
    for fold in folds(COUNT, TICK_S, 3):
        part = slice(fold.first, fold.last)
        x, z, y = first[fold.train], second[fold.train], wanted[fold.train]
        single = fit_monotone(x, y, "rises")
        assert single is not None
        alone += list(np.abs(single.at(first[part]) - wanted[part]))
        f, g = np.full(len(y), y.mean()), np.zeros(len(y))
        for _ in range(2000):
            before = f + g
            curve_f = fit_monotone(x, y - g, "rises")
            assert curve_f is not None
            f = curve_f.at(x)
            curve_g = fit_monotone(z, y - f, "rises")
            assert curve_g is not None
            g = curve_g.at(z)
            if np.abs(f + g - before).max() < 1e-9:
                break
        both += list(np.abs(curve_f.at(first[part]) + curve_g.at(second[part]) - wanted[part]))
    return float(1 - np.mean(both) / np.mean(alone))


@pytest.mark.parametrize("noise", [0.3, 0.05])
def test_fall_is_that_of_the_slow_fit(noise: float) -> None:
    """Within three hundredths, for signals that are little and much alike."""
    rng = np.random.default_rng(12)
    load = daily_load(COUNT, TICK_S, wander=0.3, phi=0.9, rng=rng)
    first = load * np.exp(noise * rng.standard_normal(COUNT))
    second = np.sqrt(load) * np.exp(noise * rng.standard_normal(COUNT))
    fast = redundancy(load, (first, "rises"), (second, "rises"), load, TICK_S, rng=rng)
    assert fast.value == pytest.approx(slow_fall(load, first, second), abs=0.03)
