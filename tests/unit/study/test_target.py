"""The value of a signal at which a ratio rule should hold it."""

from __future__ import annotations

import numpy as np
import pytest

from signals.schema import PanelColumn
from signals.series.synthetic import ar1, daily_load, wandering_load
from signals.study.capacity import ratio_errors
from signals.study.panel import Observed
from signals.study.score import LoadChoice
from signals.study.target import operating_target

CHOICE = LoadChoice(
    "decode", "service:offered_output_tps", "load", "tokens/s", "offered", "default", "decode:ready"
)
NONE = np.random.default_rng(0)


def _observed(
    name: str, load: np.ndarray, value: np.ndarray, ready: np.ndarray | None, scope: str
) -> Observed:
    column = PanelColumn(f"decode:{name}", "decode", name, "tokens/s", scope)  # type: ignore[arg-type]
    reference = load if scope == "total" or ready is None else load / ready
    return Observed(
        column, CHOICE, 60.0, "rises", value, reference, value, reference, load, ready, 0.0
    )


def _day(rng: np.random.Generator, count: int = 1440) -> np.ndarray:
    return 1000 * daily_load(count, 60.0, wander=0.05, phi=0.97, rng=rng)


def test_total_and_average_have_the_same_target_per_instance() -> None:
    """2.5 per unit of load; 4 instances, then 8: what counts is the load of one."""
    load = _day(np.random.default_rng(1))
    ready = np.where(np.arange(1440) < 720, 4.0, 8.0)
    total = operating_target(
        _observed("decode_tps", load, 2.5 * load, ready, "total"), (), rng=NONE
    )
    mean = operating_target(
        _observed("sm_active", load, 2.5 * load / ready, ready, "average"), (), rng=NONE
    )
    quarters = (load / ready).reshape(96, 15).mean(axis=1)
    level = float(np.quantile(quarters, 0.95))
    for target in (total, mean):
        assert target.value == pytest.approx(2.5 * level)
        assert target.extra["load_per_instance"] == pytest.approx(level)
        assert target.extra["ratio"] == pytest.approx(2.5)
        assert (target.extra["basis"], target.extra["guard"]) == ("busiest", None)
        assert target.low == pytest.approx(target.value)
        assert target.high == pytest.approx(target.value)


def test_unknown_instances_make_it_the_target_of_the_pool() -> None:
    """With one day of load around a thousand, about that."""
    load = _day(np.random.default_rng(2))
    target = operating_target(_observed("decode_tps", load, load, None, "total"), (), rng=NONE)
    assert target.value == pytest.approx(np.quantile(load.reshape(96, 15).mean(axis=1), 0.95))


def test_a_rule_on_the_target_errs_as_capacity_error_says() -> None:
    """Orders of signal over target, over load over the level: the errors, but for the folds' own targets."""
    rng = np.random.default_rng(3)
    load, ready = _day(rng), np.full(1440, 4.0)
    signal = 2.5 * load * np.exp(0.05 * rng.standard_normal(1440))
    observed = _observed("decode_tps", load, signal, ready, "total")
    target = operating_target(observed, (), rng=NONE)
    ordered = signal / target.value
    needed = load / target.extra["load_per_instance"]
    held = ratio_errors(observed.reference, observed.signal, load, 60.0).errors
    known = np.isfinite(held)
    mean = float(np.abs(np.log(ordered / needed)[known]).mean())
    assert mean == pytest.approx(float(np.abs(held[known]).mean()), rel=0.02)


def test_a_queue_that_turns_sets_the_level() -> None:
    """Requests wait above 160 per instance; the busiest quarter hours are at 245."""
    rng = np.random.default_rng(4)
    load, ready = _day(rng), np.full(1440, 4.0)
    queue = 4 * np.maximum(load / 4 - 160, 0) + rng.random(1440)
    signal = _observed("decode_tps", load, 2.5 * load, ready, "total")
    guard = _observed("queue_depth", load, queue, ready, "total")
    target = operating_target(signal, [guard], rng=np.random.default_rng(0))
    assert (target.extra["basis"], target.extra["guard"]) == ("knee", "decode:queue_depth")
    assert target.value == pytest.approx(2.5 * 160, rel=0.03)
    assert target.low < target.value < target.high
    assert target.extra["load_low"] < 160 < target.extra["load_high"]
    assert target.extra["busiest_target"] > 1.3 * target.value


def test_a_turn_above_the_busiest_is_not_waited_for() -> None:
    """A latency that turns only in a few extreme minutes leaves the level at the busiest quarter hours."""
    rng = np.random.default_rng(5)
    load, ready = _day(rng), np.full(1440, 4.0)
    top = np.quantile(load, 0.97) / 4
    latency = 0.2 + np.maximum(load / 4 - top, 0) + 0.001 * rng.standard_normal(1440)
    target = operating_target(
        _observed("decode_tps", load, load, ready, "total"),
        [_observed("ttft_p90", load, latency, ready, "average")],
        rng=np.random.default_rng(0),
    )
    assert target.extra["basis"] == "busiest"
    assert target.extra["guards"] == 1


def test_days_show_how_far_their_busiest_lie_apart() -> None:
    """Three days, the second twice as busy; under three nothing is said."""
    rng = np.random.default_rng(6)
    days = np.concatenate([_day(rng), 2 * _day(rng), _day(rng)])
    observed = _observed("decode_tps", days, 3 * days, None, "total")
    extra = operating_target(observed, (), rng=NONE).extra
    assert extra["day_high"] / extra["day_low"] == pytest.approx(2.0, rel=0.1)
    short = _observed("decode_tps", days[:2880], days[:2880], None, "total")
    assert "day_low" not in operating_target(short, (), rng=NONE).extra


def test_too_few_ticks_have_no_target() -> None:
    """Nineteen minutes say nothing."""
    load = _day(np.random.default_rng(7), 19)
    target = operating_target(_observed("decode_tps", load, load, None, "total"), (), rng=NONE)
    assert (target.value, target.determined) == (None, False)
    assert target.reason == "too few ticks"


def test_a_signal_at_zero_for_a_while_has_a_target() -> None:
    """As capacity_error does it, its logarithm is taken at a hundredth of the usual."""
    load = _day(np.random.default_rng(8))
    signal = np.where(np.arange(1440) % 50 == 0, 0.0, load)
    target = operating_target(_observed("decode_tps", load, signal, None, "total"), (), rng=NONE)
    assert target.extra["ratio"] == pytest.approx(1.0)


@pytest.mark.parametrize("phi", [0.0, 0.9])
def test_band_covers_the_busiest_level(phi: float) -> None:
    """400 half days of a signal with noise of a tenth on a wandering load."""
    rng = np.random.default_rng(9)
    held = 0
    for _ in range(400):
        load = 100 * wandering_load(720, phi=0.99, spread=0.4, rng=rng)
        signal = 2.5 * load * np.exp(0.1 * ar1(720, phi, rng))
        target = operating_target(_observed("decode_tps", load, signal, None, "total"), (), rng=rng)
        held += target.low <= 2.5 * target.extra["load_per_instance"] <= target.high
    assert 0.915 * 400 <= held <= 0.98 * 400


def test_band_covers_a_known_capacity() -> None:
    """300 days of a fleet whose requests wait longer above 200 per instance: 95 % hold 2.5 times that."""
    rng = np.random.default_rng(10)
    held = turned = 0
    ready = np.full(1440, 4.0)
    for _ in range(300):
        load = _day(rng)
        noise = 0.05 * ar1(1440, 0.5, rng)
        latency = 0.2 + 0.01 * np.maximum(load / 4 - 200, 0) + 0.03 * ar1(1440, 0.8, rng)
        target = operating_target(
            _observed("decode_tps", load, 2.5 * load * np.exp(noise), ready, "total"),
            [_observed("ttft_p90", load, latency, ready, "average")],
            rng=rng,
        )
        turned += target.extra["basis"] == "knee"
        held += target.low <= 500 <= target.high
    assert turned == 300
    assert 0.915 * 300 <= held <= 0.99 * 300
