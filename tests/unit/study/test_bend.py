"""Where a queue or a latency turns upwards."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from signals.schema import PanelColumn
from signals.series.synthetic import ar1, daily_load
from signals.study.bend import GUARDS, Bend, drawn_loads, first_bend
from signals.study.bootstrap import block_number
from signals.study.panel import Observed
from signals.study.score import LoadChoice

CHOICE = LoadChoice(
    "decode", "service:offered_output_tps", "load", "tokens/s", "offered", "default", "decode:ready"
)


def _guard(name: str, load: np.ndarray, value: np.ndarray, instances: float = 4.0) -> Observed:
    total = name == "queue_depth"
    column = PanelColumn(f"decode:{name}", "decode", name, "s", "total" if total else "average")
    ready = np.full(len(load), instances)
    reference = load if total else load / instances
    return Observed(
        column, CHOICE, 60.0, "rises", value, reference, value, reference, load, ready, 0.0
    )


def _day(rng: np.random.Generator) -> np.ndarray:
    return 1000 * daily_load(1440, 60.0, wander=0.05, phi=0.97, rng=rng)


def test_the_turn_of_a_latency_is_found_at_its_load_per_instance() -> None:
    """0.2 s up to 150 per instance, then 1 ms for each more."""
    rng = np.random.default_rng(1)
    load = _day(rng)
    latency = 0.2 + 0.001 * np.maximum(load / 4 - 150, 0) + 0.003 * rng.standard_normal(1440)
    bend = first_bend([_guard("ttft_p90", load, latency)])
    assert bend is not None
    assert bend.column.signal == "ttft_p90"
    assert bend.load == pytest.approx(150, rel=0.03)
    assert bend.width == 2
    assert np.std(bend.rest) < 0.004


def test_a_queue_is_counted_per_instance() -> None:
    """A total queue that grows above 160 per instance, as 4 instances see it."""
    rng = np.random.default_rng(2)
    load = _day(rng)
    queue = np.maximum(load / 4 - 160, 0) + 0.5 * rng.random(1440)
    bend = first_bend([_guard("queue_depth", load, queue)])
    assert bend is not None
    assert bend.load == pytest.approx(160, rel=0.03)
    assert bend.y.max() == pytest.approx((queue / 4).max(), rel=0.1)


def test_the_first_that_turns_counts_and_one_that_flattens_does_not() -> None:
    """Order is that of the arguments; straight lines, plateaus and noise are passed over."""
    rng = np.random.default_rng(3)
    load = _day(rng)
    noise = 0.003 * rng.standard_normal(1440)
    straight = _guard("queue_wait_p90", load, 0.001 * load + noise)
    plateau = _guard("ttft_p90", load, np.minimum(load, 500) / 1000 + noise)
    flat = _guard("ttft_mean", load, 0.2 + noise)
    turns = _guard("itl_p90", load, 0.03 + 0.001 * np.maximum(load / 4 - 150, 0) + noise)
    late = _guard("itl_mean", load, 0.03 + 0.001 * np.maximum(load / 4 - 180, 0) + noise)
    assert first_bend([straight, plateau, flat]) is None
    found = first_bend([straight, plateau, flat, turns, late])
    assert found is not None
    assert found.column.signal == "itl_p90"
    assert first_bend([]) is None


def test_a_slope_that_does_not_double_is_no_turn() -> None:
    """1 ms for each token/s per instance, then 1.6 ms, seen clearly; 2.5 ms is one."""
    rng = np.random.default_rng(6)
    load = _day(rng)
    each, noise = load / 4, 0.001 * rng.standard_normal(1440)
    slight = 0.001 * each + 0.0006 * np.maximum(each - 150, 0) + noise
    steep = 0.001 * each + 0.0015 * np.maximum(each - 150, 0) + noise
    assert first_bend([_guard("ttft_p90", load, slight)]) is None
    found = first_bend([_guard("ttft_p90", load, steep)])
    assert found is not None
    assert found.load == pytest.approx(150, rel=0.03)


def test_guards_seldom_turn_by_chance() -> None:
    """Six straight guards under autocorrelated noise: all together turn in few of 60 days."""
    rng = np.random.default_rng(4)
    turned = 0
    for _ in range(60):
        load = _day(rng)
        guards = [
            _guard(name, load, 0.001 * load + 0.1 * ar1(1440, 0.8, rng)) for name in GUARDS[:6]
        ]
        turned += first_bend(guards) is not None
    assert turned <= 4


def _slow_break(x: np.ndarray, y: np.ndarray, breaks: np.ndarray) -> float:
    best, found = np.inf, np.nan
    for at in breaks:
        basis = np.column_stack((np.ones_like(x), x, np.maximum(x - at, 0)))
        weights = np.linalg.lstsq(basis, y, rcond=None)[0]
        rest = float(((y - basis @ weights) ** 2).sum())
        if weights[2] > 0 and rest < best:
            best, found = rest, float(at)
    return found


@pytest.mark.parametrize("noise", [0.01, 0.3])
def test_drawn_turns_equal_least_squares_of_each_guard_drawn(noise: float) -> None:
    """Every pattern of signs of three blocks has the break that a regression at each of them finds.

    Under much noise the best break of some would be one downwards, which is none.
    """
    rng = np.random.default_rng(10)
    x = rng.uniform(50, 250, 60)
    y = 0.2 + 0.001 * np.maximum(x - 150, 0) + noise * rng.standard_normal(60)
    bend = Bend(PanelColumn("d:g", "d", "g", "s", "average"), 150.0, x, y, np.arange(60), 1)
    block = block_number(60, 20)
    drawn = set(np.round(drawn_loads(bend, block, np.random.default_rng(0), 200), 9))
    breaks = np.quantile(x, np.linspace(0.05, 0.95, 512))
    fit = y - bend.rest
    expected = {
        round(_slow_break(x, fit + np.array(signs)[block] * bend.rest, breaks), 9)
        for signs in itertools.product((-1.0, 1.0), repeat=3)
    }
    assert drawn == expected
