"""Small made workloads for replay tests: known rates, known lengths, seeded."""

from __future__ import annotations

import numpy as np

from signals.fleet import Workload


def steady_load(
    *,
    seconds: float = 1200.0,
    rps: float = 4.0,
    prompt_tokens: int = 1000,
    output_tokens: int = 200,
    seed: int = 1,
) -> Workload:
    """Poisson arrivals at one rate; every request alike."""
    return shaped_load(
        np.full(round(seconds), rps),
        prompt_tokens=prompt_tokens,
        output_tokens=output_tokens,
        seed=seed,
    )


def shaped_load(
    rps: np.ndarray, *, prompt_tokens: int = 1000, output_tokens: int = 200, seed: int = 1
) -> Workload:
    """Poisson arrivals whose rate is given for each second; every request alike."""
    rng = np.random.default_rng(seed)
    counts = rng.poisson(rps)
    times = np.repeat(np.arange(rps.size, dtype=np.float64), counts)
    arrival_s = np.sort(times + rng.random(times.size))
    n = arrival_s.size
    return Workload(
        arrival_s,
        np.full(n, prompt_tokens, np.int64),
        np.full(n, output_tokens, np.int64),
        np.zeros(n, np.int64),
    )


def daily_rate(hours: float, peak_rps: float, *, low_share: float = 0.08) -> np.ndarray:
    """A smooth day squeezed into `hours`: from the low to the peak and back, per second."""
    phase = np.linspace(0.0, 2.0 * np.pi, round(hours * 3600.0))
    return peak_rps * (low_share + (1.0 - low_share) * (1.0 - np.cos(phase)) / 2.0)
