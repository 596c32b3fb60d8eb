"""The published day keeps its verdicts when half of it is lost or noise is added.

Each copy is judged by the figures that its class is made of, on the arrays themselves: whole scorecards of all
copies would take minutes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from signals.catalog import require_signal
from signals.catalog.spec import Direction
from signals.series.smooth import trailing_mean
from signals.study.capacity import calibrated_errors, constant_error, ratio_errors
from signals.study.coverage import coverage, covered
from signals.study.elasticity import elasticity
from signals.study.monotone import fit_monotone
from signals.study.panel import DECISION_S, span_factor
from signals.study.response import bin_means
from signals.study.saturation import flat_against_direction, saturation_ratio
from signals.study.verdict import judge

TICK_S = 180.0
COPIES = 10
LOADS = ("decode:decode_tps", "prefill:prefill_tps")
CLASSES = {
    "prefill:prefill_tps": "proportional",
    "decode:decode_tps": "proportional",
    "prefill:gpu_util": "proportional",
    "prefill:sm_active": "proportional",
    "decode:gpu_util": "unusable",
    "prefill:ttft_mean": "feedback",
    "decode:itl_mean": "feedback",
    "decode:sm_active": "feedback",
}
Day = dict[str, np.ndarray]
Wear = Callable[[Day, np.random.Generator], Iterator[Day]]


@pytest.fixture(scope="module")
def day(shared: Path) -> Day:
    table = pl.read_csv(shared / "figures" / "heteroscale_fig2.wide.csv")
    return {
        header.split(" [")[0]: table[header].cast(pl.Float64).to_numpy()
        for header in table.columns[1:]
    }


def _every_second(day: Day, rng: np.random.Generator) -> Iterator[Day]:
    """The even and the odd rows: there are no more."""
    for first in (0, 1):
        lost = np.arange(481) % 2 == first
        yield {name: np.where(lost, np.nan, values) for name, values in day.items()}


def _halves(day: Day, rng: np.random.Generator) -> Iterator[Day]:
    for _ in range(COPIES):
        lost = rng.permutation(481) < 240
        yield {name: np.where(lost, np.nan, values) for name, values in day.items()}


def _within_ten_percent(day: Day, rng: np.random.Generator) -> Iterator[Day]:
    """Load and signals, each value by itself, by up to 10 % up or down."""
    for _ in range(COPIES):
        yield {
            name: values * (1 + rng.uniform(-0.1, 0.1, len(values))) for name, values in day.items()
        }


def _normal(day: Day, rng: np.random.Generator) -> Iterator[Day]:
    """The same with a standard deviation of 10 %, which is worth 11 % of capacity error alone."""
    for _ in range(COPIES):
        yield {
            name: values * (1 + 0.1 * rng.standard_normal(len(values)))
            for name, values in day.items()
        }


@dataclass(frozen=True)
class Seen:
    """Reference and signal as the study looks at them."""

    x: np.ndarray
    y: np.ndarray
    direction: Direction


def _verdict(seen: Seen, raw: np.ndarray) -> str:
    x, y = seen.x, seen.y
    both = np.isfinite(x) & np.isfinite(y)
    bins = bin_means(x, y, TICK_S)
    curve = fit_monotone(x, y, seen.direction)
    assert bins is not None
    assert curve is not None
    learned = calibrated_errors(x, y, x, TICK_S, seen.direction)
    calibrated = float(np.nanmean(np.abs(learned.errors)))
    constant = constant_error(x, y, x, TICK_S)
    assert constant is not None
    slope = elasticity(x, y, bins, TICK_S, rng=np.random.default_rng(0)).value
    assert slope is not None
    pinned = saturation_ratio(x, bins, curve, seen.direction)
    verdict, _, _ = judge(
        {
            "ticks": float(both.sum()),
            "load_span": span_factor(x[both]),
            "coverage": covered(coverage(raw, None)),
            "elasticity": slope,
            "elasticity_size": abs(slope),
            "saturation_ratio": pinned.value,
            "flat_against_direction": flat_against_direction(pinned),
            "calibrated_share": calibrated / constant,
            "capacity_error": float(np.nanmean(np.abs(ratio_errors(x, y, x, TICK_S).errors))),
        }
    )
    return verdict


def _wrong(day: Day, load: str, wear: Wear) -> list[tuple[str, str]]:
    """Signals that are not of the published class, with the class they got, over all copies."""
    width = max(1, round(DECISION_S / TICK_S))
    wrong = []
    for copy in wear(day, np.random.default_rng(20251130)):
        for name in CLASSES.keys() - {load}:
            seen = Seen(
                trailing_mean(copy[load], width),
                trailing_mean(copy[name], width),
                require_signal(name.split(":")[1]).direction,
            )
            found = _verdict(seen, copy[name])
            if found != CLASSES[name]:
                wrong.append((name, found))
    return wrong


@pytest.mark.parametrize("load", LOADS)
@pytest.mark.parametrize("wear", [_every_second, _halves, _within_ten_percent])
def test_verdicts_survive(day: Day, load: str, wear: Wear) -> None:
    """Every signal has the published class in every copy."""
    assert _wrong(day, load, wear) == []


@pytest.mark.parametrize("load", LOADS)
def test_stronger_noise_costs_the_one_signal_that_is_near_a_threshold(day: Day, load: str) -> None:
    """Prefill utilisation has a capacity error of 0.08 to 0.09; noise of 0.11 lifts it to about 0.15."""
    assert set(_wrong(day, load, _normal)) <= {("prefill:gpu_util", "feedback")}
