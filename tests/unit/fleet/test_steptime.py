"""Step times in picoseconds, and the arithmetic of runs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from signals.errors import UsageError
from signals.fleet.steptime import (
    SATURATION_UNIT,
    run_span,
    step_times,
    steps_reaching,
    steps_within,
    to_picoseconds,
)
from signals.profiles.spec import Knots
from tests.builders_fleet import PROFILE

MS = 10**9


def test_picoseconds_are_rounded_half_to_even() -> None:
    """0.5 ps goes down to 0, 1.5 ps up to 2."""
    assert to_picoseconds([0.5e-12, 1.5e-12, 2.5e-12, 1.0]).tolist() == [0, 2, 2, 10**12]


def test_curve_is_exact_at_its_knots_and_straight_between() -> None:
    """Prefill of 0, 256, 512 tokens takes 10, 35, 60 ms; decode of 1, 32, 64 sequences 26, 34, 45 ms."""
    times = step_times(PROFILE)
    assert times.prefill_ps[[0, 256, 512]].tolist() == [10 * MS, 35 * MS, 60 * MS]
    assert times.decode_ps[[1, 32, 64]].tolist() == [26 * MS, 34 * MS, 45 * MS]


def test_curve_goes_on_beyond_its_last_knot() -> None:
    """From 32 to 64 sequences decode grows by 11 ms, so 128 take 45 + 22 ms."""
    assert step_times(PROFILE).decode_ps[128] == 67 * MS


def test_coefficients_are_rounded_once() -> None:
    """20 ns per context token, 12.8 us per token on the link, 2 ms per transfer, 10 ms fixed cost."""
    times = step_times(PROFILE)
    assert (times.context_ps, times.link_ps) == (20_000, 12_800_000)
    assert (times.latency_ps, times.fixed_ps) == (2 * MS, 10 * MS)


def test_time_always_moves() -> None:
    """A curve of zeros still gives steps of a picosecond."""
    still = replace(PROFILE, prefill=Knots((0, 1), (0.0, 0.0)), decode=Knots((1, 2), (0.0, 0.0)))
    times = step_times(replace(still, link_latency_s=0.0, kv_bytes_per_token=0))
    assert (times.prefill_ps[5], times.decode_ps[5], times.latency_ps) == (1, 1, 1)
    assert times.prefill_ps[1] >= times.fixed_ps


def test_saturation_runs_from_floor_to_full() -> None:
    """Batch 1 is the floor, batch 32 and above full, in between concave."""
    saturation = step_times(PROFILE).saturation
    assert tuple(saturation[[1, 32, 64]]) == (0, SATURATION_UNIT, SATURATION_UNIT)
    assert saturation[16] > SATURATION_UNIT / 2


@pytest.mark.parametrize(
    "knots", [Knots((1,), (1.0,)), Knots((2, 1), (1.0, 2.0)), Knots((1, 2), (1.0,))]
)
def test_curve_that_is_none_is_refused(knots: Knots) -> None:
    """A curve has two knots or more, sorted, each with its time."""
    with pytest.raises(UsageError, match="curve"):
        step_times(replace(PROFILE, decode=knots))


def test_run_span_is_the_sum_of_its_steps() -> None:
    """Steps of 10, 13, 16 take 39."""
    assert sum(10 + 3 * k for k in range(3)) == run_span(10, 3, 3)


@pytest.mark.parametrize(("first", "growth"), [(10, 0), (10, 3), (1, 1000), (7, 1)])
def test_steps_within_and_reaching_agree_with_counting(first: int, growth: int) -> None:
    """The largest number of steps that end by a time, the smallest that end at or after it."""
    ends = [run_span(first, growth, k) for k in range(21)]
    for elapsed in range(ends[-1] + 5):
        assert max(k for k in range(21) if ends[k] <= elapsed) == steps_within(
            first, growth, 20, elapsed
        )
        reaching = [k for k in range(21) if ends[k] >= elapsed]
        assert min(reaching, default=20) == steps_reaching(first, growth, 20, elapsed)
        if elapsed > 4000:
            break
