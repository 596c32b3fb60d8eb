"""How often would a ratio rule on this signal change its mind?"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from signals.series.synthetic import daily_load
from signals.study.flapping import flap_rate

TICK_S = 60.0


def square(half: int, count: int = 600) -> np.ndarray:
    """1 and 2 in turns of `half` ticks."""
    return np.where(np.arange(count) // half % 2, 2.0, 1.0)


def test_signal_that_swings_every_five_minutes_flaps_at_every_change(
    rng: np.random.Generator,
) -> None:
    """Ten hours hold 119 changes of a square wave; each but the first undoes the one before."""
    estimate = flap_rate(square(5), None, TICK_S, scope="total", rng=rng)
    assert estimate.extra["changes"] == 119
    assert estimate.extra["flaps"] == 118
    assert estimate.value == pytest.approx(11.8)
    assert estimate.low is not None
    assert estimate.high is not None
    assert estimate.low <= 11.8 <= estimate.high


@pytest.mark.parametrize(("half", "flaps"), [(14, 41), (15, 0), (20, 0)])
def test_change_undone_after_fifteen_minutes_is_no_flap(
    half: int, flaps: int, rng: np.random.Generator
) -> None:
    """14 minutes are less than 15; 15 are not."""
    estimate = flap_rate(square(half), None, TICK_S, scope="total", rng=rng)
    assert estimate.extra["flaps"] == flaps
    assert estimate.value == pytest.approx(flaps / 10)


def test_no_flap_in_ten_hours_is_not_none_ever(rng: np.random.Generator) -> None:
    """A rate of 0.369 an hour leaves ten hours without one in 2.5 % of cases."""
    estimate = flap_rate(square(20), None, TICK_S, scope="total", rng=rng)
    assert (estimate.value, estimate.low) == (0.0, 0.0)
    assert estimate.high == pytest.approx(0.369, abs=0.001)


def test_rule_leaves_its_tolerance_alone(rng: np.random.Generator) -> None:
    """At ten instances, 8 % up and down order nothing; 12 % up order two more, once."""
    ready = np.full(600, 10.0)
    wobble = np.where(np.arange(600) % 2, 1.08, 0.92)
    still = flap_rate(wobble, ready, TICK_S, scope="total", rng=rng)
    assert still.value is None
    assert still.determined
    assert "never orders a change" in still.reason
    step = np.where(np.arange(600) < 400, 1.0, 1.12)
    once = flap_rate(step, ready, TICK_S, scope="total", rng=rng)
    assert (once.value, once.extra["changes"]) == (0.0, 1)
    assert once.extra["mean_count"] == pytest.approx((400 * 10 + 200 * 12) / 600)


def test_rule_never_orders_less_than_one_instance(rng: np.random.Generator) -> None:
    """A signal at zero asks for none; one stays."""
    signal = np.where(np.arange(600) // 5 % 2, 0.0, 1.0)
    signal[300:] = 1.0
    estimate = flap_rate(signal, np.ones(600), TICK_S, scope="total", rng=rng)
    assert estimate.value is None
    assert estimate.extra["mean_count"] == 1


def test_average_times_ready_is_the_total(rng: np.random.Generator) -> None:
    """A utilisation of a changing fleet asks for what its sum asks for."""
    ready = np.where(np.arange(1440) % 300 < 150, 4.0, 8.0)
    total = ready * daily_load(1440, TICK_S, wander=0.3, phi=0.9, rng=rng)
    seeds = (np.random.default_rng(3) for _ in range(2))
    whole = flap_rate(total, ready, TICK_S, scope="total", rng=next(seeds))
    each = flap_rate(total / ready, ready, TICK_S, scope="average", rng=next(seeds))
    assert whole.extra["flaps"] == each.extra["flaps"] > 0
    assert whole.value == pytest.approx(each.value)


def test_noise_makes_it_flap_and_the_assumed_fleet_tells_as_much_as_the_recorded_one(
    rng: np.random.Generator,
) -> None:
    """Three days: quiet at 1 % of noise, every few minutes at 10 %, with a known fleet of 10 or none."""
    load = daily_load(4320, TICK_S, rng=rng)
    for noise, low, high in ((0.01, 0.0, 0.1), (0.1, 10.0, 25.0)):
        signal = load * np.exp(noise * rng.standard_normal(4320))
        for ready in (None, np.full(4320, 10.0)):
            value = flap_rate(signal, ready, TICK_S, scope="total", rng=rng).value
            assert value is not None
            assert low <= value <= high


def test_rule_decides_once_a_minute(rng: np.random.Generator) -> None:
    """What happens between decisions at 15 s ticks goes unseen; hours are hours."""
    fine = np.repeat(square(5), 4)
    fine[np.arange(2400) % 4 != 3] = 7.0
    estimate = flap_rate(fine, None, 15.0, scope="total", rng=rng)
    assert estimate.extra["hours"] == pytest.approx(10.0)
    assert estimate.extra["flaps"] == 118


def test_missing_values_order_nothing(rng: np.random.Generator) -> None:
    """No decision, no hour: the rate is over the time in which there was a value and an instance."""
    signal, ready = square(5), np.full(600, 4.0)
    signal[100:200] = np.nan
    ready[200:300] = 0.0
    estimate = flap_rate(signal, ready, TICK_S, scope="total", rng=rng)
    assert estimate.extra["hours"] == pytest.approx(400 / 60)
    assert estimate.extra["fleet_known"] is True


@pytest.mark.parametrize(
    ("signal", "reason"),
    [
        (np.ones(19), "too few"),
        (np.full(600, np.nan), "too few"),
        (np.zeros(0), "too few"),
        (np.zeros(600), "not above zero"),
        (-np.ones(600), "not above zero"),
    ],
)
def test_too_little_is_a_result_with_a_reason(
    signal: np.ndarray, reason: str, rng: np.random.Generator
) -> None:
    for ready in (None, np.full(len(signal), 2.0)):
        estimate = flap_rate(signal, ready, TICK_S, scope="total", rng=rng)
        assert estimate.value is None
        assert not estimate.determined
        assert reason in estimate.reason


def test_pool_that_never_served_has_no_rate(rng: np.random.Generator) -> None:
    estimate = flap_rate(square(5), np.zeros(600), TICK_S, scope="total", rng=rng)
    assert estimate.reason == "too few decisions with a value"


def test_interval_holds_the_rate_of_many_days() -> None:
    """10 % of noise on a day: intervals of single days hold the mean of 60, nearly always."""
    rng = np.random.default_rng(2)
    found = []
    for _ in range(60):
        signal = daily_load(1440, TICK_S, rng=rng) * np.exp(0.1 * rng.standard_normal(1440))
        found.append(flap_rate(signal, np.full(1440, 10.0), TICK_S, scope="total", rng=rng))
    mean = np.mean([estimate.value for estimate in found])
    assert sum(e.low <= mean <= e.high for e in found) >= 0.87 * 60


@given(seed=st.integers(0, 2**32 - 1), power=st.integers(-20, 20))
def test_unit_of_the_signal_does_not_matter(seed: int, power: int) -> None:
    """Tokens or kilotokens, holes included: the same orders."""
    rng = np.random.default_rng(seed)
    signal = np.exp(0.3 * rng.standard_normal(300))
    signal[rng.random(300) < 0.2] = np.nan
    ready = rng.integers(0, 6, 300).astype(float)
    for count in (None, ready):
        one, other = (
            flap_rate(values, count, TICK_S, scope="average", rng=np.random.default_rng(0))
            for values in (signal, signal * 2.0**power)
        )
        assert one.value == other.value
        assert (one.low, one.high) == (other.low, other.high)
