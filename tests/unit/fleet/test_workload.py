"""The workload: what it accepts, how it is sliced and multiplied."""

from __future__ import annotations

import numpy as np
import pytest

from signals.errors import AnalysisError, UsageError
from signals.fleet import Workload
from tests.builders_fleet import poisson, workload


def test_workload_brings_columns_to_their_types() -> None:
    """Lists of any number type become float64 seconds and int64 tokens."""
    made = workload([0, 1.5], [3, 4], [1, 2])
    assert (np.float64, np.int64) == (made.arrival_s.dtype, made.prompt_tokens.dtype)
    assert (len(made), made.duration_s) == (2, 1.5)


@pytest.mark.parametrize(
    ("arrival", "prompt", "output", "cached", "problem", "row"),
    [
        ([0, 1], [1, 1], [1], [0, 0], "differ in length", 0),
        ([0, np.nan], [1, 1], [1, 1], [0, 0], "not a number", 1),
        ([-1, 0], [1, 1], [1, 1], [0, 0], "before the start", 0),
        ([0, 1e9], [1, 1], [1, 1], [0, 0], "later than 46 days", 1),
        ([2, 1], [1, 1], [1, 1], [0, 0], "before its predecessor", 1),
        ([0, 1], [1, 0], [1, 1], [0, 0], "no prompt tokens", 1),
        ([0, 1], [1, 1], [0, 1], [0, 0], "no output tokens", 0),
        ([0, 1], [1, 1], [1, 1], [0, 2], "not within its prompt", 1),
    ],
)
def test_workload_with_an_impossible_request_names_it(
    arrival: list[float],
    prompt: list[int],
    output: list[int],
    cached: list[int],
    problem: str,
    row: int,
) -> None:
    """The error says what is wrong and with which request."""
    with pytest.raises(AnalysisError, match=problem) as caught:
        workload(arrival, prompt, output, cached)
    assert f"request {row}" == caught.value.where


def test_between_keeps_the_half_open_window_and_restarts_time() -> None:
    """[1, 3) of arrivals at 0, 1, 2, 3 holds those at 1 and 2, now at 0 and 1."""
    part = workload([0, 1, 2, 3], [1, 2, 3, 4], [1] * 4).between(1.0, 3.0)
    assert part.arrival_s.tolist() == [0.0, 1.0]
    assert part.prompt_tokens.tolist() == [2, 3]


def test_scaled_by_one_changes_nothing(rng: np.random.Generator) -> None:
    """The first copy keeps its times."""
    made = poisson(100, 5.0, 1)
    assert made.arrival_s.tolist() == made.scaled(1.0, rng).arrival_s.tolist()


def test_scaled_multiplies_every_moment(rng: np.random.Generator) -> None:
    """Factor 2.5 gives 2.5 times the requests in each quarter, with the same lengths."""
    made = poisson(8000, 20.0, 1)
    more = made.scaled(2.5, rng, jitter_s=2.0)
    edges = np.linspace(0, made.duration_s, 5)
    before, after = (np.histogram(w.arrival_s, edges)[0] for w in (made, more))
    assert np.allclose(2.5, after / before, rtol=0.05)
    assert np.isclose(more.prompt_tokens.mean(), made.prompt_tokens.mean(), rtol=0.02)
    assert made.duration_s >= more.duration_s


def test_scaled_below_one_thins(rng: np.random.Generator) -> None:
    """Factor 0.25 keeps a quarter, at its own times; factor 0 keeps nothing."""
    made = poisson(8000, 20.0, 1)
    fewer = made.scaled(0.25, rng)
    assert np.isclose(2000, len(fewer), rtol=0.1)
    assert np.isin(fewer.arrival_s, made.arrival_s).all()
    assert len(made.scaled(0.0, rng)) == 0


def test_scaled_with_one_seed_gives_one_workload() -> None:
    """The generator alone decides."""
    made = poisson(500, 5.0, 1)
    once, again = (made.scaled(1.7, np.random.default_rng(3)) for _ in range(2))
    assert once.arrival_s.tobytes() == again.arrival_s.tobytes()


@pytest.mark.parametrize("factor", [-1.0, float("nan"), float("inf")])
def test_scaled_by_an_impossible_factor_is_refused(factor: float, rng: np.random.Generator) -> None:
    """A load factor is a number >= 0."""
    with pytest.raises(UsageError, match="load factor"):
        poisson(5, 1.0, 1).scaled(factor, rng)


def test_empty_workload_is_one() -> None:
    """No request is a workload of duration 0."""
    assert Workload(*(np.empty(0) for _ in range(4))).duration_s == 0.0
