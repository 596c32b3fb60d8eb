"""The demo's traffic: one day of requests in the daily shape of HeteroScale's Figure 2."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from signals.fleet import Workload

__all__ = ["DemoDay", "demo_workload"]

Floats = NDArray[np.float64]

# HeteroScale (arXiv 2508.19559), Figure 2: decode and prefill tokens/s of one production day without
# autoscaling, relative to the day's maximum, read off the plot at every full hour.
DECODE_SHAPE = (
    0.280, 0.620, 0.860, 0.937, 0.676, 0.581, 0.749, 0.938, 0.986, 0.932, 0.704, 0.579,
    0.589, 0.628, 0.637, 0.558, 0.416, 0.291, 0.192, 0.133, 0.092, 0.077, 0.091, 0.153, 0.244,
)  # fmt: skip
PREFILL_SHAPE = (
    0.219, 0.481, 0.755, 0.886, 0.619, 0.571, 0.740, 0.920, 0.999, 0.954, 0.735, 0.592,
    0.586, 0.639, 0.646, 0.539, 0.438, 0.273, 0.184, 0.125, 0.086, 0.069, 0.075, 0.121, 0.199,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class DemoDay:
    """The made-up service of the demo; lengths and rates are this project's own choice.

    Attributes:
        hours: length of the day, hours, 1 to 24.
        peak_rps: request arrivals at the busiest hour.
        prompt_tokens, output_tokens: mean lengths.
        length_sigma: spread of both lengths (standard deviation of the logarithm).
        burst_sigma: spread of the arrival rate around the daily shape, as a logarithm.
        burst_s: how long a swing of the rate lasts, seconds.
        prefill, decode: instances of the recorded fleet, which does not scale.
    """

    hours: float = 24.0
    peak_rps: float = 12.0
    prompt_tokens: float = 2000.0
    output_tokens: float = 400.0
    length_sigma: float = 0.6
    burst_sigma: float = 0.06
    burst_s: float = 240.0
    prefill: int = 2
    decode: int = 8


def demo_workload(day: DemoDay, rng: np.random.Generator) -> Workload:
    """Draw the day's requests.

    Arrivals are a Poisson process whose rate follows the decode shape and swings around it; prompts get
    longer or shorter so that prompt tokens follow the prefill shape.

    Args:
        day: the service.
        rng: source of randomness.

    Returns:
        Requests sorted by arrival, seconds since the start of the day.
    """
    seconds = np.arange(round(day.hours * 3600.0), dtype=np.float64)
    shape = _at(DECODE_SHAPE, seconds)
    rate = day.peak_rps * shape * _swings(seconds, day, rng)
    counts = rng.poisson(rate)
    arrivals = np.sort(np.repeat(seconds, counts) + rng.random(int(counts.sum())))
    prompts = day.prompt_tokens * _at(PREFILL_SHAPE, arrivals) / _at(DECODE_SHAPE, arrivals)
    return Workload(
        arrival_s=arrivals,
        prompt_tokens=_lengths(prompts, day.length_sigma, rng),
        output_tokens=_lengths(np.full(arrivals.size, day.output_tokens), day.length_sigma, rng),
        cached_tokens=np.zeros(arrivals.size, dtype=np.int64),
    )


def _at(shape: tuple[float, ...], seconds: Floats) -> Floats:
    hours = np.arange(len(shape), dtype=np.float64)
    return np.asarray(np.interp(seconds / 3600.0, hours, np.asarray(shape)), dtype=np.float64)


def _swings(seconds: Floats, day: DemoDay, rng: np.random.Generator) -> Floats:
    """A factor that wanders around 1, drawn anew every `burst_s` and straight in between."""
    knots = np.arange(0.0, seconds[-1] + day.burst_s, day.burst_s)
    levels = np.exp(day.burst_sigma * rng.standard_normal(knots.size))
    return np.asarray(np.interp(seconds, knots, levels), dtype=np.float64)


def _lengths(mean: Floats, sigma: float, rng: np.random.Generator) -> NDArray[np.int64]:
    draws = mean * np.exp(sigma * rng.standard_normal(mean.size) - sigma**2 / 2.0)
    return np.clip(np.rint(draws), 2, 8192).astype(np.int64)
