"""Latency histograms, counted in integers as the events happen."""

from __future__ import annotations

from signals.fleet.access import State, bound_at, count_at, sum_at
from signals.fleet.kernels import kernel, part
from signals.fleet.state import NEVER
from signals.fleet.steptime import run_span

__all__ = ["BOUNDS_S", "E2E", "HISTOGRAMS", "ITL", "TPOT", "TTFT", "observe", "observe_run"]

HISTOGRAMS = ("ttft", "itl", "tpot", "e2e")
TTFT, ITL, TPOT, E2E = range(4)

_STEP_BOUNDS_S = (
    0.005, 0.01, 0.015, 0.02, 0.025, 0.03, 0.035, 0.04, 0.045, 0.05, 0.06, 0.075, 0.1, 0.15, 0.2, 0.3, 0.5, 0.75,
    1.0, 2.5, 5.0, 10.0, 40.0,
)  # fmt: skip

BOUNDS_S = (
    (
        0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0, 20.0, 40.0, 80.0,
        160.0, 640.0, 2560.0,
    ),
    _STEP_BOUNDS_S,
    _STEP_BOUNDS_S,
    (
        0.3, 0.5, 0.8, 1.0, 1.5, 2.0, 2.5, 5.0, 10.0, 15.0, 20.0, 30.0, 40.0, 50.0, 60.0, 120.0, 240.0, 480.0, 960.0,
        1920.0, 7680.0,
    ),
)  # fmt: skip
"""Upper bounds of the buckets, in the order of HISTOGRAMS: vLLM's, finer where decode steps lie."""

_SECOND = 1_000_000_000_000


@part
def _bucket(state: State, which: int, value: int) -> int:
    bucket = 0
    while value > bound_at(state, which, bucket).ps:
        bucket += 1
    return bucket


@part
def _add_sum(state: State, which: int, value: int) -> None:
    total = sum_at(state, which)
    low = total.picoseconds + value
    total.seconds += low // _SECOND
    total.picoseconds = low % _SECOND


@kernel
def observe(state: State, which: int, value: int, times: int) -> None:
    """Count one value `times` times."""
    count_at(state, which, _bucket(state, which, value)).count += times
    _add_sum(state, which, value * times)


@kernel
def observe_run(
    state: State, which: int, first: int, growth: int, low: int, high: int, times: int
) -> None:
    """Count the durations of steps `low`..`high` - 1 of a run, each `times` times."""
    _add_sum(state, which, times * (run_span(first, growth, high) - run_span(first, growth, low)))
    step = low
    while step < high:
        bucket = _bucket(state, which, first + growth * step)
        bound = bound_at(state, which, bucket).ps
        last = high
        if growth > 0 and bound < NEVER:
            last = min(high, (bound - first) // growth + 1)
        count_at(state, which, bucket).count += times * (last - step)
        step = last
