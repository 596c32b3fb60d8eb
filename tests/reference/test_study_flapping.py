"""Flaps against a loop that follows the definition word by word."""

from __future__ import annotations

import math
from statistics import median

import numpy as np
import pytest

from signals.series.synthetic import daily_load
from signals.study.flapping import flap_rate


def slow_rate(signal: list[float], ready: list[float]) -> tuple[float, int]:
    """u = s r / (n theta); outside 10 % n becomes ceil(n u); flaps per hour of one-minute decisions."""
    theta = median(s for s, r in zip(signal, ready, strict=True) if not math.isnan(s) and r > 0)
    count, changes, flaps, decisions = None, [], 0, 0
    for minute, (s, r) in enumerate(zip(signal, ready, strict=True)):
        if math.isnan(s) or r <= 0:
            continue
        count = r if count is None else count
        decisions += 1
        u = s * r / (count * theta)
        if abs(u - 1) <= 0.1:
            continue
        new = max(1, math.ceil(count * u - 1e-9))
        if new == count:
            continue
        up = new > count
        if changes and changes[-1][1] != up and minute - changes[-1][0] < 15:
            flaps += 1
        changes.append((minute, up))
        count = new
    return flaps / (decisions / 60), len(changes)


@pytest.mark.parametrize("noise", [0.02, 0.1, 0.4])
@pytest.mark.parametrize("seed", range(4))
def test_flaps_equal_the_loop(noise: float, seed: int) -> None:
    """Holes, times without an instance, a fleet that changes."""
    rng = np.random.default_rng(seed)
    load = 40 * daily_load(900, 60.0, wander=0.2, phi=0.9, rng=rng)
    ready = np.maximum(0, np.round(load / 6 + rng.standard_normal(900)))
    signal = load / np.maximum(ready, 1) * np.exp(noise * rng.standard_normal(900))
    signal[rng.random(900) < 0.1] = np.nan
    rate, changes = slow_rate(signal.tolist(), ready.tolist())
    estimate = flap_rate(signal, ready, 60.0, scope="average", rng=rng)
    assert estimate.value == pytest.approx(rate)
    assert estimate.extra["changes"] == changes
