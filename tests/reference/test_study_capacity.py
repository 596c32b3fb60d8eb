"""Capacity errors against slow loops that follow the definition word by word."""

from __future__ import annotations

import itertools
import math
from statistics import median

import numpy as np
import pytest

from signals.series.synthetic import daily_load
from signals.study.capacity import (
    calibrated_errors,
    capacity_error,
    capacity_error_instances,
    mean_error,
    peak_bias,
    ratio_errors,
    trend_gap,
)
from signals.study.trend import rising_and_falling


def slow_errors(
    load: list[float], ready: list[float], signal: list[float], gap: int
) -> list[float]:
    """e_t = ln(r_t s_t / l_t) less the median of the same over the training ticks of six blocks."""
    count = len(load)
    ratio = [math.log(r * s / x) for r, s, x in zip(ready, signal, load, strict=True)]
    edges = [int(count * k / 6) for k in range(7)]
    errors = []
    for first, last in itertools.pairwise(edges):
        train = [ratio[i] for i in range(count) if i < first - gap or i >= last + gap]
        errors += [ratio[i] - median(train) for i in range(first, last)]
    return errors


def slow_isotonic(values: list[float]) -> list[float]:
    """Pool adjacent violators: merge neighbours until no block is above the next."""
    blocks: list[list[float]] = []
    for value in values:
        blocks.append([value, 1.0])
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
            high, low = blocks[-2], blocks.pop()
            weight = high[1] + low[1]
            blocks[-1] = [(high[0] * high[1] + low[0] * low[1]) / weight, weight]
    return [mean for mean, size in blocks for _ in range(int(size))]


def slow_calibrated(reference: list[float], signal: list[float], gap: int) -> list[float]:
    """e_t = g(s_t) - ln(l_t / r_t), g the isotonic fit on the training ticks, flat beyond its ends."""
    count = len(reference)
    edges = [int(count * k / 6) for k in range(7)]
    errors = []
    for first, last in itertools.pairwise(edges):
        train = sorted(
            (signal[i], math.log(reference[i]))
            for i in range(count)
            if i < first - gap or i >= last + gap
        )
        fitted = slow_isotonic([y for _, y in train])
        errors += [
            float(np.interp(signal[i], [x for x, _ in train], fitted)) - math.log(reference[i])
            for i in range(first, last)
        ]
    return errors


@pytest.fixture
def day(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Load, ready instances and a noisy, bent utilisation of 300 ticks of five minutes."""
    load = 50 * daily_load(300, 300.0, trough=0.3, rng=rng)
    ready = np.where(np.arange(300) % 100 < 60, 3.0, 5.0)
    signal = (load / ready) ** 0.8 * np.exp(0.1 * rng.standard_normal(300))
    return load, ready, signal


def test_ratio_errors_equal_the_loop(
    day: tuple[np.ndarray, np.ndarray, np.ndarray], rng: np.random.Generator
) -> None:
    """Errors tick by tick, then their mean size, peak bias and trend gap."""
    load, ready, signal = day
    held = ratio_errors(load / ready, signal, load, 300.0)
    expected = np.array(slow_errors(load.tolist(), ready.tolist(), signal.tolist(), 3))
    np.testing.assert_allclose(held.errors, expected, atol=1e-12)
    assert capacity_error(held, rng=rng).value == pytest.approx(np.abs(expected).mean())
    top = load > np.quantile(load, 0.95)
    assert peak_bias(held, load, rng=rng).value == pytest.approx(expected[top].mean())
    rising, falling = rising_and_falling(load, 300.0)
    gap = expected[rising].mean() - expected[falling].mean()
    assert trend_gap(held, rising, falling, rng=rng).value == pytest.approx(gap)


def test_instances_equal_the_loop(
    day: tuple[np.ndarray, np.ndarray, np.ndarray], rng: np.random.Generator
) -> None:
    """ceil(N l / l_p95 exp(e) - 1e-9) against the same with e = 0, tick by tick."""
    load, ready, signal = day
    errors = slow_errors(load.tolist(), ready.tolist(), signal.tolist(), 3)
    top = float(np.quantile(load, 0.95))
    fleet = round(median(r for r, x in zip(ready.tolist(), load.tolist(), strict=True) if x >= top))
    missed = [
        abs(math.ceil(fleet * x / top * math.exp(e) - 1e-9) - math.ceil(fleet * x / top - 1e-9))
        for x, e in zip(load.tolist(), errors, strict=True)
    ]
    held = ratio_errors(load / ready, signal, load, 300.0)
    estimate = capacity_error_instances(held, load, ready, rng=rng)
    assert estimate.extra["fleet"] == fleet
    assert estimate.value == pytest.approx(sum(missed) / len(missed))


def test_calibrated_errors_equal_the_loop(
    day: tuple[np.ndarray, np.ndarray, np.ndarray], rng: np.random.Generator
) -> None:
    """The isotonic controller, fold by fold."""
    load, ready, signal = day
    held = calibrated_errors(load / ready, signal, load, 300.0, "rises")
    expected = slow_calibrated((load / ready).tolist(), signal.tolist(), 3)
    np.testing.assert_allclose(held.errors, expected, atol=1e-9)
    assert mean_error(held, rng=rng).value == pytest.approx(np.abs(expected).mean())
