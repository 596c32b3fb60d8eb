"""What is true of a made signal: figures of the verdict computed from how it was made, on the whole span.

They are short twins of the measures, not the measures themselves: noise enters by its known size, and nothing
is lost or held out.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.special import erf

from signals.series.grid import ticks_in
from signals.series.smooth import block_means, daily_shape
from tests.calibration.verdict_worlds import World

__all__ = [
    "MARGIN",
    "bias_at_peak",
    "departure",
    "expected_error",
    "known_share",
    "outer_elasticity",
]

Array = npt.NDArray[np.float64]

MARGIN = 1.2
"""Truths are at least 20 % away from every threshold that decides."""


def _off(world: World, clean: Array, scope: str) -> Array:
    ratio = np.log(world.minutes(clean) / world.minutes(world.per(scope)))
    return ratio - np.median(ratio)


def expected_error(world: World, clean: Array, scope: str, sigma: float) -> float:
    """Mean |e| of a ratio rule on a clean signal, under normal noise of the logarithm of this size."""
    off = _off(world, clean, scope)
    if sigma == 0:
        return float(np.abs(off).mean())
    scaled = off / (sigma * np.sqrt(2))
    return float((sigma * np.sqrt(2 / np.pi) * np.exp(-(scaled**2)) + off * erf(scaled)).mean())


def bias_at_peak(world: World, clean: Array, scope: str) -> float:
    """Mean e of a ratio rule on a clean signal over the twentieth of ticks with the highest load."""
    load = world.minutes(world.load)
    return float(_off(world, clean, scope)[load > np.quantile(load, 0.95)].mean())


def known_share(world: World, signal: Array, scope: str) -> float:
    """Error of who knows the signal's grade among fifty, over that of who knows nothing."""
    load, seen = np.log(world.minutes(world.per(scope))), world.minutes(signal)
    parts = np.array_split(load[np.argsort(seen, kind="stable")], 50)
    left = np.concatenate([np.abs(part - np.median(part)) for part in parts]).mean()
    return float(left / np.abs(load - np.median(load)).mean())


def outer_elasticity(world: World, clean: Array, scope: str) -> float:
    """Slope of the logarithms between the outer sixths of quarter hours."""
    width = ticks_in(900, world.tick_s)
    x = block_means(world.per(scope)[world.before :], width)
    y = block_means(clean[world.before :], width)
    order = np.argsort(x)
    low, high = order[: len(x) // 6], order[-(len(x) // 6) :]
    return float(np.log(y[high].mean() / y[low].mean()) / np.log(x[high].mean() / x[low].mean()))


def departure(world: World, scope: str) -> float:
    """How far load departs from its daily shape between the outer sixths of quarter hours; 0 under three days."""
    width = ticks_in(900, world.tick_s)
    means = block_means(world.per(scope)[world.before :], width)
    shape = daily_shape(means, width * world.tick_s)
    if shape is None:
        return 0.0
    rest = np.sort(means / shape - 1)
    few = len(rest) // 6
    return float(rest[-few:].mean() - rest[:few].mean())
