"""The event study against slow loops that follow the definition word by word."""

from __future__ import annotations

import itertools
import math
from statistics import median

import numpy as np
import pytest

from signals.series.synthetic import ar1
from signals.study.rise import load_changes, rise_s


def slow_levels(load: list[float]) -> list[int]:
    """The segmentation into means with the least squared error plus penalty, by trying every last level."""
    count = len(load)
    steps = [b - a for a, b in itertools.pairwise(load)]
    sigma = 1.4826 * median(abs(s - median(steps)) for s in steps) / math.sqrt(2)
    sigma = max(sigma, 0.01 * sum(abs(x) for x in load) / count)
    penalty = 3 * sigma**2 * math.log(count)
    best, came_from = [0.0] + [math.inf] * count, [0] * (count + 1)
    for end in range(8, count + 1):
        total = squares = 0.0
        for start in range(end - 1, -1, -1):
            total += load[start]
            squares += load[start] ** 2
            if end - start < 8:
                continue
            cost = best[start] + squares - total**2 / (end - start) + penalty
            if cost < best[end]:
                best[end], came_from[end] = cost, start
    edges = [count]
    while edges[-1]:
        edges.append(came_from[edges[-1]])
    return edges[::-1]


def slow_rises(load: list[float], signal: list[float], edges: list[int]) -> list[tuple[int, int]]:
    """Ticks to half and to nine tenths of the way, for each event on which the signal moved."""
    smooth = [
        median(signal[i - 1 : i + 2]) if 0 < i < len(signal) - 1 else signal[i]
        for i in range(len(signal))
    ]
    found = []
    for start, at, end in zip(edges, edges[1:], edges[2:], strict=False):
        before, after = (sum(load[a:b]) / (b - a) for a, b in ((start, at), (at, end)))
        if abs(after - before) < 0.2 * before or end - at < 10:
            continue
        low, high = median(signal[start:at]), median(signal[at:end])
        noise = 1.4826 * max(
            median(abs(s - low) for s in signal[start:at]),
            median(abs(s - high) for s in signal[at:end]),
        )
        if abs(high - low) <= 2 * noise:
            continue
        shares = [(smooth[i] - low) / (high - low) for i in range(at, end)]
        found.append(
            tuple(next(i for i, s in enumerate(shares) if s >= goal) for goal in (0.5, 0.9))
        )
    return found


@pytest.mark.parametrize("seed", range(12))
def test_events_equal_the_loops(seed: int) -> None:
    """Wandering levels with odd steps, and a signal that comes late and noisy."""
    rng = np.random.default_rng(seed)
    width = rng.integers(5, 40, 20)
    load = 50 * np.exp(np.repeat(0.5 * rng.standard_normal(20), width))
    load *= 1 + rng.choice([0.02, 0.1]) * ar1(len(load), 0.5, rng)
    signal = np.roll(load, 2) * (1 + 0.05 * rng.standard_normal(len(load)))
    edges = slow_levels(load.tolist())
    changes = load_changes(load, 60.0)
    assert changes.edges.tolist() == edges
    rises = slow_rises(load.tolist(), signal.tolist(), edges)
    estimate = rise_s(signal, changes, 60.0, rng=rng)
    assert estimate.extra["events"] == len(rises)
    if len(rises) >= 5:
        assert estimate.value == 60 * median(half for half, _ in rises)
        assert estimate.extra["t90_s"] == 60 * median(nearly for _, nearly in rises)
        quartiles = 60 * np.quantile([half for half, _ in rises], (0.25, 0.75))
        assert [estimate.extra["t50_q25_s"], estimate.extra["t50_q75_s"]] == quartiles.tolist()
    else:
        assert not estimate.determined
