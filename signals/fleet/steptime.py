"""Step times in integer picoseconds: the profile's curves as tables, and the length of runs of steps.

A run is `steps` steps of one composition. Its first step takes `first`, each later one `growth` more than
the one before, so the time of k steps has the closed form of `run_span`, exact in integers.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from signals.errors import UsageError
from signals.fleet.kernels import kernel, part
from signals.profiles.spec import Knots, Profile

__all__ = [
    "PICOSECONDS",
    "SATURATION_UNIT",
    "StepTimes",
    "run_span",
    "step_times",
    "steps_reaching",
    "steps_within",
    "to_picoseconds",
]

PICOSECONDS = 1_000_000_000_000
SATURATION_UNIT = 1024
"""Decode saturation is counted in 1/1024: its time integral over a scrape then fits an int64."""


@dataclass(frozen=True, eq=False)
class StepTimes:
    """A profile in integers.

    Attributes:
        prefill_ps: int64 [max_batched_tokens + 1], time of a prefill step by its tokens, picoseconds.
        decode_ps: int64 [max_num_seqs + 1], time of a decode step by its sequences, without context.
        saturation: int64 [max_num_seqs + 1], 0..SATURATION_UNIT, how far a decode step of this batch is
            from the counter model's floor (batch 1) to its full level.
        context_ps: time per context token.
        fixed_ps: the fixed cost that a mixed step pays once instead of twice.
        link_ps: time of one token's KV entries on the link.
        latency_ps: fixed time of one transfer.
    """

    prefill_ps: npt.NDArray[np.int64]
    decode_ps: npt.NDArray[np.int64]
    saturation: npt.NDArray[np.int64]
    context_ps: int
    fixed_ps: int
    link_ps: int
    latency_ps: int


def to_picoseconds(seconds: npt.ArrayLike) -> npt.NDArray[np.int64]:
    """Round seconds to picoseconds, half to even."""
    return np.rint(np.asarray(seconds, np.float64) * PICOSECONDS).astype(np.int64)


def _curve(knots: Knots, at: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    x, y = np.asarray(knots.x, np.float64), np.asarray(knots.seconds, np.float64)
    if len(x) < 2 or len(x) != len(y) or (np.diff(x) <= 0).any():
        raise UsageError(
            "a curve of the profile is not one",
            expected="at least two knots, strictly increasing, each with its seconds",
        )
    slopes = np.diff(y) / np.diff(x)
    segment = np.clip(np.searchsorted(x, at, side="right") - 1, 0, len(slopes) - 1)
    return np.asarray(y[segment] + slopes[segment] * (at - x[segment]))


def _saturation(full_batch: float, batch: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    # Occupancy grows with the logarithm of the batch: the first sequences fill the most.
    share: npt.NDArray[np.float64]
    share = np.log(np.maximum(batch, 1.0)) / math.log(max(full_batch, 1.0 + 1e-9))
    return np.rint(np.clip(share, 0.0, 1.0) * SATURATION_UNIT).astype(np.int64)


def step_times(profile: Profile) -> StepTimes:
    """Round a profile's curves once, half to even.

    Steps and transfers take at least one picosecond, so that time always moves.

    Raises:
        UsageError: a curve has less than two knots or unsorted ones.
    """
    tokens = np.arange(profile.max_batched_tokens + 1, dtype=np.float64)
    batch = np.arange(profile.max_num_seqs + 1, dtype=np.float64)
    prefill = np.maximum(to_picoseconds(_curve(profile.prefill, tokens)), 1)
    link_s = profile.kv_bytes_per_token / profile.link_bytes_per_s
    return StepTimes(
        prefill_ps=prefill,
        decode_ps=np.maximum(to_picoseconds(_curve(profile.decode, batch)), 1),
        saturation=_saturation(profile.counters.sm_decode_full_batch, batch),
        context_ps=max(int(to_picoseconds(profile.context_s_per_token)), 0),
        # a chunk never makes a step shorter
        fixed_ps=int(prefill.min()),
        link_ps=int(to_picoseconds(link_s)),
        latency_ps=max(int(to_picoseconds(profile.link_latency_s)), 1),
    )


@part
def run_span(first: int, growth: int, steps: int) -> int:
    """Time of the first `steps` steps of a run."""
    return steps * first + growth * (steps * (steps - 1) // 2)


@kernel
def steps_within(first: int, growth: int, limit: int, elapsed: int) -> int:
    """The largest number of steps, at most `limit`, that end at or before `elapsed`."""
    high = min(limit, elapsed // first)
    if growth == 0 or high == 0:
        return high
    low = min(high, elapsed // (first + growth * high))
    while low < high:
        middle = (low + high + 1) // 2
        if run_span(first, growth, middle) <= elapsed:
            low = middle
        else:
            high = middle - 1
    return low


@part
def steps_reaching(first: int, growth: int, limit: int, elapsed: int) -> int:
    """The smallest number of steps, at most `limit`, that end at or after `elapsed`."""
    steps = steps_within(first, growth, limit, elapsed)
    if steps < limit and run_span(first, growth, steps) < elapsed:
        return steps + 1
    return steps
