"""Arrivals within one window of a log of rates: as many as the rate says, spaced as its family says."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["FAMILIES", "draw_arrivals"]

FAMILIES = ("Exponential", "Gamma", "Weibull")
"""Families of gaps between arrivals that are known; the shape of an exponential is 1."""

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def draw_arrivals(
    counts: Ints, shapes: Floats, gamma: NDArray[np.bool_], rng: np.random.Generator
) -> tuple[Floats, Ints]:
    """Draw arrivals of several clients.

    A client's gaps are drawn from its family and shape and stretched together so that they fill the window. The
    count is then the rate's own, where a free renewal process would start with a burst: with a coefficient of
    variation of 8, 32 requests too many. The family's scale falls out.

    Args:
        counts: Int64[c], requests of each client.
        shapes: Float64[c], shape of the family, above 0.
        gamma: Bool[c], whether the family is Gamma; else Weibull.
        rng: the draw.

    Returns:
        Arrivals Float64[n] as a share 0..1 of the window, rising for each client, and the client's place Int64[n].
    """
    clients = np.flatnonzero(counts > 0)
    if clients.size == 0:
        return np.empty(0), np.empty(0, dtype=np.int64)
    gaps_each = counts[clients] + 1
    owner = np.repeat(clients, gaps_each)
    gaps = _draw_gaps(shapes[owner], gamma[owner], rng)
    ends = np.cumsum(gaps_each)
    starts = ends - gaps_each
    sums = np.add.reduceat(gaps, starts)
    # gaps so heavy-tailed that they vanish or overflow say nothing: even spacing then
    odd = np.repeat(~np.isfinite(sums) | (sums <= 0), gaps_each)
    gaps[odd] = 1.0
    gaps /= np.repeat(np.add.reduceat(gaps, starts), gaps_each)
    # each client's gaps sum to 1
    at = np.cumsum(gaps) - np.repeat(np.arange(clients.size), gaps_each)
    inner = np.ones(at.size, dtype=bool)
    inner[ends - 1] = False
    return np.clip(at[inner], 0.0, np.nextafter(1.0, 0.0)), owner[inner].astype(np.int64)


def _draw_gaps(shapes: Floats, gamma: NDArray[np.bool_], rng: np.random.Generator) -> Floats:
    gaps = np.empty(shapes.size)
    with np.errstate(over="ignore"):
        gaps[gamma] = rng.standard_gamma(shapes[gamma])
        gaps[~gamma] = rng.weibull(shapes[~gamma])
    return gaps
