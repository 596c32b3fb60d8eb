"""Requests drawn from rates: for fleets that export counters but keep no request log."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from signals.fleet.workload import Workload

__all__ = ["LENGTH_SIGMA", "draw_requests"]

LENGTH_SIGMA = 0.8
"""Assumed spread of lengths, standard deviation of the logarithm; an own choice, since rates do not tell it."""

Floats = NDArray[np.float64]


def draw_requests(
    rate_rps: Floats,
    prompt_tokens: Floats,
    output_tokens: Floats,
    *,
    tick_s: float,
    rng: np.random.Generator,
) -> Workload:
    """Draw Poisson arrivals with log-normal lengths around the means of each tick.

    Args:
        rate_rps: arrivals per second in each tick, [n]; NaN and negative count as 0.
        prompt_tokens: mean prompt length in each tick, tokens, [n].
        output_tokens: mean output length in each tick, tokens, [n].
        tick_s: width of a tick, seconds.
        rng: source of randomness.

    Returns:
        Requests sorted by arrival, seconds since the start of the first tick. Expected token totals equal
        the given ones; real arrivals are burstier than a Poisson process inside a tick.
    """
    counts = rng.poisson(np.clip(np.nan_to_num(rate_rps), 0.0, None) * tick_s)
    tick = np.repeat(np.arange(counts.size), counts)
    arrivals = (tick + rng.random(tick.size)) * tick_s
    order = np.argsort(arrivals, kind="stable")
    return Workload(
        arrival_s=arrivals[order],
        prompt_tokens=_lengths(prompt_tokens[tick], rng)[order],
        output_tokens=_lengths(output_tokens[tick], rng)[order],
        cached_tokens=np.zeros(tick.size, dtype=np.int64),
    )


def _lengths(mean: Floats, rng: np.random.Generator) -> NDArray[np.int64]:
    draws = mean * np.exp(LENGTH_SIGMA * rng.standard_normal(mean.size) - LENGTH_SIGMA**2 / 2.0)
    return np.maximum(np.rint(draws), 1.0).astype(np.int64)
